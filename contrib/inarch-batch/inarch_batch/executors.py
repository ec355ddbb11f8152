"""Executors (PEP 3148) for the workers of a batch. Entry points `inarch_batch.executors` add others."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib.metadata import entry_points
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import Any, ParamSpec, TypeVar

from inarch import UsageError

P = ParamSpec("P")
T = TypeVar("T")
GROUP = "inarch_batch.executors"


class WorkersUnreachable(Exception):
    """Workers can't be reached. The batch ends, and goes on when it is run again."""


class Threads(ThreadPoolExecutor):
    """Threads of this process, which start fastest and end with it."""

    def __init__(self, workers: int, address: str = "") -> None:
        super().__init__(workers, thread_name_prefix="batch")


class Processes(Executor):
    """Worker processes, each in its own pool, so that a killed worker does not affect the others."""

    def __init__(self, workers: int, address: str = "") -> None:
        self._pools = [_pool() for _ in range(workers)]
        self._futures: list[Future[Any] | None] = [None] * workers

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Submit a function call to an idle worker, and replace the worker if it has died."""
        idle = (at for at, future in enumerate(self._futures) if future is None or future.done())
        at = next(idle, 0)
        try:
            future = self._pools[at].submit(fn, *args, **kwargs)
        except BrokenProcessPool:
            self._pools[at].shutdown(wait=False)
            self._pools[at] = _pool()
            future = self._pools[at].submit(fn, *args, **kwargs)
        self._futures[at] = future
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut the workers down."""
        for pool in self._pools:
            pool.shutdown(wait, cancel_futures=cancel_futures)


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, get_context("spawn"), _begin_worker)


def _begin_worker() -> None:
    """Ignore Ctrl-C, which the coordinator handles, and exit when the coordinator exits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def open_executor(words: str, workers: int) -> Executor:
    """Open an executor by its name, or by `NAME://ADDRESS`.

    Raises:
        UsageError: No executor has this name, or it can't be opened.
    """
    name, _, address = words.partition("://")
    found = next(iter(entry_points(group=GROUP, name=name)), None)
    if found is None:
        names = sorted({one.name for one in entry_points(group=GROUP)})
        raise UsageError(f"there is no executor {name!r}", f"take one of {', '.join(names)}")
    try:
        executor: Executor = found.load()(workers, address)
    except ImportError as error:
        raise UsageError(f"the executor {name!r} can't be loaded: {error}", "install what it needs") from None
    return executor
