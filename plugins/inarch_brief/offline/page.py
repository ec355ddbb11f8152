"""Writing an answer: statements with the place of each one, wrapped for a terminal.

The text reads well as it is, and is valid Markdown: editors and exported pages show lists and code.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from attrs import define, field

KIND = "Offline planner (no language model): answers by extraction."
NOTICE = f"{KIND} Set a key such as OPENAI_API_KEY for a model."
"""The first line of a session's first answer."""
WIDTH = 100
"""The default columns of an answer."""
_LABEL = 36
"""Columns of a label; longer ones exceed their column."""
_GLUE = "\u2060"  # a word joiner keeps the words of a citation together while a line is wrapped

_columns: ContextVar[int] = ContextVar("columns of the answer that is being written", default=WIDTH)


def columns() -> int:
    """Return the columns of the current answer."""
    return _columns.get()


@contextmanager
def written_for(width: int) -> Iterator[None]:
    """Write within the context for this many columns."""
    token = _columns.set(width)
    try:
        yield
    finally:
        _columns.reset(token)


class Place(NamedTuple):
    """A line of a file, counted from 1."""

    path: str
    line: int = 1

    def __str__(self) -> str:
        path = self.path if self.path.isprintable() else self.path.encode("unicode_escape").decode()
        return f"{path}:{max(self.line, 1)}"


def glued(place: Place) -> str:
    """Return a citation that stays on one line."""
    return str(place).replace(" ", _GLUE)


class _Absence(str):
    """A line that says that something is missing, valid only for the searched files."""

    __slots__ = ()


@define(eq=False, repr=False)
class Page:
    """An answer in progress; `declined` if it refuses a requested change."""

    lines: list[str] = field(factory=list)
    declined: bool = False
    _listed: bool = False
    """Whether the last line belongs to a list: an empty line follows before other text."""

    def say(self, text: str, *places: Place) -> None:
        """Add a statement at the margin."""
        self._add("", "  ", text, places)

    def head(self, title: str) -> None:
        """Begin a section."""
        self._begin(False)
        self.lines.append(f"{title}:")

    def item(self, text: str, *places: Place, label: str = "", pad: int = 0, depth: int = 0) -> None:
        """Add a statement of a section, behind a label that is padded to `pad` columns."""
        start = f"{'  ' * depth}- "
        if label:
            start += f"{shortened(label) if '/' in label else label:<{pad}}  "
        self._add(start, " " * (min(len(start), 38) if label else max(4, 2 * depth + 2)), text, places, listed=True)

    def rows(self, rows: Iterable[tuple[str, str, Place]], lines: int = 0) -> None:
        """Add items with labels of one width, each cut to fit into some lines."""
        kept = list(rows)
        pad = max((len(label) for label, _, _ in kept if len(label) <= _LABEL), default=0)
        for label, text, place in kept:
            self.item(fitted(text, place, pad + 4, lines), place, label=label, pad=pad)

    def number(self, number: int, text: str) -> None:
        """Add a numbered statement of a section; it cites its place itself."""
        self._add(f"{number}. ", "   ", text, (), listed=True)

    def inner(self, text: str) -> None:
        """Add a line to a numbered statement."""
        self._add("   ", "   ", text, (), listed=True)

    def code(self, lines: Iterable[str], first: int) -> None:
        """Add unchanged lines of code with their numbers."""
        self.gap()
        self.lines.extend(f"{number:>8}  {line}".rstrip() for number, line in enumerate(lines, first))
        self._listed = True

    def note(self, text: str) -> None:
        """Add a note that is not a statement about the code: a miss, a failure, an omission."""
        self._add("Note: ", "  ", text, ())

    def open_with(self, note: str) -> None:
        """Put a note before everything else."""
        page = Page()
        page.note(note)
        self.lines[:0] = [*page.lines, *([""] if self.lines else [])]

    def plain(self, text: str) -> None:
        """Add text about the planner itself."""
        self._add("", "", text, ())

    def decline(self, text: str) -> None:
        """Write that a change was not made, and why."""
        self.declined = True
        self.plain(text)

    def absent(self, text: str) -> None:
        """Add that something is missing; a failed lookup retracts it."""
        self._begin(False)
        page = Page()
        page.plain(text)
        self.lines.extend(map(_Absence, page.lines))

    def take_back(self, failures: Iterable[str]) -> None:
        """Replace statements about missing things by a note that they are unknown, and why."""
        known = [line for line in self.lines if not isinstance(line, _Absence)]
        if len(known) < len(self.lines):
            self.lines, told = known, one_line(" ".join(known))
            why = "; ".join(one for one in dict.fromkeys(map(one_line, failures)) if one not in told)
            what = "not everything could be looked at, so what is not named may be there all the same"
            self.open_with(f"{what}: {why}" if why else what)

    def gap(self) -> None:
        """Add an empty line, unless there is one."""
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def add(self, page: Page) -> None:
        """Add the lines of another page."""
        if page.lines:
            self.gap()
            self.lines += page.lines
            self._listed = page._listed

    def text(self, *, is_first: bool = True) -> str:
        """Return the whole answer, the notice first if it is the session's first one."""
        body = "\n".join(self.lines).strip("\n")
        return "\n\n".join(filter(None, (NOTICE if is_first or not body else "", body))) + "\n"

    def _begin(self, listed: bool) -> None:
        if self._listed and not listed:
            self.gap()
        self._listed = listed

    def _add(self, start: str, hang: str, text: str, places: Iterable[Place], listed: bool = False) -> None:
        self._begin(listed)
        cited = ", ".join(map(glued, dict.fromkeys(places)))
        whole = " ".join(filter(None, [one_line(text), f"({cited})" if cited else ""]))
        wrapped = textwrap.fill(
            whole, columns(), initial_indent=start, subsequent_indent=hang, break_long_words=False,
            break_on_hyphens=False,
        )  # fmt: skip
        self.lines.extend((wrapped or start.rstrip()).replace(_GLUE, " ").split("\n"))


def one_line(text: str) -> str:
    """Put a text on one line."""
    return re.sub(r"\s+", " ", text).strip()


def cut(text: str, most: int) -> str:
    """Shorten a text to `most` characters at the end of a word, with an ellipsis if something is missing."""
    text = one_line(text)
    if len(text) <= most:
        return text
    head = text[: most - 1]
    kept = (head.rsplit(" ", 1)[0] if " " in head[most // 2 :] else head).rstrip(" ,;:")
    return f"{kept[:-1].rstrip()}…`" if kept.count("`") % 2 == 1 and text.count("`") % 2 == 0 else f"{kept}…"


def code(text: str, most: int = 84) -> str:
    """Return a line as code, cut to `most` characters."""
    return quoted(cut(text.strip(), most))


def quoted(text: str) -> str:
    """Return a text as code."""
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


def shortened(path: str, most: int = 72) -> str:
    """Drop the middle of a path or dotted name of more than `most` characters; never for a citation."""
    return path if len(path) <= most else f"{path[: most // 3]}…{path[most // 3 + 1 - most :]}"


def sentence(text: str, most: int = 220) -> str:
    """Return the first sentence of a text."""
    text = one_line(text)
    found = re.search(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)(?<!\.\.)[.!?](?=\s+[A-Z`:*\"'(\[]|$)", text)
    return cut(text[: found.end()] if found else text, most)


def clause(text: str, most: int) -> str:
    """Return the first sentence of a text or, if that is too long, a sufficient part of it."""
    whole = sentence(text, 10_000)
    if len(whole) <= most:
        return whole
    ends = [found.start() for found in re.finditer(r"[:;] |, (?:that|which|and|or) | \(| [—–-]+ ", whole[: most + 1])]
    return whole[: ends[-1]].rstrip(" ,;:") if ends and ends[-1] >= 24 else cut(whole, most)


def fitted(text: str, place: Place, indent: int, lines: int) -> str:
    """Cut a text so that it takes at most some lines with its citation, 0 for any number."""
    return cut(text, max(room_for(place, indent, lines), 24)) if lines else text


def room_for(place: Place, indent: int, lines: int) -> int:
    """Return how many characters fit into some lines beside a citation without splitting words."""
    return lines * (columns() - indent) - len(str(place)) - 4 - 10 * (lines - 1)


def fitting(names: Iterable[str], room: int, most: int = 8) -> str:
    """List as many names as fit, and the number of the others."""
    kept = list(names)
    return next((text for count in range(most, 0, -1) if len(text := joined(kept, count)) <= room), joined(kept, 1))


def counted(number: int, noun: str, plural: str = "", more: bool = False) -> str:
    """Return a count: `1 file`, `2 files` or, after a partial search, `2 or more files`."""
    return f"{number:,}{' or more' * more} {noun if number == 1 and not more else plural or noun + 's'}"


def joined(names: Iterable[str], most: int = 6) -> str:
    """List at most `most` names, and the number of the others."""
    kept = list(names)
    rest = f", … {len(kept) - most} more" if len(kept) > most else ""
    return ", ".join(kept[:most]) + rest
