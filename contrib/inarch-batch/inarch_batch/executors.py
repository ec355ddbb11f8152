"""Executors (PEP 3148) for the workers of a batch; others come by the entry points `inarch_batch.executors`."""

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
    """Workers can't be reached now; the coordinator tries again."""


class Threads(ThreadPoolExecutor):
    """Workers in this process: the least to start, and they end with it."""

    def __init__(self, workers: int, address: str = "") -> None:
        super().__init__(workers, thread_name_prefix="batch")


class Processes(Executor):
    """Workers that are processes, each a pool of its own: one that is killed takes no other with it."""

    def __init__(self, workers: int, address: str = "") -> None:
        self._pools = [_pool() for _ in range(workers)]
        self._futures: list[Future[Any] | None] = [None] * workers

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have an idle worker call a function; one that has died is replaced."""
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
        """Let the workers end."""
        for pool in self._pools:
            pool.shutdown(wait, cancel_futures=cancel_futures)


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, get_context("spawn"), _begin_worker)


def _begin_worker() -> None:
    """Leave Ctrl-C to the coordinator, and end with it however it ends: nobody would take the result."""
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
        UsageError: There is none of this name, or it can't be opened.
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
