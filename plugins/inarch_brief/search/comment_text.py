"""The code, comments and strings of a file in any language, with their lines."""

from __future__ import annotations

import re
from bisect import bisect_left

_SHORTEST = 3
"""The shortest string, in characters, that people may see."""


class Parted:
    """A text in parts: its lines of code, and its comments and strings with their lines."""

    def __init__(self) -> None:
        """Create an empty text."""
        self.code: list[str] = []
        self.comments: dict[int, str] = {}
        self.lines: list[int] = []
        self.strings: list[str] = []

    @classmethod
    def of(cls, text: str, asides: re.Pattern[str]) -> Parted:
        """Split a text."""
        parted, pieces = cls(), []
        line, last = 1, 0
        for found in asides.finditer(text):
            start, end = found.span()
            before, aside = text[last:start], text[start:end]
            line += before.count("\n")
            pieces.append(before)
            if aside[0] in "#/":
                for comment in aside.split("\n"):
                    parted.comments[line] = comment
                    line += 1
                line -= 1
                pieces.append("\n" * aside.count("\n"))
            elif end - start >= _SHORTEST + 2:
                parted.lines.append(line)
                parted.strings.append(aside)
                count = aside.count("\n")
                pieces.append("\n" * count)
                line += count
            last = end
        pieces.append(text[last:])
        parted.code = "".join(pieces).split("\n")
        return parted

    def strings_in(self, first: int, last: int) -> list[str]:
        """Return the strings that begin on these lines."""
        return self.strings[bisect_left(self.lines, first) : bisect_left(self.lines, last + 1)]

    def comments_of(self, first: int, last: int) -> str:
        """Return the comments on these lines and right above them."""
        while first - 1 in self.comments and not self.code[first - 2].strip():
            first -= 1
        return " ".join(self.comments[line] for line in range(first, last + 1) if line in self.comments)
