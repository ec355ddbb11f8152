"""Workers on other machines, with Dask's scheduler and workers: `--executor dask://HOST:PORT`.

A client reconnects to its scheduler by itself, but some of its earlier futures then never complete. So the batch gives
up a client that lost its connection, with all its futures, and starts their tasks again. Results that workers
finished meanwhile are on disk, so those tasks do not run twice.
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
_AGAIN_S = 2
_LOOK_S = 0.2


class Dask(Executor):
    """A client of a Dask scheduler, which may disappear and return."""

    def __init__(self, workers: int, address: str) -> None:
        for name in [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado"))]:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # the batch reports a lost connection once
        if not address:
            raise UsageError("--executor dask names no scheduler", "write it like dask://127.0.0.1:8786")
        self._address = f"tcp://{address}"
        self._link: _Link | None = None
        try:
            self._connected(_CONNECT_S)
        except WorkersUnreachable as error:
            raise UsageError(f"{error}", "start `dask scheduler` there, and `dask worker`s") from None
        self._check_versions()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Submit a function call to a worker.

        Raises:
            WorkersUnreachable: The scheduler can't be reached now.
        """
        return self._connected(_AGAIN_S).submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect from the scheduler. Its workers keep running."""
        if self._link is not None:
            self._link.give_up()

    def _connected(self, timeout: float) -> _Link:
        if self._link is None or self._link.is_lost:
            connect: Any = Client
            try:
                client = connect(self._address, timeout=timeout, set_as_default=False)
            except (OSError, TimeoutError, ValueError) as error:
                raise WorkersUnreachable(f"the scheduler {self._address} can't be reached: {error}") from None
            self._link = _Link(client)
        return self._link

    def _check_versions(self) -> None:
        """Check that all workers run the same versions as this machine.

        Raises:
            UsageError: A worker runs other versions.
        """
        found = self._connected(_AGAIN_S).client.run(version, on_error="return")
        others = {worker: said for worker, said in found.items() if said != version()}
        if others:
            worker, said = next(iter(others.items()))
            more = f", and {len(others) - 1} more" if len(others) > 1 else ""
            raise UsageError(
                f"the worker {worker} has {said}{more}; here is {version()}", "install the same versions everywhere"
            )


class _Link:
    """A client for the lifetime of its first connection, with its open futures."""

    def __init__(self, client: Any) -> None:
        self.client, self.is_lost = client, False
        self._connection = client.scheduler_comm
        self._open: set[Future[Any]] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._watch, daemon=True).start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        ours: Future[T] = Future()
        with self._lock:
            self._open.add(ours)
        try:
            theirs = self.client.get_executor(pure=False).submit(fn, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - a closing client raises all kinds of errors
            self._drop(ours)
            raise WorkersUnreachable(f"the scheduler is away: {error}") from None
        theirs.add_done_callback(lambda done: self._take(ours, done))
        return ours

    def give_up(self) -> None:
        """Close the client and fail its open futures."""
        self.is_lost = True
        with suppress(Exception):  # the scheduler may be gone
            self.client.close(timeout=_AGAIN_S)
        with self._lock:
            lost = [*self._open]
        for ours in lost:
            if self._drop(ours):
                ours.set_exception(ConnectionError("its scheduler is gone"))

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
        wait = threading.Event().wait
        while not self.is_lost:
            if self.client.status != "running" or self.client.scheduler_comm is not self._connection:
                self.give_up()
            wait(_LOOK_S)
