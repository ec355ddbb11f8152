"""Inarch's side of one running command: its input, its output, and stopping it at a limit."""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from attrs import define, field

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.processes import wire
from inarch_plugins.sandbox_fs.processes.output import Captured


@define(eq=False, repr=False)
class Pipes:
    """Descriptors of one command: its own three, and Inarch's ends of them."""

    theirs: list[int] = field(factory=list)
    outputs: list[int] = field(factory=list)
    feeding: int | None = None

    @classmethod
    def open(cls, fed: bool, merged: bool) -> Pipes:
        """Make the pipes of a command, whose errors go where its output goes if `merged`."""
        pipes = cls()
        try:
            if fed:
                readable, pipes.feeding = os.pipe()
            else:
                readable = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            pipes.theirs.append(readable)
            for _ in range(1 if merged else 2):
                readable, writable = os.pipe()
                pipes.outputs.append(readable)
                pipes.theirs.append(writable)
            if merged:
                pipes.theirs.append(os.dup(pipes.theirs[-1]))
        except OSError as error:
            pipes.close()
            raise ToolFailed("execution", f"no pipe can be made: {error.strerror}", "close something") from None
        return pipes

    def close_theirs(self) -> None:
        """Close the command's ends; the command has copies."""
        while self.theirs:
            os.close(self.theirs.pop())

    def close(self) -> None:
        """Close both ends."""
        self.close_theirs()
        for descriptor in (*self.outputs, *((self.feeding,) if self.feeding is not None else ())):
            os.close(descriptor)


_PIECE = 1 << 16
_MOST_IN_PIPE = 2 << 20  # twice what any user but root may set for a pipe
_LOOK_MS = 40  # how often `cancelled` is checked
_GRACE_S = 30.0  # what the supervisor may need to kill everything, with its share of time beside a fork bomb


@define(eq=False, repr=False)
class Watch:
    """One command from its start to the report that none of its processes is left."""

    control: socket.socket
    supervisor: int
    outputs: dict[int, Captured]
    feeding: int | None
    """Descriptor of its standard input, None if it has none."""
    stdin: memoryview
    deadline: float
    on_output: Callable[[bytes], None] | None
    cancelled: threading.Event | None
    stopped: bool = False
    too_much: bool = False
    over: bool = False
    _poller: select.poll = field(init=False, factory=lambda: select.poll())

    def __attrs_post_init__(self) -> None:
        for descriptor in self.outputs:
            os.set_blocking(descriptor, False)
            self._poller.register(descriptor, select.POLLIN)
        if self.feeding is not None:
            os.set_blocking(self.feeding, False)
            self._poller.register(self.feeding, select.POLLOUT)
        self._poller.register(self.control, select.POLLIN)

    def until_done(self) -> dict[str, Any]:
        """Return the supervisor's report; in any case no process of the command is left."""
        try:
            return self._until_report()
        finally:
            if not self.over:
                self.stop()
                self.on_output = None
                self._until_report()

    def stop(self) -> None:
        """Have everything killed; the report still comes."""
        if not self.stopped:
            self.stopped = True
            self.deadline = min(self.deadline, time.monotonic())
            try:
                self.control.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def close(self) -> None:
        """Close every descriptor."""
        self.control.close()
        for descriptor in self.outputs:
            os.close(descriptor)
        self._stop_feeding()

    def _until_report(self) -> dict[str, Any]:
        control = self.control.fileno()
        while True:
            if self.cancelled is not None and self.cancelled.is_set():
                self.stop()
            ready = [descriptor for descriptor, _ in self._poller.poll(self._patience())]
            for descriptor in ready:
                if descriptor == self.feeding:
                    self._feed()
                elif descriptor != control:
                    self._read(descriptor)
            if control in ready:
                return self._report()
            if time.monotonic() > self.deadline + _GRACE_S:
                self._give_up()

    def _patience(self) -> int:
        remaining = self.deadline + _GRACE_S - time.monotonic()
        most = 60_000 if self.cancelled is None or self.stopped else _LOOK_MS
        return max(min(int(remaining * 1000) + 1, most), 0)

    def _report(self) -> dict[str, Any]:
        self.over = True
        report = wire.receive(self.control)
        if report is None:
            raise ToolFailed(
                "unknown_outcome", "the process that watched over the program was killed, and the program with it",
                "look at what it has changed before running it again",
            )  # fmt: skip
        for descriptor in self.outputs:
            # No process of the command writes any more; what a pipe holds is all there will be.
            for _ in range(_MOST_IN_PIPE // _PIECE):
                if not self._read(descriptor):
                    break
        return report

    def _read(self, descriptor: int) -> bool:
        """Read a piece of output; return False if there is none now."""
        try:
            piece = os.read(descriptor, _PIECE)
        except BlockingIOError:
            return False
        if not piece:
            self._forget(descriptor)
            return False
        captured = self.outputs[descriptor]
        captured.add(piece)
        if captured.is_too_much:
            self.too_much = True
            self.stop()
        if self.on_output is not None and not self.stopped:
            self.on_output(piece)
        return True

    def _forget(self, descriptor: int) -> None:
        try:
            self._poller.unregister(descriptor)
        except KeyError:
            pass  # its end was seen before

    def _feed(self) -> None:
        assert self.feeding is not None
        try:
            self.stdin = self.stdin[os.write(self.feeding, self.stdin[:_PIECE]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.stdin = self.stdin[:0]  # it does not want to read more
        if not self.stdin:
            self._stop_feeding()

    def _stop_feeding(self) -> None:
        if self.feeding is not None:
            self._forget(self.feeding)
            os.close(self.feeding)
            self.feeding = None

    def _give_up(self) -> None:
        """Kill a supervisor that does not answer; the fork server then kills what it leaves behind."""
        self.over = True
        try:
            os.kill(self.supervisor, signal.SIGKILL)
        except OSError:
            pass
        raise ToolFailed("timeout", f"the program had not ended {_GRACE_S:g} s after it was to be killed")
