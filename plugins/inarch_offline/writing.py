"""Writing an answer: statements with the place where each one stands, wrapped for a terminal.

NOTICE

Statement (path:line)
Heading:
  item (path:line)
  label  item with a label (path:line)
Note: something that is not about the code.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from attrs import define, field, frozen

NOTICE = (
    "Offline planner (no language model): answers by extraction. Set GEMINI_API_KEY or OPENROUTER_API_KEY for a model."
)
"""The first line of every answer."""

WIDTH = 100
"""Columns of an answer."""

_GLUE = "\u2060"  # a word joiner holds the words of a citation together while a line is wrapped


@frozen(order=True)
class Place:
    """A line of a file, counted from 1."""

    path: str
    line: int = 1

    def __str__(self) -> str:
        path = self.path if self.path.isprintable() else self.path.encode("unicode_escape").decode()
        return f"{path}:{max(self.line, 1)}"


@define
class Page:
    """An answer in the making."""

    lines: list[str] = field(factory=list)

    def say(self, text: str, *places: Place) -> None:
        """Add a statement at the margin."""
        self._add("", "  ", text, places)

    def head(self, title: str) -> None:
        """Begin a section."""
        self.lines.append(f"{title}:")

    def item(self, text: str, *places: Place, label: str = "", pad: int = 0) -> None:
        """Add a statement of a section, behind a label that is padded to `pad` columns."""
        if label:
            start = f"  {label:<{pad}}  "
            self._add(start, " " * min(len(start), 38), text, places)
        else:
            self._add("  ", "    ", text, places)

    def rows(self, rows: Iterable[tuple[str, str, Place]]) -> None:
        """Add items with labels of one width."""
        kept = list(rows)
        pad = min(max((len(label) for label, _, _ in kept), default=0), 34)
        for label, text, place in kept:
            self.item(text, place, label=label, pad=pad)

    def note(self, text: str) -> None:
        """Add what is not a statement about the code: what was not found, failed or left out."""
        self._add("Note: ", "  ", text, ())

    def plain(self, text: str) -> None:
        """Add text about the planner itself."""
        self._add("", "", text, ())

    def gap(self) -> None:
        """Add an empty line, unless there is one."""
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def text(self) -> str:
        """Give the whole answer, the notice first."""
        body = "\n".join(self.lines).strip("\n")
        return f"{NOTICE}\n\n{body}\n" if body else f"{NOTICE}\n"

    def _add(self, start: str, hang: str, text: str, places: Iterable[Place]) -> None:
        cited = ", ".join(str(place).replace(" ", _GLUE) for place in dict.fromkeys(places))
        words = [one_line(text), f"({cited})" if cited else ""]
        wrapped = textwrap.fill(
            " ".join(word for word in words if word),
            WIDTH,
            initial_indent=start,
            subsequent_indent=hang,
            break_long_words=False,
            break_on_hyphens=False,
        )
        self.lines.extend((wrapped or start.rstrip()).replace(_GLUE, " ").split("\n"))


def one_line(text: str) -> str:
    """Put a text on one line."""
    return re.sub(r"\s+", " ", text).strip()


def cut(text: str, most: int) -> str:
    """Shorten a text to `most` characters at a word's end, with an ellipsis where something is missing."""
    text = one_line(text)
    if len(text) <= most:
        return text
    head = text[: most - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[most // 2 :] else head).rstrip(" ,;:") + "…"


def sentence(text: str, most: int = 220) -> str:
    """Give the first sentence of a text."""
    text = one_line(text)
    found = re.search(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)(?<!\.\.)[.!?](?=\s+[A-Z`:*\"'(\[]|$)", text)
    return cut(text[: found.end()] if found else text, most)


def counted(number: int, noun: str, plural: str = "") -> str:
    """Say `1 file` or `2 files`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def joined(names: Iterable[str], most: int = 6) -> str:
    """List names, at most `most` of them, and say how many more there are."""
    kept = list(names)
    rest = f", … {len(kept) - most} more" if len(kept) > most else ""
    return ", ".join(kept[:most]) + rest
