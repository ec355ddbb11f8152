"""Standard output and error during the live display: output of other code goes above it, line by line."""

from __future__ import annotations

import io
from collections.abc import Callable

from inarch import escape, width

_PAINT = {
    "inarch: error: ": "31", "inarch: internal error: ": "31", "inarch: bypass: ": "31", "inarch: note: ": "33",
}  # fmt: skip


class Above(io.TextIOBase):
    """A stream whose lines are printed above the display, escaped; usable from any thread."""

    def __init__(self, put: Callable[[str], object], columns: Callable[[], int], *, colours: bool) -> None:
        super().__init__()
        self._put, self._columns, self._colours, self._begun = put, columns, colours, ""

    encoding = "utf-8"

    def writable(self) -> bool:
        """Return True: the stream is writable."""
        return True

    def write(self, text: str) -> int:
        """Print whole lines above; an unfinished line waits for its end."""
        whole, newline, self._begun = (self._begun + text).rpartition("\n")
        if newline:
            self._put("".join(f"{self._shown(line)}\n" for line in whole.split("\n")))
        return len(text)

    def end(self) -> None:
        """Print the unfinished line."""
        if self._begun:
            self.write("\n")

    def _shown(self, line: str) -> str:
        text = escape(line)
        for lead, code in _PAINT.items():
            if text.startswith(lead):
                text = folded(text.removeprefix("inarch: "), self._columns())
                return f"\x1b[{code}m{text}\x1b[0m" if self._colours else text
        return text


def folded_lines(text: str, columns: int) -> list[str]:
    """Wrap typed text to the width of the terminal, between words."""
    return [part for line in text.split("\n") for part in folded(line, columns).split("\n")]


def folded(line: str, columns: int) -> str:
    """Wrap a line to the width of the terminal."""
    from textwrap import fill

    return line if width(line) <= columns else fill(line, max(columns, 20), break_on_hyphens=False)
