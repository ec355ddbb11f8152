"""The tree of a turn on a terminal: finished lines stay, one live line at the bottom is rewritten."""

from __future__ import annotations

from typing import TextIO

from attrs import define, field

from inarch import escape, shorten, width
from inarch.output import columns_of, is_terminal
from inarch_terminal.abilities import can_rewrite, has_colours

_STYLES = {"dim": "2", "green": "32", "red": "31", "yellow": "33", "bold": "1"}
_ROUND = {"root": "●", "item": "├─", "bar": "│ ", "end": "╰─", "ok": "✓", "failed": "✗", "stopped": "⊘", "live": "⋯",
          "waits": "·", "cut": "…"}  # fmt: skip
_PLAIN = {"root": "*", "item": "|-", "bar": "| ", "end": "`-", "ok": "ok", "failed": "failed", "stopped": "stopped",
          "live": "...", "waits": ".", "cut": "..."}  # fmt: skip


@define(eq=False, repr=False)
class CallTree:
    """Writes to standard error, only where that is a terminal."""

    err: TextIO
    no_color: bool = False
    _shown: bool = field(init=False)
    _colours: bool = field(init=False)
    _rewrites: bool = field(init=False)
    _glyphs: dict[str, str] = field(init=False)
    _live: str = ""
    is_open: bool = False

    def __attrs_post_init__(self) -> None:
        """Look at the terminal once."""
        self._shown = is_terminal(self.err)
        self._colours = has_colours(self.err, no_color=self.no_color)
        self._rewrites = can_rewrite(self.err)
        self._glyphs = _glyphs_for(self.err)

    @property
    def rewrites(self) -> bool:
        """Whether there is a live line."""
        return self._shown and self._rewrites

    def start(self, title: str) -> None:
        """Begin the tree with a line of its own."""
        self._line(self._glyphs["root"], "", title, "", "dim")

    def item(self, mark: str, text: str, end: str, *, style: str) -> None:
        """Add a finished line; `end` is never cut, `text` is where the line is too long."""
        self.is_open = True
        glyph = self._glyphs[mark]
        self._line(f"{self._glyphs['item']} ", f"{glyph} ", text, end, style)

    def detail(self, text: str, style: str) -> None:
        """Add a line below the last one."""
        self._line(f"{self._glyphs['bar']}   ", "", text, "", style)

    def end(self) -> None:
        """Close the tree: what follows is the answer."""
        self.clear()
        if self.is_open:
            self.is_open = False
            self._line(self._glyphs["end"], "", "", "", "dim")

    def remark(self, text: str, style: str = "dim") -> None:
        """Write a line that is no part of the tree."""
        self._line("", "", text, "", style)

    def live(self, text: str) -> None:
        """Show `text` as the bottom line until the next one comes."""
        if not self.rewrites:
            return
        self._live = text
        self._draw()

    def clear(self) -> None:
        """Take the live line away."""
        if self._live:
            self._live = ""
            self.err.write("\r\x1b[K")
            self.err.flush()

    def _draw(self) -> None:
        room = columns_of(self.err) - 1
        text = f"{self._glyphs['item']} {self._glyphs['live']} {escape(self._live, keep_newlines=False)}"
        self.err.write(f"\r\x1b[K{self._paint(shorten(text, room), 'dim')}")
        self.err.flush()

    def _line(self, lead: str, mark: str, text: str, end: str, style: str) -> None:
        if not self._shown:
            return
        end = f" · {end}" if end else ""
        room = columns_of(self.err) - 1 - width(lead) - width(mark) - width(end)
        body = shorten(escape(text, keep_newlines=False), max(room, 8))
        marked = self._paint(mark, style) + body if mark else self._paint(body, style)
        space = " " if lead and not lead.endswith(" ") and body else ""
        kept, self._live = self._live, ""
        erase = "\r\x1b[K" if kept else ""
        self.err.write(f"{erase}{self._paint(lead, 'dim')}{space}{marked}{self._paint(end, 'dim')}\n")
        if kept:
            self.live(kept)
        self.err.flush()

    def _paint(self, text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self._colours and text else text


def _glyphs_for(stream: TextIO) -> dict[str, str]:
    try:
        "".join(_ROUND.values()).encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return _PLAIN
    return _ROUND
