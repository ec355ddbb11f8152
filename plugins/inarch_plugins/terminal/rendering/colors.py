"""Colours and signs: the eight basic colours with dim and bold, or none; Unicode signs, or ASCII in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from inarch import escape, shorten, width

CODES = {"dim": "2", "bold": "1", "green": "32", "red": "31", "yellow": "33", "cyan": "36", "magenta": "35"}
LIGHT = {"yellow": "35", "cyan": "34"}
"""Codes that replace those which a light background swallows."""
SIGNS = {
    "root": ("●", "*"), "item": (" ", " "), "bar": (" ", " "), "end": ("", ""), "ok": ("✓", "ok"),
    "failed": ("✗", "failed"), "stopped": ("⊘", "stopped"), "unknown": ("?", "?"), "live": ("⋯", "..."),
    "waits": ("·", "."), "asks": ("?", "?"), "folded": ("▸", ">"), "unfolded": ("▾", "v"), "added": ("+", "+"),
    "dropped": ("−", "-"), "minus": ("−", "-"), "switched": ("⇄", "->"), "cut": ("…", "..."), "dot": (" · ", " - "),
    "todo": ("☐", "[ ]"), "doing": ("▸", "[>]"), "done": ("☑", "[x]"),
    "quote": ("│ ", "> "), "bullet": ("• ", "- "), "rule": ("─", "-"),
}  # fmt: skip
TAB = 4
_LIKE_ASCII = str.maketrans(
    {"·": "-", "…": "...", "−": "-", "–": "-", "—": "-", "→": "->", "×": "x", "‘": "'", "’": "'", "“": '"', "”": '"',
     "\u00a0": " ", "•": "-"}
)  # fmt: skip


@frozen
class Ink:
    """Style of the output."""

    colours: bool
    glyphs: bool
    raw: bool = False  # whether to leave Markdown as it was written
    light: bool = False  # whether the background is light

    def sign(self, name: str) -> str:
        """Return a sign, or its ASCII replacement."""
        return SIGNS[name][0 if self.glyphs else 1]

    def paint(self, text: str, *styles: str) -> str:
        """Return text in these styles."""
        codes = ";".join((LIGHT if self.light else CODES).get(style, CODES[style]) for style in styles if style)
        return f"\x1b[{codes}m{text}\x1b[0m" if self.colours and text and codes else text

    def plain(self, text: str) -> str:
        """Return text escaped on one line, in ASCII if the terminal has nothing else."""
        text = escape(" ".join(text.split()) if "\n" in text or "\t" in text else text, keep_newlines=False)
        return text if self.glyphs else to_ascii(text)

    def plain_lines(self, text: str) -> str:
        """Return text of several lines escaped, in ASCII if the terminal has nothing else."""
        text = escape(text)
        return text if self.glyphs else to_ascii(text)

    def cut(self, text: str, columns: int) -> str:
        """Shorten text to a width; a sign marks the cut end."""
        text = shorten(text, columns)
        return text if self.glyphs or text.isascii() else text.replace("…", "~")

    def cut_middle(self, text: str, columns: int) -> str:
        """Shorten text to a width; a sign marks the cut middle, because the end of a path says most."""
        if columns <= 0 or width(text) <= columns:
            return text if columns > 0 else ""
        mark = "…" if self.glyphs else "~"
        tail = ""
        for char in reversed(text):
            if width(char + tail) > (columns - 1) * 3 // 5:
                break
            tail = char + tail
        head = shorten(text, columns - width(tail)).removesuffix("…")
        return f"{head}{mark}{tail.lstrip(chr(0x200D))}"

    def wrapped(self, text: str, columns: int, most: int = 0) -> Iterator[str]:
        """Yield lines of at most `columns` columns, broken at spaces if possible; `most` limits them if not 0."""
        lines = [line for part in text.split("\n") for line in fold(part.expandtabs(TAB), max(columns, 1))]
        if most and len(lines) > most:
            lines = [*lines[: most - 1], self.cut(f"{lines[most - 1]} …", max(columns, 1))]
        yield from lines


_WORD = re.compile(r"[^ ]+ *| +")  # with the spaces that follow it


def fold(text: str, columns: int) -> Iterator[str]:
    """Wrap one line of text to a width; words longer than a line are broken."""
    line, used = "", 0
    for word in _WORD.findall(text):
        wide = width(word)
        if used + width(word.rstrip(" ")) <= columns:
            line, used = line + word, used + wide
            continue
        if line.strip():
            yield line.rstrip(" ")
        *pieces, line = divided(word, columns)
        yield from pieces
        used = width(line)
    yield line.rstrip(" ")


def divided(word: str, columns: int) -> list[str]:
    """Break a word that is wider than a line: a path after a slash if possible, not within a name.

    Trailing spaces never begin a piece.
    """
    if 2 * len(word) <= columns:  # a character has at most two columns
        return [word]
    pieces, start, used, slash = list[str](), 0, 0, 0
    end = len(word.rstrip(" "))
    for place, char in enumerate(word[:end]):
        wide = width(char)
        if used + wide > columns and place > start:
            cut = slash if slash > start else place
            pieces.append(word[start:cut])
            start, used = cut, width(word[cut:place])
        used += wide
        slash = place + 1 if char in "/\\" else slash
    return [*pieces, word[start:]]


def to_ascii(text: str) -> str:
    """Return text with everything beyond ASCII as an escape."""
    if text.isascii():
        return text
    return text.translate(_LIKE_ASCII).encode("ascii", "backslashreplace").decode("ascii")
