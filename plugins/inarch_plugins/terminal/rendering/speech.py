"""Streamed reasoning and replies of a model: escaped, cut into blocks, each finished once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inarch import escape, width
from inarch.figures import duration
from inarch_plugins.terminal.rendering.blocks import Blocks
from inarch_plugins.terminal.rendering.calls import below, elapsed, tree_line
from inarch_plugins.terminal.rendering.colors import Ink
from inarch_plugins.terminal.rendering.markdown import draw_block, is_ready

_UNFINISHED = "\r\u200c\u200d"  # half a line end and joiners; their meaning depends on the next character

LOOKS_BACK = 64
"""Characters of context before a piece; `escape` looks at the last few."""


class Speech:
    """Text of one reply after another."""

    def __init__(self, finished: Callable[[str], None]) -> None:
        self._finished = finished
        self._blocks = Blocks()
        self._pieces: list[str] = []  # of the current reply
        self._before = self._held = ""

    @property
    def text(self) -> str:
        """Return the whole current reply."""
        return "".join(self._pieces)

    @property
    def is_open(self) -> bool:
        """Return whether a block is unfinished."""
        return not self._blocks.is_empty

    def add(self, text: str) -> None:
        """Add a piece."""
        self._pieces.append(text)
        text = self._held + text
        whole = text.rstrip(_UNFINISHED)
        self._held = text[len(whole) :]
        self._take(whole)

    def finish(self) -> None:
        """Finish the open block at the end of a reply."""
        held, self._held = self._held, ""
        self._take(held)
        for block in self._blocks.close():
            self._finished(block)
        self._before = ""

    def forget(self) -> None:
        """Start a new reply."""
        self.finish()
        self._pieces.clear()

    def moving(self, columns: int, rows: int, ink: Ink) -> list[str]:
        """Return the last lines of the unfinished block."""
        source = self._blocks.tail(rows, rows * columns)
        if not source.strip():
            return []
        if not is_ready():  # show plain text rather than wait for the renderer
            return list(ink.wrapped(ink.plain_lines(source.rstrip("\n")), columns))[-rows:]
        return draw_block(source, columns, ink).split("\n")[:-1][-rows:]

    def _take(self, text: str) -> None:
        if text:
            for block in self._blocks.add(escape(text, after=self._before)):
                self._finished(block)
            self._before = (self._before + text)[-LOOKS_BACK:]


_LAST = 400


class Thinking:
    """Reasoning of one reply."""

    def __init__(self, began: float) -> None:
        self.began = began
        self._pieces: list[str] = []
        self._last = ""

    def add(self, text: str) -> None:
        """Add a piece."""
        self._pieces.append(text)
        self._last = (self._last + text)[-_LAST:]

    def moving(self, columns: int, ink: Ink, now: float) -> str:
        """Return the line shown while the model thinks: the elapsed time and the last words."""
        text = f"thinking {ink.sign('cut')} {elapsed(now - self.began)}"
        lead, sign, dot = ink.sign("item"), ink.sign("live"), ink.sign("dot")
        room = columns - width(f"{lead} {sign} {text}{dot}")
        if room < 12:
            return tree_line("live", "dim", text, columns, ink)
        return tree_line("live", "dim", f"{text}{dot}{_end(ink.plain(self._last), room)}", columns, ink)

    def tail(self, columns: int, rows: int, ink: Ink) -> list[str]:
        """Return the last lines of the reasoning."""
        room = columns - width(ink.sign("bar")) - 3
        text = ink.plain_lines("".join(self._pieces)[-max(rows, 1) * max(columns, 1) :])
        return [below(line, columns, ink, "dim") for line in list(ink.wrapped(text.strip(), room))[-rows:]]

    def ended(self, columns: int, ink: Ink, seconds: float | None, whole: bool) -> Iterator[str]:
        """Yield the summary of the finished reasoning."""
        took = f" for {duration(seconds) if seconds < 10 else elapsed(seconds)}" if seconds is not None else ""
        yield tree_line("unfolded" if whole else "folded", "dim", f"thought{took}", columns, ink)
        if whole:
            text = ink.plain_lines("".join(self._pieces)).strip()
            for line in ink.wrapped(text, columns - width(ink.sign("bar")) - 3):
                yield below(line, columns, ink, "dim")


def _end(text: str, columns: int) -> str:
    """Return the end of a text, from the beginning of a word."""
    kept = text
    while width(kept) > columns:
        kept = kept[max(1, (width(kept) - columns) // 2) :]
    _, _, rest = kept.partition(" ")
    return rest if kept != text and rest else kept
