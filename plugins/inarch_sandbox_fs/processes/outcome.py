"""What came of a command: from the supervisor's report to `Ran`, or to a failure that says why it was not started."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Sequence
from typing import Any

from inarch import Ran, ToolFailed
from inarch_sandbox_fs.processes.output import MOST_OUTPUT, Captured


def require_started(report: dict[str, Any], commands: Sequence[Sequence[str]]) -> None:
    """Refuse a report that says that nothing ran.

    Raises:
        ToolFailed: With the reason.
    """
    if "failed" not in report:
        return
    name, code, text = commands[report["program"]][0], report["errno"], report["failed"]
    if not text.startswith("execve"):
        raise ToolFailed("execution", f"{name} was not started: {text}")
    if code == errno.ENOENT:
        raise ToolFailed("not_found", f"{name} can't be started: there is no interpreter as its first line names")
    if code == errno.E2BIG:
        raise ToolFailed("validation", f"the arguments of {name} are too long", "give fewer of them")
    if code == errno.ENOEXEC:
        raise ToolFailed("validation", f"{name} is no program of this system", "give it a first line with #!")
    raise ToolFailed("permission", f"{name} can't be started: {os.strerror(code).lower()}")


def failing(ended: Sequence[tuple[int | None, int]]) -> int:
    """Return which program says what a pipeline ended with: the last one that failed, the last of all if none did.

    One that was killed because nobody reads what it writes has not failed.
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
