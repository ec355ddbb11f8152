"""Daemon threads for synchronous tools: started on demand, kept, and never waited for at exit.

`concurrent.futures` joins its threads when the interpreter ends, so one stuck tool would hold up the exit.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, NamedTuple

from attrs import define, field, frozen

from inarch.contract.errors import InarchError, PluginError

MOST = 64
"""Synchronous tools that run at once; an abandoned one no longer counts."""


class Outcome(NamedTuple):
    """What foreign code came to: a value, or the error it raised. Never an exception nobody looks at."""

    value: Any = None
    error: BaseException | None = None


@frozen(eq=False, repr=False)
class _Job:
    function: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Outcome]

    def run(self) -> None:
        outcome = Outcome(error=PluginError("the thread of the tool ended"))
        try:
            outcome = Outcome(self.function())
        except (InarchError, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            outcome = Outcome(error=error)
        finally:
            try:
                self.loop.call_soon_threadsafe(self._settle, outcome)
            except RuntimeError:
                pass  # the loop is closed: nobody waits any more

    def _settle(self, outcome: Outcome) -> None:
        if not self.future.done():
            self.future.set_result(outcome)


@define(eq=False, repr=False)
class Threads:
    """A growing set of daemon threads; how many run at once is up to the caller."""

    started: int = field(init=False, default=0)
    _idle: int = field(init=False, default=0)
    _jobs: SimpleQueue[_Job] = field(init=False, factory=SimpleQueue)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def submit(self, function: Callable[[], Any]) -> asyncio.Future[Outcome]:
        """Run a function in a thread; the future belongs to the running loop.

        The function may raise `InarchError`s, `SystemExit` and `KeyboardInterrupt`: give it through `guarded`.
        """
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        job = _Job(lambda: context.run(function), loop, loop.create_future())
        with self._lock:
            wanted = self._idle == 0
            if wanted:
                self.started += 1
            else:
                self._idle -= 1
        self._jobs.put(job)
        if wanted:
            threading.Thread(target=self._work, name=f"inarch-tool-{self.started}", daemon=True).start()
        return job.future

    def _work(self) -> None:
        while True:
            self._jobs.get().run()
            with self._lock:
                self._idle += 1


THREADS = Threads()
"""The process's threads."""
