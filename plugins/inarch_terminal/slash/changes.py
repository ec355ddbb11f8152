"""`/undo`, `/redo` and `/retry`: what turns changed, taken back, put on again, or tried once more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from inarch import UsageError, escape

if TYPE_CHECKING:
    from inarch_terminal.slash.talk import Talk

T = TypeVar("T")


async def undo(talk: Talk, words: str) -> str:
    """Take changes back and return which.

    Raises:
        UsageError: There is nothing to undo, or nothing of this name.
    """
    from inarch.host import report_lines

    return _told(report_lines(await _to_its_end(talk.session.undo, words), talk.columns()))


async def redo(talk: Talk, words: str) -> str:
    """Put changes on again that were undone, and return which.

    Raises:
        UsageError: There is nothing to redo, or nothing of this name.
    """
    from inarch.host import report_lines

    return _told(report_lines(await _to_its_end(talk.session.redo, words), talk.columns()))


async def retry(talk: Talk, words: str) -> str:
    """Have the last prompt run again and return what becomes of its changes.

    Raises:
        UsageError: There is no prompt yet, or the words mean nothing.
    """
    if words not in ("", "undo"):
        raise UsageError(f"/retry {words}: not known", "/retry, or /retry undo to take the turn's changes back first")
    from inarch.host import last_prompt

    prompt = last_prompt(talk.app.store, talk.session.id)
    if not prompt:
        raise UsageError("there is no prompt to run again", "ask something first")
    said = await undo(talk, "") if words else _standing(talk)
    task = asyncio.current_task()
    if task is None or not task.cancelling():
        talk.next_prompts.append(prompt)
    return said


async def _to_its_end(doing: Callable[[str], T], words: str) -> T:
    """Do it in a thread, which no cancel can end: what became of the files is told in any case."""
    work = asyncio.ensure_future(asyncio.to_thread(doing, words))
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            pass
    return work.result()


def _told(lines: Iterable[str]) -> str:
    return "\n".join(map(escape, lines))


def _standing(talk: Talk) -> str:
    """Return which files the last turn changed, unless that was taken back."""
    from inarch.host import last_part

    talked = talk.session.conversation
    last = talked.turns[-1].id if talked.turns else ""
    paths: dict[str, None] = {}
    is_undone = False
    for event in last_part(talked.journal.store, talk.session.id):
        if event.kind == "file.changed" and event.turn_id == last:
            paths[str(event.data["path"])] = None
        elif event.kind == "changes.undone" and last in (event.data.get("turns") or ()):
            is_undone = event.data.get("action") == "undo"
    if not paths or is_undone:
        return ""
    return escape(f"what it changed stays: {', '.join(paths)} (/retry undo takes that back first)", keep_newlines=False)
