"""The lines at the bottom of a terminal that are drawn anew again and again, until what they show is finished."""

from __future__ import annotations

import os
from threading import Lock
from typing import Any, TextIO

from attrs import define, field

from inarch import width
from inarch.output import columns_of

_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"
"""What stands between these a terminal shows at once; one that doesn't know them passes over them."""


@define(eq=False, repr=False)
class Region:
    """Writes what is finished above, for good, and what still moves below it.

    Args:
        out: For the answer.
        err: For everything else; the same terminal.
    """

    out: TextIO
    err: TextIO
    _widths: list[int] = field(init=False, factory=list)  # of the lines that can be drawn anew
    _live: str = field(init=False, default="")
    _begun: str = field(init=False, default="")  # a line that others began
    _lock: Lock = field(init=False, factory=Lock)  # tools print in threads of their own

    @property
    def columns(self) -> int:
        """How wide the terminal is."""
        return columns_of(self.err)

    @property
    def rows(self) -> int:
        """How many lines may move: the rest of the terminal shows what came before."""
        try:
            lines = os.get_terminal_size(self.err.fileno()).lines
        except (OSError, ValueError):
            lines = 24
        return max(1, min(lines - 2, 20))

    def draw(self, pieces: list[tuple[bool, str]], live: str, widths: list[int]) -> None:
        """Write what is finished, each piece with whether it is of the answer, then what moves and how wide that is."""
        with self._lock:
            if pieces or live != self._live:
                self._draw(pieces, live, widths)

    def write(self, text: str) -> int:
        """Write, above what moves, what others print: whole lines."""
        with self._lock:
            *lines, self._begun = (self._begun + text).split("\n")
            if lines:
                self._draw([(False, "".join(f"{line}\n" for line in lines))], self._live, self._widths)
        return len(text)

    def flush(self) -> None:
        """Do nothing: what was written is on the screen, but for a line that has no end yet."""

    def clear(self) -> None:
        """Take away what moves."""
        with self._lock:
            begun, self._begun = self._begun, ""
            if begun or self._live:
                self._draw([(False, f"{begun}\n" if begun else "")], "", [])

    def _draw(self, pieces: list[tuple[bool, str]], live: str, widths: list[int]) -> None:
        stream, waiting = self.err, [_BEGIN + self._erasing()]
        for is_answer, text in [*pieces, (False, live + _END)]:
            following = self.out if is_answer else self.err
            if following is not stream:
                stream.write("".join(waiting))
                stream.flush()
                stream, waiting = following, []
            waiting.append(text)
        self._live, self._widths = live, widths
        stream.write("".join(waiting))
        stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.err, name)

    def _erasing(self) -> str:
        """Return what erases the moving lines; a terminal that is narrower now has broken them."""
        if not self._live:
            return ""
        columns = max(1, self.columns)
        rows = sum(max(1, -(-wide // columns)) for wide in self._widths)
        return "\r" + (f"\x1b[{rows - 1}A" if rows > 1 else "") + "\x1b[J"


def widths_of(live: str) -> list[int]:
    """Return how wide each line of painted text is."""
    import re

    return [width(line) for line in re.sub(r"\x1b\[[0-9;]*m", "", live).split("\n")] if live else []
