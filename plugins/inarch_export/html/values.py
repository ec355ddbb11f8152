"""Arguments and results as a reader wants them: short values in a line, long texts as texts, the rest as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inarch_export.cutting import cut
from inarch_export.html.prose import plain
from inarch_export.html.tags import Html, join, tag
from inarch_export.words import as_json, one_line

LONGEST_WORD = 80
MOST_MEMBERS = 200
_ON_WHAT = ("file_path", "directory", "query", "pattern", "command", "function")


def short(arguments: Mapping[str, Any], longest: int = 100) -> str:
    """Return arguments on one line: the one that says on what as its bare value, long texts as their size."""
    bare = next(iter(arguments), None) if len(arguments) == 1 else next(filter(arguments.__contains__, _ON_WHAT), None)
    words = [_word(arguments[bare])] if bare is not None else []
    words += [f"{name}={_word(value)}" for name, value in arguments.items() if name != bare]
    return one_line(" ".join(words), longest)


def _word(value: Any) -> str:
    if isinstance(value, str):
        lines = value.strip("\n").count("\n") + 1
        return f"({lines} lines)" if lines > 1 else one_line(value, LONGEST_WORD) or '""'
    return one_line(as_json(value), LONGEST_WORD)


def long_text(content: str, class_: str = "") -> Html:
    """Return a text as it is, cut if it is too long for a page, which is said."""
    shown, left = cut(content)
    return join([plain(shown, class_), _told(left)])


def value(content: Any) -> Html:
    """Return any plain data: a mapping as a list of its members."""
    if isinstance(content, Mapping) and content:
        return members(content)
    if isinstance(content, str):
        return long_text(content)
    return long_text(as_json(content, 1))


def members(data: Mapping[str, Any], without: tuple[str, ...] = ()) -> Html:
    """Return the members of a mapping as a list, but for those `without`."""
    shown = [(str(name), item) for name, item in data.items() if name not in without]
    left = len(shown) - MOST_MEMBERS
    rows = join(part for name, item in shown[:MOST_MEMBERS] for part in _member(name, item))
    if not rows:
        return Html()
    return join([tag("dl", rows, class_="members"), _told(f"{left:,} more" if left > 0 else "")])


def _member(name: str, item: Any) -> Iterator[Html]:
    is_text = isinstance(item, str)
    written = item if is_text else as_json(item)
    if len(written) <= LONGEST_WORD and "\n" not in written:
        yield tag("dt", name)
        yield tag("dd", tag("code", written), class_=None if is_text else "number")
        return
    yield tag("dt", name, class_="above")
    yield tag("dd", long_text(item if is_text else as_json(item, 1)), class_="below")


def _told(sentence: str) -> Html:
    return tag("p", sentence, class_="left-out") if sentence else Html()
