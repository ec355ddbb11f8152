"""Background programs, each with its own loopback and a thread that watches it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from attrs import define, field

from inarch import Piped, Ran, ToolFailed
from inarch_plugins.sandbox_fs.processes.confinement_plan import Manner
from inarch_plugins.sandbox_fs.processes.networks import Network
from inarch_plugins.sandbox_fs.processes.output import Ring

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.processes.command_watch import Watch

MOST = 20
"""Maximum number of programs in the background."""
LONGEST_S = 7 * 24 * 3600.0
_STOP_S = 40.0  # more than the supervisor needs to kill everything


@define(eq=False, repr=False)
class Running:
    """A program, or the programs of a pipe, from start to end; any thread may call its methods."""

    id: str
    words: str
    network: Network = field(factory=Network)
    output: Ring = field(factory=Ring)
    changed: threading.Condition = field(factory=threading.Condition)
    began: float = field(init=False, factory=time.monotonic)
    is_over: bool = field(init=False, default=False)
    is_stopped: bool = field(init=False, default=False)
    ran: Ran | None = field(init=False, default=None)
    failed: ToolFailed | None = field(init=False, default=None)
    _watch: Watch | None = field(init=False, default=None)

    def hear(self, piece: bytes) -> None:
        """Take a piece of its output."""
        with self.changed:
            self.output.add(piece)
            self.changed.notify_all()

    def begun(self, watch: Watch) -> None:
        """Record that it was started."""
        with self.changed:
            self._watch = watch
            self.changed.notify_all()
            if self.is_stopped:
                watch.stop()

    def go(self, run: Callable[[], Ran], on_end: Callable[[], object]) -> None:
        """Run it to its end."""
        self.failed = ToolFailed("unknown_outcome", "Inarch itself failed to watch over it")
        try:
            self.ran, self.failed = run(), None
        except ToolFailed as error:
            self.failed = error
        finally:
            self.network.close()
            try:
                on_end()
            finally:
                with self.changed:
                    self.is_over = True
                    self.changed.notify_all()

    def wait_until_begun(self) -> None:
        """Wait until it was started."""
        with self.changed:
            self.changed.wait_for(lambda: self._watch is not None or self.is_over)
            if self._watch is None and self.failed is not None:
                raise self.failed

    @property
    def has_begun(self) -> bool:
        """Return whether it was started."""
        return self._watch is not None

    def stop(self) -> None:
        """Kill all of it; it ends a moment later."""
        with self.changed:
            if not self.is_over:
                self.is_stopped = True
                if self._watch is not None:
                    self._watch.stop()

    def wait_until_over(self) -> bool:
        """Wait until no process of it is left; return whether that happened in time."""
        with self.changed:
            return self.changed.wait_for(lambda: self.is_over, _STOP_S)


@define(eq=False, repr=False)
class Background:
    """Background programs of one workspace."""

    run: Callable[[Sequence[Piped], Manner], Ran]
    _running: dict[str, Running] = field(factory=dict)
    _started: int = 0
    _lock: threading.Lock = field(factory=threading.Lock)

    def start(self, parts: Sequence[Piped], *, cwd: str, words: str, on_end: Callable[[], object]) -> Running:
        """Start a program or pipe; `on_end` is called when no process of it is left, but not if this raises."""
        with self._lock:
            if len(self._running) >= MOST:
                raise ToolFailed(
                    "conflict", f"{MOST} processes are running, which is the most: {', '.join(self._running)}",
                    "stop one that is not needed with stop_process first",
                )  # fmt: skip
            self._started += 1
            process = self._running[f"p{self._started}"] = Running(f"p{self._started}", words)
        manner = Manner(cwd, timeout_s=LONGEST_S, merged=True, on_output=process.hear, running=process)
        run = partial(self.run, parts, manner)

        def ended() -> None:
            with self._lock:
                del self._running[process.id]
            if process.has_begun:  # the exception tells the caller of a program that never started
                on_end()

        threading.Thread(target=process.go, args=(run, ended), name=f"inarch-{process.id}", daemon=True).start()
        process.wait_until_begun()
        return process

    def find(self, process_id: str) -> Running:
        """Return a running program."""
        with self._lock:
            found = self._running.get(process_id)
        if found is None:
            there = ", ".join(self._running) or "none"
            raise ToolFailed(
                "not_found",
                f"no process {process_id[:40]!r} is running; running: {there}",
                "start it with start_process",
            )
        return found
