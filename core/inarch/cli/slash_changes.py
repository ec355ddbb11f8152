"""`/undo`, `/redo` and `/retry`: what turns changed, taken back, put on again, or tried once more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from inarch.cli.terminal import escape
from inarch.contract.errors import UsageError
from inarch.journal.snapshots import scan

if TYPE_CHECKING:
    from inarch.cli.slash_talk import Talk
    from inarch.sessions.undo.report import UndoReport


async def undo(talk: Talk, words: str) -> str:
    """Take changes back and return which.

    Raises:
        UsageError: There is nothing to undo, or nothing of this name.
    """
    return _told(await _to_its_end(talk.session.undo, words), talk)


async def redo(talk: Talk, words: str) -> str:
    """Put changes on again that were undone, and return which.

    Raises:
        UsageError: There is nothing to redo, or nothing of this name.
    """
    return _told(await _to_its_end(talk.session.redo, words), talk)


async def retry(talk: Talk, words: str) -> str:
    """Have the last prompt run again and return what becomes of its changes.

    Raises:
        UsageError: There is no prompt yet, or the words mean nothing.
    """
    if words not in ("", "undo"):
        raise UsageError(f"/retry {words}: not known", "/retry, or /retry undo to take the turn's changes back first")
    prompt = last_prompt(talk)
    if not prompt:
        raise UsageError("there is no prompt to run again", "ask something first")
    said = await undo(talk, "") if words else _standing(talk)
    task = asyncio.current_task()
    if task is None or not task.cancelling():
        talk.next_prompts.append(prompt)
    return said


async def _to_its_end(doing: Callable[[str], UndoReport], words: str) -> UndoReport:
    """Do it in a thread, which no cancel can end: what became of the files is told in any case."""
    work = asyncio.ensure_future(asyncio.to_thread(doing, words))
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            pass
    return work.result()


def _told(report: UndoReport, talk: Talk) -> str:
    from inarch.sessions.undo.report import report_lines

    return "\n".join(escape(line) for line in report_lines(report, talk.columns()))


def last_prompt(talk: Talk) -> str:
    """Return the session's last prompt, "" where it has none."""
    from inarch.sessions.contents import contents_of

    journal = talk.session.conversation.journal
    for chapter in reversed(contents_of(journal.store, journal.session_id).chapters):
        event = next(scan(journal.store, journal.session_id, chapter.first - 1), None)
        turn = event.data.get("turn") or {} if event is not None and event.kind == "turn.started" else {}
        if turn.get("type") == "user":
            return str(turn.get("content", ""))
    return ""


def _standing(talk: Talk) -> str:
    """Return which files the last turn changed, unless that was taken back."""
    from inarch.sessions.contents import last_part

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
