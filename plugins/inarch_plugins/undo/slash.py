"""`/diff`, `/undo`, `/redo`, `/rewind` and `/retry`: show, revert and reapply the changes of turns, or retry one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from textwrap import wrap

from inarch import SlashContext, UndoReport, UsageError, escape
from inarch_plugins.undo.report import changed_paths, report_lines, turn_lines

MOST_PATHS = 3
"""Most files of a turn that are named."""


async def undo(words: str, context: SlashContext) -> str:
    """Revert changes and list them.

    Raises:
        UsageError: There is nothing to undo, or no turn or call with this name.
    """
    return _lines(await _to_its_end(context.extension("undo").undo, words), context)


async def redo(words: str, context: SlashContext) -> str:
    """Reapply undone changes and list them.

    Raises:
        UsageError: There is nothing to redo, or no turn or call with this name.
    """
    return _lines(await _to_its_end(context.extension("undo").redo, words), context)


async def diff(words: str, context: SlashContext) -> str:
    """Return the file changes of the session, or of one turn or call.

    Raises:
        UsageError: No turn or call has this name.
    """
    from inarch_plugins.undo.session_patch import diff_lines

    undoing = context.extension("undo")
    files = await asyncio.to_thread(undoing.changed, words)
    if not files:
        return "all its file changes are undone" if words else "this session has changed no files"
    return "\n".join(escape(line, keep_newlines=False) for line in diff_lines(files))


async def rewind(words: str, context: SlashContext) -> str:
    """Revert the changes of a turn and of all later ones, or list the turns.

    Raises:
        UsageError: No turn has this name.
    """
    undoing = context.extension("undo")
    if words:
        return _lines(await _to_its_end(undoing.rewind, words), context)
    found = await asyncio.to_thread(undoing.checkpoints)
    lines = [escape(line, keep_newlines=False) for line in turn_lines(found, context.columns)]
    if not lines:
        return "no turn has changed files"
    return "\n".join([*lines, *wrap("/rewind TURN undoes that turn and all later ones", context.columns)])


async def retry(words: str, context: SlashContext) -> str:
    """Run the last prompt again, and report what happens to its changes.

    Raises:
        UsageError: There is no prompt yet, or the words are invalid.
    """
    if words not in ("", "undo"):
        raise UsageError(f"/retry: unknown argument {words!r}", "use /retry, or /retry undo to undo the turn first")
    prompt, paths = context.extension("undo").last()
    if not prompt:
        raise UsageError("there is no prompt to run again", "ask something first")
    said = await undo("", context) if words else _standing(paths)
    task = asyncio.current_task()
    if task is None or not task.cancelling():
        context.submit(prompt)
    return said


def turns(words: str, context: SlashContext) -> list[tuple[str, str]]:
    """Complete the first word with the numbers of the turns that changed files."""
    known = context.extension("undo").checkpoints().turns if " " not in words else ()
    return [(str(one.number), one.prompt.strip().partition("\n")[0]) for one in known if one.number]


def rewinding(words: str, context: SlashContext) -> list[tuple[str, str]]:
    """Complete with the turns that can be rewound, the latest first, with prompts and changes."""
    found = context.extension("undo").checkpoints()
    rows = list[tuple[str, str]]()
    stands = False
    for one in reversed(found.turns if " " not in words else ()):
        calls = found.standing(one)
        stands = stands or bool(calls)
        if one.number and stands:
            paths = sorted(changed_paths(data for call in calls for data in one.calls[call]))
            more = f" and {len(paths) - MOST_PATHS} more" if len(paths) > MOST_PATHS else ""
            changed = f"{', '.join(paths[:MOST_PATHS])}{more}" or "nothing changed"
            rows.append((str(one.number), f"{one.prompt.strip().partition(chr(10))[0]} ({changed})"))
    return rows


def retrying(words: str, context: SlashContext) -> list[tuple[str, str]]:
    """Complete the words of `/retry`."""
    return [] if " " in words else [("undo", "undo the last turn first")]


async def _to_its_end(doing: Callable[[str], UndoReport], words: str) -> UndoReport:
    """Run it in a thread, which a cancel cannot end, so that the result for the files is always reported."""
    work = asyncio.ensure_future(asyncio.to_thread(doing, words))
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            pass
    return work.result()


def _lines(report: UndoReport, context: SlashContext) -> str:
    return "\n".join(escape(line) for line in report_lines(report, context.columns))


def _standing(paths: list[str]) -> str:
    if not paths:
        return ""
    return escape(f"its changes stay: {', '.join(paths)} (/retry undo undoes them first)", keep_newlines=False)
