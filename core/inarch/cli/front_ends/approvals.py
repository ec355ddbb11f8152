"""The question before calls that need a yes: one for a whole batch, read from the terminal."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from typing import Literal, TextIO

from inarch.cli.terminal import escape
from inarch.contract.ports import ApprovalRequest
from inarch.contract.records import Approval

_PREVIEW_LINES = 30


async def ask(batch: Sequence[ApprovalRequest], err: TextIO) -> Sequence[Approval]:
    """Ask until there is an answer that fits; the end of input answers no."""
    whole = False
    _forget_typed()
    while True:
        err.write(question(batch, whole=whole))
        err.flush()
        try:
            line = await _read_line()
        except asyncio.CancelledError:  # what comes next begins on a line of its own
            err.write("\n")
            raise
        if line is None:
            err.write("\n")
            return [_denied(request) for request in batch]
        found = answers(line, batch)
        if isinstance(found, tuple):
            return found
        whole = found == "view"
        if found == "unclear":
            err.write("That is none of the answers.\n")


def question(batch: Sequence[ApprovalRequest], *, whole: bool = False) -> str:
    """Return the question: what would run, why it is asked, what can be answered."""
    lines = [""]
    for number, request in enumerate(batch, 1):
        lead = f"{number}. " if len(batch) > 1 else ""
        lines.append(f"{lead}{request.call.name}: {escape(request.reason or 'needs a yes', keep_newlines=False)}")
        lines += [f"   {line}" for line in _shown(request, whole)]
    if len(batch) == 1:
        choices = "y yes, n no (a reason may follow), a yes to this tool for the session"
    else:
        choices = "y all, n none, numbers (1 3) these, a yes to these tools for the session"
    cut = "" if whole or all(len(_lines(request)) <= _PREVIEW_LINES for request in batch) else ", v view all"
    return "\n".join([*lines, f"Run {'it' if len(batch) == 1 else 'them'}? {choices}{cut} [n] "])


def _lines(request: ApprovalRequest) -> list[str]:
    if request.preview:
        return escape(request.preview).rstrip("\n").split("\n")
    return [
        line
        for name, value in request.call.arguments.items()
        for line in _argument(name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    ]


def _argument(name: str, text: str) -> list[str]:
    first, *rest = escape(text).split("\n")
    label = escape(name, keep_newlines=False)
    return [f"{label} = {first}", *(f"    {line}" for line in rest)]


def _shown(request: ApprovalRequest, whole: bool) -> list[str]:
    lines = _lines(request)
    if whole or len(lines) <= _PREVIEW_LINES:
        return lines
    return [*lines[:_PREVIEW_LINES], f"… {len(lines) - _PREVIEW_LINES} more lines"]


def answers(line: str, batch: Sequence[ApprovalRequest]) -> tuple[Approval, ...] | Literal["view", "unclear"]:
    """Return what an answer means for each call of the batch; no word at all is a no."""
    word, _, rest = line.strip().partition(" ")
    word = word.lower()
    if word in ("", "n", "no", "none"):
        return tuple(_denied(request, rest.strip()) for request in batch)
    if word in ("y", "yes", "all") and not rest:
        return tuple(Approval(request.call.id, "approve") for request in batch)
    if word in ("a", "always") and not rest:
        return tuple(Approval(request.call.id, "approve", scope="tool") for request in batch)
    if word in ("v", "view"):
        return "view"
    numbers = line.replace(",", " ").split()
    if all(text.isascii() and text.isdecimal() and 1 <= int(text) <= len(batch) for text in numbers):
        chosen = {int(text) for text in numbers}
        return tuple(
            Approval(request.call.id, "approve") if number in chosen else _denied(request)
            for number, request in enumerate(batch, 1)
        )
    return "unclear"


def _denied(request: ApprovalRequest, reason: str = "") -> Approval:
    return Approval(request.call.id, "deny", reason=reason)


def _forget_typed() -> None:
    """Drop what was typed before the question stood there: it answers something else."""
    try:
        import termios

        termios.tcflush(0, termios.TCIFLUSH)
    except (ImportError, OSError):
        pass
    except termios.error:
        pass


async def _read_line() -> str | None:
    """Wait for a line from the terminal, None at its end; a cancel leaves nothing waiting."""
    if sys.platform == "win32":
        return await asyncio.to_thread(sys.stdin.readline) or None
    loop = asyncio.get_running_loop()
    line: asyncio.Future[bytes] = loop.create_future()

    def ready() -> None:
        if not line.done():
            line.set_result(os.read(0, 65536))

    loop.add_reader(0, ready)
    try:
        data = await line
    finally:
        loop.remove_reader(0)
    return data.decode("utf-8", "replace") if data else None
