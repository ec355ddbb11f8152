"""Workers on other machines, with Dask's scheduler and workers: `--executor dask://HOST:PORT`.

If the scheduler goes away, the batch ends and goes on when it is run again. Results that workers finished meanwhile are
on disk, so those tasks do not run twice.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

from distributed import Client

from inarch import UsageError
from inarch_batch.executors import WorkersUnreachable
from inarch_batch.task_run import version

P = ParamSpec("P")
T = TypeVar("T")
_CONNECT_S = 10
_CLOSE_S = 2
_LOOK_S = 0.2


class Dask(Executor):
    """A client of a Dask scheduler, for the lifetime of its first connection."""

    def __init__(self, workers: int, address: str) -> None:
        for name in [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado"))]:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # the batch reports a lost connection once
        if not address:
            raise UsageError("--executor dask names no scheduler", "write it like dask://127.0.0.1:8786")
        connect: Any = Client
        try:
            self._client = connect(f"tcp://{address}", timeout=_CONNECT_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise UsageError(
                f"the scheduler tcp://{address} can't be reached: {error}", "start `dask scheduler` there, and workers"
            ) from None
        self._connection = self._client.scheduler_comm
        self._is_lost = False
        self._open: set[Future[Any]] = set()
        self._lock = threading.Lock()
        self._check_versions()
        threading.Thread(target=self._watch, daemon=True).start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Submit a function call to a worker.

        Raises:
            WorkersUnreachable: The scheduler is gone.
        """
        ours: Future[T] = Future()
        try:
            if self._is_lost:
                raise ConnectionError("the connection was lost")
            theirs = self._client.get_executor(pure=False).submit(fn, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - a closing client raises all kinds of errors
            raise WorkersUnreachable(f"the scheduler is gone: {error}") from None
        with self._lock:
            self._open.add(ours)
        theirs.add_done_callback(lambda done: self._take(ours, done))
        return ours

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect from the scheduler, whose workers keep running, and fail open futures."""
        self._is_lost = True
        with suppress(Exception):  # the scheduler may be gone
            self._client.close(timeout=_CLOSE_S)
        for ours in [*self._open]:
            if self._drop(ours):
                ours.set_exception(ConnectionError("its scheduler is gone"))

    def _check_versions(self) -> None:
        found = self._client.run(version, on_error="return")
        others = {worker: said for worker, said in found.items() if said != version()}
        if others:
            worker, said = next(iter(others.items()))
            more = f", and {len(others) - 1} more" if len(others) > 1 else ""
            raise UsageError(
                f"the worker {worker} has {said}{more}; here is {version()}", "install the same versions everywhere"
            )

    def _take(self, ours: Future[Any], done: Future[Any]) -> None:
        if not self._drop(ours):
            return
        error = ConnectionError("it was cancelled") if done.cancelled() else done.exception()
        if error is None:
            ours.set_result(done.result())
        else:
            ours.set_exception(error)

    def _drop(self, ours: Future[Any]) -> bool:
        """Remove a future and return whether it was open. Only the caller that removes it may complete it."""
        with self._lock:
            is_open = ours in self._open
            self._open.discard(ours)
            return is_open

    def _watch(self) -> None:
        """Give the client up once its connection is lost: it reconnects, but earlier futures may never complete."""
        wait = threading.Event().wait
        while self._client.status == "running" and self._client.scheduler_comm is self._connection:
            wait(_LOOK_S)
        self.shutdown()
