"""Coloured diff of an edit, from the arguments and the result of its call, with line numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from inarch import escape
from inarch_plugins.terminal.rendering.colors import TAB, Ink

Data = Mapping[str, Any]
MOST_LINES = 12
CONTEXT = 1
"""Unchanged lines shown around a change."""
_TOO_LONG = 2_000
"""Longer texts are not compared, except for their common beginning and end."""


@frozen
class DiffLine:
    """A line of a diff: `sign` is +, - or a space; `number` is 0 if unknown."""

    sign: str
    number: int
    text: str


def edit_lines(arguments: Data, data: Any = None) -> list[DiffLine]:
    """Return the diff of a call, from its arguments and its result; empty if the call is not an edit."""
    texts = {key for key, value in arguments.items() if isinstance(value, str)}
    if {"file_path", "search", "replace"} <= texts:
        line = data.get("line") if isinstance(data, Mapping) else None
        first = line if isinstance(line, int) else 0
        return list(_compared(arguments["search"], arguments["replace"], first))
    created = isinstance(data, Mapping) and data.get("note") == "created"
    if created and {"file_path", "content"} <= texts:
        lines = arguments["content"].splitlines()
        return [DiffLine("+", number, text) for number, text in enumerate(lines, 1)]
    return []


def changed_words(lines: list[DiffLine], ink: Ink) -> str:
    """Return the numbers of added and removed lines."""
    added = sum(line.sign == "+" for line in lines)
    gone = sum(line.sign == "-" for line in lines)
    return f"+{added}" + (f" {ink.sign('minus')}{gone}" if gone else "")


def draw_diff(lines: list[DiffLine], columns: int, ink: Ink, most: int = MOST_LINES) -> Iterator[str]:
    """Yield the lines of a diff, none wider than `columns`; a long one is cut, with the number of remaining lines."""
    shown = lines if len(lines) <= most else lines[: most - 1]
    digits = len(str(max((line.number for line in shown), default=0)))
    for line in shown:
        number = f"{line.number:>{digits}} " if line.number and columns >= 30 else ""
        text = escape(line.text.expandtabs(TAB), keep_newlines=False)
        text = ink.cut(text if ink.glyphs else ink.plain(text), max(1, columns - len(number) - 2))
        style = {"+": "green", "-": "red"}.get(line.sign, "dim")
        yield ink.paint(number, "dim") + ink.paint(f"{line.sign} {text}".rstrip(), style)
    if len(lines) > len(shown):
        yield ink.paint(ink.cut(f"+{len(lines) - len(shown):,} more lines", columns), "dim")


def _compared(old: str, new: str, first: int) -> Iterator[DiffLine]:
    before, after = old.splitlines(), new.splitlines()
    if len(before) + len(after) > _TOO_LONG:
        yield from (DiffLine("-", first and first + place, text) for place, text in enumerate(before))
        yield from (DiffLine("+", first and first + place, text) for place, text in enumerate(after))
        return
    from difflib import SequenceMatcher

    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(CONTEXT):
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                for place in range(new_start, new_end):
                    yield DiffLine(" ", first and first + place, after[place])
                continue
            for place in range(old_start, old_end):
                yield DiffLine("-", first and first + place, before[place])
            for place in range(new_start, new_end):
                yield DiffLine("+", first and first + place, after[place])
