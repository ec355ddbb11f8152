"""Writing an answer: statements with the place of each one, wrapped for a terminal.

The text reads well as it is, and is valid Markdown: editors and exported pages show lists and code.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import TypeVar

from attrs import define, field

from inarch import PlannedCall, ToolResult
from inarch_brief.offline.results import Context, Hit, Place, Site, Symbol, Way, said

KIND = "Offline planner (no language model): answers by extraction."
NOTICE = f"{KIND} Set a key such as OPENAI_API_KEY for a model."
"""The first line of a session's first answer."""
WIDTH = 100
"""The default columns of an answer."""
_LABEL = 36
"""Columns of a label; longer ones exceed their column."""
_GLUE = "\u2060"  # a word joiner keeps the words of a citation together while a line is wrapped

_NARROWEST, _WIDEST = 40, 400
"""The limits of a requested width, in columns."""

ENVIRON: ContextVar[Mapping[str, str]] = ContextVar("environment of the answer that is being written")


def columns() -> int:
    """Return the width: that of `COLUMNS`, else of the terminal up to 100, or 100 without a terminal."""
    told = ENVIRON.get({}).get("COLUMNS", "")
    if told.isdecimal() and int(told) > 0:
        return min(max(int(told), _NARROWEST), _WIDEST)
    try:
        there = os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else WIDTH
    except (OSError, ValueError):  # no terminal, or closed
        return WIDTH
    return min(max(there - 1, _NARROWEST), WIDTH)


def glued(place: Place) -> str:
    """Return a citation that stays on one line."""
    return str(place).replace(" ", _GLUE)


class _Absence(str):
    """A line that says that something is missing, valid only for the searched files."""

    __slots__ = ()


@define(eq=False, repr=False)
class Page:
    """An answer in progress; `declined` if it refuses a requested change, `is_first` if it is the session's first."""

    lines: list[str] = field(factory=list)
    declined: bool = False
    is_first: bool = True
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

    def text(self) -> str:
        """Return the whole answer, the notice first if it is the session's first one."""
        body = "\n".join(self.lines).strip("\n")
        return "\n\n".join(filter(None, (NOTICE if self.is_first or not body else "", body))) + "\n"

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


T = TypeVar("T")
Asking = Generator[Sequence[PlannedCall], Sequence[ToolResult], T]
"""A generator that yields batches of calls, is sent their results in order, and returns its finding."""
Plan = Asking[Page]


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


_ELEMENT = (
    r"(?<!`)</?(?:a|abbr|b|br|center|code|details|div|em|h[1-6]|hr|i|img|kbd|li|ol|p|pre|span|strong|sub|summary|table|td|th|"
    r"tr|ul)(?:\s[^<>]*)?/?>(?!`)"
)


def plain_text(text: str) -> str:
    """Remove links, images, emphasis and roles from Markdown and reStructuredText."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|(?<=\S) [~=^*-]{4,}(?= |$)", " ", text)
    if not any(sign in text for sign in "[`<*_"):  # most docstrings: skip compiling the patterns below
        return one_line(text)
    text = re.sub(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"(?::[\w:-]+:)?`~?([^`<]+?)\s*<[^`>]*>`_*", r"\1", text)
    text = re.sub(r":[\w:-]+:`~?([^`]+)`|`([^`]+)`_+", lambda found: found[1] or found[2], text)
    text = re.sub(_ELEMENT, " ", text)
    for _ in "12":  # emphasis inside emphasis
        text = re.sub(r"(?<!\w)(\*{1,3})(\S|\S[^*]*\S)\1|(?<!\w)_([^\W_]+)_(?!\w)", r"\2\3", text)
    return one_line(text)


_PARTLY = r"\b\d[\d,]* of [\d,]+ (?:\w+ )?files\b|may not be indexed yet|^only the first [\d,]+ files"
"""A note of a lookup that covered only a part of the code."""


def say_hits(page: Page, title: str, found: Iterable[Hit], most: int) -> bool:
    """Write lines of code below a title. Return False if there are none."""
    shown = list(found)[:most]
    if shown:
        page.head(title)
    for hit in shown:
        page.item(code(hit.text), hit.place)
    return bool(shown)


def doc_of(symbol: Symbol, most: int = 110) -> str:
    """Return the first sentence of a docstring."""
    return "" if symbol.doc.startswith(":") else sentence(plain_text(symbol.doc), most)


def say_definition(page: Page, target: Symbol, most: int = 330) -> None:
    """Write a definition and its docstring."""
    page.say(f"{target.kind} `{shortened(target.qualname)}{cut(target.signature, most // 2)}`", target.place)
    if target.doc:
        page.say(cut(plain_text(target.doc), most), target.place)


def say_sites(page: Page, title: str, sites: Sequence[Site], most: int = 5, more: bool = False) -> None:
    """Write call sites; `more` says that there may be unknown ones."""
    if not sites:
        return
    number = counted(len(sites), "place", more=more)
    page.head(title if len(sites) <= most else f"{title} ({most} of {number if number not in title else 'them'})")
    for site in sites[:most]:
        page.item(shortened(site.qualname) + (f": {code(site.text, 70)}" if site.text else ""), site.place)


def say_note(page: Page, result: ToolResult, without: str = "(?!)", named: bool = False) -> None:
    """Write a lookup's notes. Those on partial coverage come first, unless a name was found."""
    notes = [note for note in said(result).split("; ") if note and not re.match(without, note)]
    partly = [note for note in notes if re.search(_PARTLY, note)]
    if partly and not named:
        page.open_with("; ".join(partly))
    if kept := [note for note in notes if note not in partly]:
        page.note("; ".join(kept))


def say_ways(page: Page, found: Sequence[Way], most: int) -> None:
    """Write the paths from entry points, each call with its place; tests only if there are no others."""
    longer = [way for way in found if len(way.names) > 1]
    own = [way for way in longer if not way.is_test] or longer
    if own:
        page.head("Reached from" if len(own) <= most else f"Reached from ({most} of {counted(len(own), 'way')})")
    for way in own[:most]:
        page.item(f"{way.entry}: {cut(' → '.join(way.names), 220)}", *way.places[:6])


def say_tests(page: Page, found: Sequence[Way], most: int) -> None:
    """Write the tests that reach it."""
    tests = [way for way in found if way.is_test]
    if tests and len(tests) < len(found):
        page.head("Tests that reach it")
    for way in tests[:most] if len(tests) < len(found) else ():
        page.item(cut(" → ".join(way.names), 160), way.places[0])


def say_path(page: Page, found: Context, most: int) -> None:
    """Write the first path call by call, without the middle of a long one, and its files."""
    way, target = found.ways[0], found.target
    steps = [f"`{name}` ({glued(place)})" for name, place in zip(way.names, way.places, strict=True)]
    steps = [*steps[:2], "…", *steps[3 - most :]] if len(steps) > most else steps
    page.inner(f"Entry: {way.entry}")
    for step in steps:
        page.item(step, depth=2)
    places = [*way.places, target.place] if target else list(way.places)
    page.inner(f"Files in this path: {joined(dict.fromkeys(place.path for place in places), 8)}")
