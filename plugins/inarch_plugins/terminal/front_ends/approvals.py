"""Approval question for a whole batch of calls, answered by a line from the terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TextIO

from inarch import Approval, ApprovalRequest
from inarch.output import columns_of
from inarch_plugins.terminal.front_ends.answers import answered, denied, edited, only_asks, read_answers, tried
from inarch_plugins.terminal.front_ends.questions import GLANCE, ScreenSize, explained, is_cut, needs_all_seen, question

ASK_WORDS = "Answer (a number or your own words; Enter alone: none): "
UNCLEAR = "That is not an answer; ? lists them.\n"
SEE_FIRST = "Part of it was hidden; this is all of it. Answer again."


async def ask(
    batch: Sequence[ApprovalRequest], err: TextIO, shown: Callable[[Iterable[str]], object] = list
) -> Sequence[Approval]:
    """Ask until every call has an answer; the end of input denies. `shown` takes the calls that were shown whole."""
    settled: dict[str, Approval] = {}
    for one in filter(only_asks, batch):
        _forget_typed()
        settled[one.call.id] = await answered(one, lambda text: _answered(f"{text}\n{ASK_WORDS}", err))
    drafts: dict[str, str] = {}
    whole = was_seen = False
    note: tuple[str, ...] = ()  # printed below the calls
    _forget_typed()
    while left := [request for request in batch if request.call.id not in settled]:
        try:
            size = ScreenSize(os.get_terminal_size(err.fileno()).lines or GLANCE.rows, columns_of(err))
        except (OSError, ValueError):
            size = GLANCE
        was_seen = was_seen or whole or not is_cut(left, size)
        *about, ask = question(left, whole=whole, size=size).split("\n")
        line = await _answered("\n".join([*about, *note, ask]), err)
        note = ()
        if line is None:
            settled.update((request.call.id, denied(request)) for request in left)
            break
        found = read_answers(line, left)
        if found.says_yes and not was_seen and (found.lasts or needs_all_seen(left)):
            whole, note = True, (SEE_FIRST,)
            _forget_typed()
            continue
        if found.says_yes and was_seen:
            shown(request.call.id for request in left)
        whole = found.word == "view"
        if found.word in ("unclear", "help"):
            err.write(UNCLEAR if found.word == "unclear" else explained(left))
        if found.word == "try":
            err.write("\n".join([*await tried(left), ""]))
            _forget_typed()
        settled.update((approval.call_id, approval) for approval in found.approvals)
        settled.update((approval.call_id, approval) for approval in await edited(found, drafts, err))
    return [settled[request.call.id] for request in batch]


async def _answered(text: str, err: TextIO) -> str | None:
    err.write(text)
    err.flush()
    try:
        line = await _read_line()
    except asyncio.CancelledError:  # start the next output on a line of its own
        err.write("\n")
        raise
    if line is None:
        err.write("\n")
    return line


def _forget_typed() -> None:
    """Discard input typed before the question appeared: it was not meant as an answer."""
    try:
        import termios

        termios.tcflush(0, termios.TCIFLUSH)
    except (ImportError, OSError):
        pass
    except termios.error:
        pass


async def _read_line() -> str | None:
    """Return a line from the terminal, None at its end; cancelling leaves no reader behind."""
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
