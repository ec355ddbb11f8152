"""Sections of prose: the headings of Markdown, reStructuredText, AsciiDoc or plain text, with the text below each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inarch_brief.search.formats import ASCIIDOC, MARKDOWN

_UNDERLINE = re.compile(r"([=\-~^\"'*+#.:_`])\1{2,}\s*$")
_NUMBERED = re.compile(r" {0,3}(#{1,6})\s+(\S.*?)\s*#*\s*$")
_MARKED = re.compile(r"(={1,6})\s+(\S.*?)\s*$")
_FENCE = re.compile(r"\s*(```|~~~|----\s*$|\.\.\.\.\s*$)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|:[\w:+-]+:`~?([^`<]*)(?:<[^`]*>)?`|<[^>\s][^>]*>")
_SAYS_NOTHING = re.compile(r"\s*(?:\.\. |:\w[\w-]*:|<|!\[|\[!\[|\[[^\]]+\]:|[-=|+ :]*$)")
_SHARED = 3
"""Characters by which an underline may be shorter than its heading."""
_SUMMARY = 300


class Heading(NamedTuple):
    """A heading: its first line counted from 0, the line after it, its depth and its text."""

    line: int
    below: int
    depth: int
    title: str


class Section(NamedTuple):
    """A heading with the text below it, up to the next heading."""

    line: int
    end: int
    titles: tuple[str, ...]
    summary: str
    text: str


def sections(text: str, written: str) -> Iterator[Section]:
    """Yield the sections of a text."""
    lines = text.split("\n")
    found = list(_headings(lines, written))
    if lines and (not found or any(line.strip() for line in lines[: found[0].line])):
        found.insert(0, Heading(0, 0, 0, ""))
    above: list[Heading] = []
    for number, heading in enumerate(found):
        last = found[number + 1].line if number + 1 < len(found) else len(lines)
        while last > heading.below and not lines[last - 1].strip():
            last -= 1
        above = [*(other for other in above if other.depth < heading.depth), heading]
        below = lines[heading.below : last]
        titles = tuple(other.title for other in above if other.title)
        yield Section(heading.line + 1, max(last, heading.below), titles, _first_words(below), "\n".join(below))


def plain(text: str) -> str:
    """Return a line of prose without the marks of links and roles."""
    return re.sub(r"\s+", " ", _LINK.sub(lambda found: found[1] or found[2] or "", text).strip("*_ ")).strip()


def _headings(lines: Sequence[str], written: str) -> Iterator[Heading]:
    marks: list[str] = []
    fence = ""
    number = 0
    while number < len(lines):
        line = lines[number]
        if fence:
            fence = "" if line.strip().startswith(fence) else fence
        elif (opened := _FENCE.match(line)) and _opens(opened[1].strip(), written):
            fence = opened[1].strip()
        elif heading := _heading(lines, number, written, marks):
            yield heading
            number = heading.below - 1
        number += 1


def _opens(mark: str, written: str) -> bool:
    return (mark in ("```", "~~~")) if written == MARKDOWN else written == ASCIIDOC and mark not in ("```", "~~~")


def _heading(lines: Sequence[str], number: int, written: str, marks: list[str]) -> Heading | None:
    """Read a heading that is marked at its beginning or underlined. The order of underline marks gives the depth."""
    line = lines[number]
    marked = {MARKDOWN: _NUMBERED, ASCIIDOC: _MARKED}.get(written)
    if marked and (found := marked.match(line)):
        return Heading(number, number + 1, len(found[1]), plain(found[2]))
    title, under = line.strip(), lines[number + 1] if number + 1 < len(lines) else ""
    signs = _UNDERLINE.match(under)
    if written == ASCIIDOC or not title or line[:1].isspace() or _UNDERLINE.match(line) or not signs:
        return None
    if len(under.rstrip()) < len(title) - _SHARED or (written == MARKDOWN and signs[1] not in "=-"):
        return None
    if written == MARKDOWN and title.startswith(("|", "-", ">", "*", "---")):
        return None
    is_over = number > 0 and lines[number - 1].strip()[:1] == signs[1] and bool(_UNDERLINE.match(lines[number - 1]))
    mark = signs[1] * (1 + is_over)
    if written == MARKDOWN:
        return Heading(number, number + 2, 1 + (signs[1] == "-"), plain(title))
    if mark not in marks:
        marks.append(mark)
    return Heading(number - is_over, number + 2, 1 + marks.index(mark), plain(title))


def _first_words(lines: Sequence[str]) -> str:
    kept: list[str] = []
    fenced = False
    for line in lines:
        if kept and not line.strip():
            break
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if re.search(r"\w", line) and not fenced and not _SAYS_NOTHING.match(line):
            kept.append(plain(line.strip("#* ")))
    return " ".join(kept)[:_SUMMARY]
