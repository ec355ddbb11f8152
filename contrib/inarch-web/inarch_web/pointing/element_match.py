"""Search for an element in files: the best match of its text, id and classes, and the lines of its tag."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

import inarch
from inarch_web.pointing.selection import Pointed

_PAGES = (
    ".html", ".htm", ".xhtml", ".jsx", ".tsx", ".js", ".ts", ".mjs", ".vue", ".svelte", ".astro", ".php", ".erb",
    ".haml", ".slim", ".j2", ".jinja", ".jinja2", ".twig", ".liquid", ".hbs", ".mustache", ".ejs", ".pug", ".njk",
    ".cshtml", ".razor", ".gohtml", ".tmpl", ".md", ".mdx", ".py", ".rb", ".ex", ".heex", ".elm", ".svg",
)  # fmt: skip
_MARKS = re.compile(r"([\\.^$*+?()\[\]{}|])")
_PHRASE = re.compile(r"[^\W\d_][\w'’ -]*[^\W\d_]")
_LONGEST_TEXT, _SHORTEST_PHRASE, _MOST_PHRASES, _MOST_CLASSES = 80, 4, 3, 4
_MOST_HITS = 40


def guess(element: Pointed, workspace: inarch.Workspace, glob: str | None = None) -> tuple[str, int] | None:
    """Return the file and the line that most likely have an element, or None if nothing matches."""
    scores: dict[tuple[str, int], float] = {}
    for pattern, weight in _evidence(element):
        hits = _hits(workspace, pattern, glob)
        for hit in hits:
            tagged = 2.0 if f"<{element.tag}" in hit.text.lower() else 0.0
            worth = weight / (1 + len(hits) / _MOST_HITS) + tagged
            scores[hit.path, hit.line] = scores.get((hit.path, hit.line), 0.0) + worth
    return min(scores, key=lambda place: (-scores[place], place), default=None)


def _evidence(element: Pointed) -> Iterator[tuple[str, float]]:
    """Yield patterns, each with the weight of a line that matches it."""
    text = element.text.strip("… ")
    if text and len(text) <= _LONGEST_TEXT:
        yield _quoted(text), 10.0
    phrases = sorted({found.strip() for found in _PHRASE.findall(text)}, key=lambda phrase: (-len(phrase), phrase))
    for phrase in [one for one in phrases if len(one) >= _SHORTEST_PHRASE and one != text][:_MOST_PHRASES]:
        yield _quoted(phrase[:_LONGEST_TEXT]), 4.0
    if element.id:
        yield rf"(id|Id)[=:]+ *.?{_quoted(element.id)}", 6.0
    for name in element.classes[:_MOST_CLASSES]:
        yield rf"(class|className)[=:].*{_quoted(name)}", 3.0


def _hits(workspace: inarch.Workspace, pattern: str, glob: str | None) -> tuple[inarch.SearchHit, ...]:
    try:
        found = workspace.search(pattern, glob=glob, limit=_MOST_HITS)
    except inarch.ToolFailed:  # some engines reject the pattern, or the search timed out: use the other evidence
        return ()
    return tuple(hit for hit in found.hits if hit.path.lower().endswith(_PAGES) and ".min." not in hit.path)


def _quoted(text: str) -> str:
    return _MARKS.sub(r"\\\1", text)


_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
_OPENING, _CLOSING = "{([", "})]"


@frozen
class Extent:
    """Lines of a file, counted from 1, both included."""

    first: int
    last: int


def extent_at(text: str, tag: str, line: int, column: int = 0) -> Extent | None:
    """Return the lines of the element that begins in a line, or None if the line has no such tag."""
    lines = text.split("\n")
    if not 1 <= line <= len(lines):
        return None
    start = sum(len(one) + 1 for one in lines[: line - 1])
    found = _tags(tag).finditer(text, start, start + len(lines[line - 1]) + 1)
    tags = [one.start() for one in found if not one[1]]
    at = next((place for place in tags if place >= start + column - 1), tags[0] if tags else None)
    return None if at is None else Extent(line, text.count("\n", 0, _end(text, tag, at)) + 1)


def extent_around(text: str, tag: str, line: int, above: int = 10) -> Extent | None:
    """Return the lines of the smallest element `tag` around a line, or None if none begins near it."""
    for first in range(line, max(0, line - above - 1), -1):
        found = extent_at(text, tag, first)
        if found is not None and found.last >= line:
            return found
    return None


def _tags(tag: str) -> re.Pattern[str]:
    return re.compile(rf"<(/?){re.escape(tag)}(?=[\s/>])", re.IGNORECASE)


def _end(text: str, tag: str, at: int) -> int:
    """Return the end of the element at an offset. Without a closing tag it is the end of the first tag."""
    place, is_closed = _tag_end(text, at)
    if is_closed or tag.lower() in _VOID:
        return place
    first, depth = place, 1
    while (found := _tags(tag).search(text, place)) is not None:
        place, is_closed = _tag_end(text, found.start())
        depth += -1 if found.group(1) else 0 if is_closed else 1
        if depth == 0:
            return place
    return first


def _tag_end(text: str, at: int) -> tuple[int, bool]:
    """Return where a tag ends, and whether it closes itself. Ignore `>` in strings and braces."""
    depth, quote = 0, ""
    for place in range(at + 1, len(text)):
        char = text[place]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'`":
            quote = char
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == ">" and depth <= 0:
            return place, text[place - 1] == "/"
    return len(text) - 1, True
