"""Output and results of programs."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Sequence
from typing import Any, NamedTuple

from attrs import define, field

from inarch import Ran, ToolFailed

KEPT = 8 << 20
"""Bytes stored of the beginning of an output, and as many of its end."""
MOST_OUTPUT = 256 << 20
"""Bytes of output after which a command is killed."""


KEPT_RUNNING = 1 << 20
"""Bytes stored of a background program's output; older ones are dropped."""


class Cut(NamedTuple):
    """Piece of output: the offset of its first byte, the offset after its last, and its bytes."""

    start: int
    end: int
    data: bytes


@define(eq=False, repr=False)
class Ring:
    """Buffer of the last bytes added."""

    kept: int = KEPT_RUNNING
    total: int = field(init=False, default=0)
    _data: bytearray = field(init=False, factory=bytearray)

    @property
    def first(self) -> int:
        """Return the offset of the first stored byte."""
        return max(self.total - self.kept, 0)

    def add(self, piece: bytes) -> None:
        """Take a piece of output."""
        self.total += len(piece)
        self._data += piece
        if len(self._data) > 2 * self.kept:
            del self._data[: -self.kept]  # seldom, so that a byte is moved once or twice, not each time

    def read(self, since: int, limit: int) -> Cut:
        """Return at most `limit` bytes from an offset, or from the first stored one."""
        start = min(max(since, self.first), self.total)
        at = len(self._data) - (self.total - start)
        data = bytes(self._data[at : at + limit])
        return Cut(start, start + len(data), data)


@define(eq=False, repr=False)
class Captured:
    """Output of one descriptor; a program that writes more than `most` bytes is killed."""

    kept: int = KEPT
    most: int | None = MOST_OUTPUT
    total: int = 0
    _head: bytearray = field(factory=bytearray)
    _tail: Ring = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._tail = Ring(self.kept)

    def add(self, piece: bytes) -> None:
        """Take a piece of output."""
        self.total += len(piece)
        room = self.kept - len(self._head)
        self._head += piece[:room]
        self._tail.add(piece[room:])

    @property
    def is_too_much(self) -> bool:
        """Return whether the program wrote more than it may."""
        return self.most is not None and self.total > self.most

    @property
    def dropped(self) -> int:
        """Return the bytes of the middle that were dropped."""
        return max(self.total - 2 * self.kept, 0)

    def value(self) -> bytes:
        """Return the stored output, with a line in place of the dropped part."""
        told = f"\n[{self.dropped} bytes left out]\n".encode() if self.dropped else b""
        return bytes(self._head) + told + self._tail.read(0, self.kept).data


def require_started(report: dict[str, Any], commands: Sequence[Sequence[str]]) -> None:
    """Raise for a report that no program ran."""
    if "failed" not in report:
        return
    name, code, text = commands[report["program"]][0], report["errno"], report["failed"]
    if not text.startswith("execve"):
        raise ToolFailed("execution", f"{name} was not started: {text}")
    if code == errno.ENOENT:
        raise ToolFailed(
            "not_found", f"{name} can't be started: its first line names an interpreter that does not exist"
        )
    if code == errno.E2BIG:
        raise ToolFailed("validation", f"the arguments of {name} are too long", "give fewer of them")
    if code == errno.ENOEXEC:
        raise ToolFailed("validation", f"{name} is not a program of this system", "give it a first line with #!")
    raise ToolFailed("permission", f"{name} can't be started: {os.strerror(code).lower()}")


def signal_name(number: int) -> str:
    """Return the name of a signal."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def failing(ended: Sequence[tuple[int | None, int]]) -> int:
    """Return which program determines a pipeline's exit code: the last that failed, else the last of all.

    A program killed because its reader ended has not failed.
    """
    last = len(ended) - 1
    for number in range(last, -1, -1):
        code, killed_by = ended[number]
        unread = number < last and (killed_by == signal.SIGPIPE or code == 128 + signal.SIGPIPE)
        if code != 0 and not unread:
            return number
    return last


def ran(
    commands: Sequence[Sequence[str]], report: dict[str, Any], outputs: tuple[Captured, ...], level: int,
    too_much: bool, notes: tuple[str, ...],
) -> Ran:  # fmt: skip
    """Return the record of a command, or of a pipeline, that ran."""
    dropped = sum(captured.dropped for captured in outputs if captured.most is not None)
    said = [f"{dropped} bytes in the middle of the output were left out"] if dropped else []
    if too_much:
        said.append(f"it was killed: it wrote more than {MOST_OUTPUT >> 20} MiB")
    ended = tuple((one["exit_code"], one["signal"]) for one in report["ended"])
    which = failing(ended)
    return Ran(
        argv=tuple(commands[which]),
        exit_code=ended[which][0],
        output=outputs[0].value(),
        errors=outputs[1].value() if len(outputs) > 1 else b"",
        level=level,
        duration_s=report["duration_s"],
        signal=ended[which][1],
        timed_out=report["timed_out"],
        truncated=bool(dropped),
        notes=(*notes, *said),
        ended=ended if len(ended) > 1 else (),
    )
