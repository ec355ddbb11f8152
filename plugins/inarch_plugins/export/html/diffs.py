"""Changes of texts as diffs: side by side if there is room, otherwise one below the other.

Each line appears once in the page. In two columns, the style repeats an unchanged line from `data-line` for the eye
only: screen readers and copies have it once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from attrs import evolve, frozen

from inarch_lib.output.code_pieces import language_of
from inarch_plugins.export.html.code import code_lines
from inarch_plugins.export.html.tags import Html, join, tag
from inarch_plugins.export.words import cut

MOST_COMPARED = 600
"""Lines of a text above which both are shown one after the other: comparing may take quadratic time."""
CONTEXT = 3
"""Unchanged lines shown around a change of a whole file."""
PATCHING = ("search", "replace")
WRITING = ("content",)


@frozen
class _Line:
    mark: str
    text: str
    old: int = 0
    new: int = 0
    code: Html | None = None


def shown_as_diff(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the arguments that `diff` shows; none if there is nothing to show."""
    if not isinstance(arguments.get("file_path"), str):
        return ()
    if all(isinstance(arguments.get(key), str) for key in PATCHING):
        return PATCHING
    if all(isinstance(arguments.get(key), str) for key in WRITING):
        return WRITING
    return ()


def diff(arguments: Mapping[str, Any], names: tuple[str, ...]) -> Html:
    """Return the arguments from `shown_as_diff` as a diff; the file's own bytes are not exported."""
    old, new = (arguments["search"], arguments["replace"]) if names == PATCHING else ("", arguments["content"])
    return _shown(old, new, arguments["file_path"], whole=False)


def file_diff(old: str, new: str, path: str = "") -> Html:
    """Return the change of a whole file, with line numbers; unchanged lines far from a change are counted."""
    return _shown(old, new, path, whole=True)


def _shown(old: str, new: str, path: str, *, whole: bool) -> Html:
    (before, before_left), (after, after_left) = cut(old), cut(new)
    lines = list(_coloured(before, after, language_of(path)))
    has_numbers = whole and not before_left and not after_left
    rows = join(_near_changes(lines) if has_numbers else _hunks(lines))
    told = [tag("p", left, class_="left-out") for left in (before_left, after_left) if left]
    kind = " ".join(filter(None, ("diff", "numbered" if has_numbers else "", "" if before else "only-new")))
    return join([tag("pre", tag("code", rows), class_=kind), *told])


def _coloured(old: str, new: str, language: str) -> Iterator[_Line]:
    """Yield the marked lines with the colours of their language."""
    before, after = old.splitlines(), new.splitlines()
    olds, news = code_lines(old, language), code_lines(new, language)
    for line in _marked(before, after):
        rows, at = (news, line.new) if line.new else (olds, line.old)
        yield evolve(line, code=rows[at - 1]) if at <= len(rows) else line


def _marked(old: list[str], new: list[str]) -> Iterator[_Line]:
    if not old or max(len(old), len(new)) > MOST_COMPARED:
        yield from (_Line("-", line, at) for at, line in enumerate(old, 1))
        yield from (_Line("+", line, 0, at) for at, line in enumerate(new, 1))
        return
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            yield from (_Line(" ", old[a + at], a + at + 1, c + at + 1) for at in range(b - a))
            continue
        yield from (_Line("-", line, at) for at, line in enumerate(old[a:b], a + 1))
        yield from (_Line("+", line, 0, at) for at, line in enumerate(new[c:d], c + 1))


def _near_changes(lines: list[_Line]) -> Iterator[Html]:
    """Yield the hunks with their context, and the number of lines left out between them."""
    changed = [at for at, line in enumerate(lines) if line.mark != " "]
    shown = {near for at in changed for near in range(at - CONTEXT, at + CONTEXT + 1)}
    left, some = 0, list[_Line]()
    for at, line in enumerate(lines):
        if at in shown:
            if left:
                yield _gap(left)
            left = 0
            some.append(line)
            continue
        yield from _hunks(some, numbered=True)
        some, left = [], left + 1
    yield from _hunks(some, numbered=True)
    if left:
        yield _gap(left)


def _gap(left: int) -> Html:
    return tag("span", f"… {left:,} unchanged\n", class_="gap")


def _hunks(lines: list[_Line], *, numbered: bool = False) -> Iterator[Html]:
    """Yield unchanged lines one by one, and the changes between two of them as one element for columns."""
    some: list[Html] = []
    for line in lines:
        if line.mark != " ":
            some.append(_line(line, numbered))
            continue
        if some:
            yield tag("span", *some, class_="hunk")
            some = []
        yield _line(line, numbered)
    if some:
        yield tag("span", *some, class_="hunk")


def _line(line: _Line, numbered: bool) -> Html:
    name = {"+": "ins", "-": "del"}.get(line.mark, "span")
    again = f" {line.text}" if line.mark == " " else None
    old, new = (f"{at:5}" if at and numbered else None for at in (line.old, line.new))  # as wide as the style's column
    shown = line.text if line.code is None else line.code
    return tag(name, line.mark, shown, "\n", data_line=again, data_old=old, data_new=new)
