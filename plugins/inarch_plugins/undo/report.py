"""Text output for undo, redo and the list of turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from inarch import shorten

if TYPE_CHECKING:
    from inarch import UndoReport
    from inarch_plugins.undo.checkpoints import Checkpoints

_SIGNS = {"made": "+", "removed": "-", "changed": "~", "merged": "~", "mode": "~", "left": "!"}


def report_lines(report: UndoReport, columns: int) -> Iterator[str]:
    """Yield a report's lines, none wider than `columns`. Tabs and control characters are not escaped."""
    for line in _lines(report):
        while len(line) > max(columns, 10):
            cut = line.rfind(" ", 10, columns)
            cut = cut if cut > 0 else columns
            yield line[:cut]
            line = f"    {line[cut:].lstrip()}"
        yield line


def _lines(report: UndoReport) -> Iterator[str]:
    if not report.done and (not report.what or not (report.files or report.conflicts)):
        stands = {"undo": "is already undone", "redo": "is not undone"}[report.action]
        yield from (f"{what} {stands}" for what in report.what)
        if not report.what:
            yield "; ".join((f"there is nothing to {report.action}", *report.notes))
        return
    done = {"undo": "undone", "redo": "redone"}[report.action]
    begin = done if report.done else "not changed" if report.conflicts else f"would be {done}"
    yield from (f"{begin}: {what}" for what in report.what)
    for conflict in report.conflicts:
        yield f"conflict in {conflict.path}:" if conflict.path else "conflict:"
        yield from (f"  {line}" for line in conflict.text.split("\n"))
    for file in () if report.conflicts else report.files:
        word = "mode changed" if file.action == "mode" else file.action
        word = "merged with later changes" if word == "merged" else word
        yield f"  {_SIGNS.get(file.action, ' ')} {file.path}: {word}{f' ({file.note})' if file.note else ''}"
    yield from (f"note: {note}" for note in report.notes)


def turn_lines(found: Checkpoints, columns: int) -> Iterator[str]:
    """Yield a line for each turn that changed files, the latest last: number, prompt, number of files."""
    for checkpoint in found.turns:
        paths = changed_paths(data for changes in checkpoint.calls.values() for data in changes)
        if not paths or not checkpoint.number:
            continue
        state = "" if found.standing(checkpoint) else ", undone"
        end = f"  ({len(paths)} file{'s' if len(paths) > 1 else ''}{state})"
        yield f"{shorten(f'{checkpoint.number:>3}  ' + ' '.join(checkpoint.prompt.split()), columns - len(end))}{end}"


def changed_paths(changes: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the paths of changed files, without folders."""
    return {str(data.get("new_path") or data["path"]) for data in changes if data.get("before") or data.get("after")}


def checkpoint_lines(found: Checkpoints, columns: int, most: int | None = None) -> Iterator[str]:
    """Yield a line for each turn that changed files, the latest first, and one for each of its calls.

    If there are more than `most` turns, only the latest are shown, and a last line gives the total.
    """
    undone = found.undone_calls
    listed = [checkpoint for checkpoint in reversed(found.turns) if checkpoint.calls]
    for checkpoint in listed[:most]:
        named = (
            f"turn {checkpoint.number}  {' '.join(checkpoint.prompt.split())}" if checkpoint.number else "your command"
        )
        yield named[:columns]
        for call_id, changes in checkpoint.calls.items():
            paths = list(dict.fromkeys(str(data.get("new_path") or data["path"]) for data in changes))
            more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
            state = "  (undone)" if call_id in undone else ""
            yield f"  {call_id}  {checkpoint.names.get(call_id, '')}{state}"[:columns]
            yield f"    {', '.join(paths[:3])}{more}"[:columns]
    if most is not None and len(listed) > most:
        yield f"… {len(listed) - most:,} earlier turns also changed files: --all lists them"[:columns]
