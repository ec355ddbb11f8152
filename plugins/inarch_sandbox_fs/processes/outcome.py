"""What came of a command: from the supervisor's report to `Ran`, or to a failure that says why it was not started."""

from __future__ import annotations

import errno
import os
from typing import Any

from inarch import Ran, ToolFailed
from inarch_sandbox_fs.processes.output import Captured
from inarch_sandbox_fs.processes.watching import MOST_OUTPUT


def require_started(report: dict[str, Any], command: list[str]) -> None:
    """Refuse a report that says that nothing ran.

    Raises:
        ToolFailed: With the reason.
    """
    if "failed" not in report:
        return
    name, code, text = command[0], report["errno"], report["failed"]
    if not text.startswith("execve"):
        raise ToolFailed("execution", f"{name} was not started: {text}")
    if code == errno.ENOENT:
        raise ToolFailed("not_found", f"{name} can't be started: there is no interpreter as its first line names")
    if code == errno.E2BIG:
        raise ToolFailed("validation", f"the arguments of {name} are too long", "give fewer of them")
    if code == errno.ENOEXEC:
        raise ToolFailed("validation", f"{name} is no program of this system", "give it a first line with #!")
    raise ToolFailed("permission", f"{name} can't be started: {os.strerror(code).lower()}")


def ran(
    command: list[str], report: dict[str, Any], outputs: tuple[Captured, ...], level: int, too_much: bool,
    notes: tuple[str, ...],
) -> Ran:  # fmt: skip
    """Return the record of a command that ran."""
    dropped = sum(captured.dropped for captured in outputs)
    said = [f"{dropped} bytes in the middle of the output were left out"] if dropped else []
    if too_much:
        said.append(f"it was killed: it wrote more than {MOST_OUTPUT >> 20} MiB")
    return Ran(
        argv=tuple(command),
        exit_code=report["exit_code"],
        output=outputs[0].value(),
        errors=outputs[1].value() if len(outputs) > 1 else b"",
        level=level,
        duration_s=report["duration_s"],
        signal=report["signal"],
        timed_out=report["timed_out"],
        truncated=bool(dropped),
        notes=(*notes, *said),
    )
