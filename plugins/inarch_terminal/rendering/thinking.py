"""What a model thinks before it speaks: one line while it does, one when it did, or all of it."""

from __future__ import annotations

from collections.abc import Iterator

from inarch import width
from inarch.figures import duration
from inarch_terminal.rendering.calls import below, elapsed, tree_line
from inarch_terminal.rendering.ink import Ink

_LAST = 400


class Thinking:
    """The reasoning of one reply."""

    def __init__(self, began: float) -> None:
        self.began = began
        self._pieces: list[str] = []
        self._last = ""

    def add(self, text: str) -> None:
        """Take a piece."""
        self._pieces.append(text)
        self._last = (self._last + text)[-_LAST:]

    def moving(self, columns: int, ink: Ink, now: float) -> str:
        """Return the line that is shown while it thinks: for how long, and its last words."""
        text = f"thinking {ink.sign('cut')} {elapsed(now - self.began)}"
        lead, sign, dot = ink.sign("item"), ink.sign("live"), ink.sign("dot")
        room = columns - width(f"{lead} {sign} {text}{dot}")
        if room < 12:
            return tree_line("live", "dim", text, columns, ink)
        return tree_line("live", "dim", f"{text}{dot}{_end(ink.plain(self._last), room)}", columns, ink)

    def tail(self, columns: int, rows: int, ink: Ink) -> list[str]:
        """Return its last lines."""
        room = columns - width(ink.sign("bar")) - 3
        text = ink.plain_lines("".join(self._pieces)[-max(rows, 1) * max(columns, 1) :])
        return [below(line, columns, ink, "dim") for line in list(ink.wrapped(text.strip(), room))[-rows:]]

    def ended(self, columns: int, ink: Ink, seconds: float | None, whole: bool) -> Iterator[str]:
        """Yield what is left of it."""
        took = f" for {duration(seconds) if seconds < 10 else elapsed(seconds)}" if seconds is not None else ""
        yield tree_line("unfolded" if whole else "folded", "dim", f"thought{took}", columns, ink)
        if whole:
            text = ink.plain_lines("".join(self._pieces)).strip()
            for line in ink.wrapped(text, columns - width(ink.sign("bar")) - 3):
                yield below(line, columns, ink, "dim")


def _end(text: str, columns: int) -> str:
    """Return the end of a text, from the beginning of a word."""
    if width(text) <= columns:
        return text
    kept = text
    while width(kept) > columns:
        kept = kept[max(1, (width(kept) - columns) // 2) :]
    _, space, rest = kept.partition(" ")
    return rest if space and rest else kept
