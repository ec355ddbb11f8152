"""`--output text` on a terminal that can be rewritten: the display of the conversation, for one turn."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import Any, TextIO

from attrs import define, field

from inarch import Approval, ApprovalRequest, Event, width
from inarch.output import columns_of, is_terminal
from inarch_plugins.terminal.front_ends.text import LineByLine
from inarch_plugins.terminal.notifications import TURN_ENDED, Settings, notifier_for
from inarch_plugins.terminal.rendering import View, prepare

_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"
"""Marks of a synchronized update: a terminal shows the text between them at once, or ignores the marks."""


@define(eq=False, repr=False)
class Region:
    """Prints finished text for good, and redraws the live lines below it."""

    out: TextIO
    err: TextIO
    _widths: list[int] = field(init=False, factory=list)  # widths of the live lines
    _live: str = field(init=False, default="")
    _begun: str = field(init=False, default="")  # an unfinished line that other code printed
    _lock: Lock = field(init=False, factory=Lock)  # tools print from their own threads

    @property
    def columns(self) -> int:
        """Width of the terminal in columns."""
        return columns_of(self.err)

    @property
    def rows(self) -> int:
        """Number of live lines; the rest of the terminal shows earlier output."""
        try:
            lines = os.get_terminal_size(self.err.fileno()).lines
        except (OSError, ValueError):
            lines = 24
        return max(1, min(lines - 2, 20))

    def draw(self, pieces: list[tuple[bool, str]], live: str, widths: list[int]) -> None:
        """Write finished pieces, each with whether it belongs to the answer, then the live lines with their widths."""
        with self._lock:
            if pieces or live != self._live:
                self._draw(pieces, live, widths)

    def write(self, text: str) -> int:
        """Write whole lines that other code prints above the live lines."""
        with self._lock:
            *lines, self._begun = (self._begun + text).split("\n")
            if lines:
                self._draw([(False, "".join(f"{line}\n" for line in lines))], self._live, self._widths)
        return len(text)

    def flush(self) -> None:
        """Do nothing: all text is on the screen, except an unfinished line."""

    def clear(self) -> None:
        """Erase the live lines."""
        with self._lock:
            begun, self._begun = self._begun, ""
            if begun or self._live:
                self._draw([(False, f"{begun}\n" if begun else "")], "", [])

    def _draw(self, pieces: list[tuple[bool, str]], live: str, widths: list[int]) -> None:
        columns = max(1, self.columns)  # the live lines wrap if the terminal got narrower
        rows = sum(max(1, -(-wide // columns)) for wide in self._widths)
        erasing = "\r" + (f"\x1b[{rows - 1}A" if rows > 1 else "") + "\x1b[J" if self._live else ""
        stream, waiting = self.err, [_BEGIN + erasing]
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


DRAWN_EVERY_S = 0.04
MOVES_EVERY_S = 0.25
PREPARED_AFTER_S = 0.05
"""Seconds until the request is sent; importing the Markdown renderer then no longer delays it."""
_AT_ONCE = frozenset({"turn.started", "turn.ended", "error", "limit.wait"})


class LiveFrontEnd:
    """Draws a turn as it happens: the answer on standard output, everything else on standard error.

    On a terminal with colours the answer is drawn as Markdown. A file or a pipe gets it once, as the model wrote it.
    """

    name = "text"

    def __init__(
        self, out: TextIO, err: TextIO, *, colours: bool, glyphs: bool, settings: Settings | None = None
    ) -> None:
        self._notifier = notifier_for(err, settings)
        self._view = View(colours=colours, glyphs=glyphs, raw=not colours)
        self._out = None if is_terminal(out) else out
        self._is_json = False
        self._region = self.beside = Region(out, err)
        self._due: asyncio.TimerHandle | None = None
        self._due_at = self._last = 0.0
        self._asking = False

    def name_calls(self, titled: Callable[[str, Mapping[str, Any]], str]) -> None:
        """Take the function that returns a call's title."""
        self._view.name_calls(titled)

    def show(self, event: Event) -> None:
        """Show an event, after a short delay if many arrive."""
        self._view.saw(event)
        if event.kind == "model.requested":
            _later(PREPARED_AFTER_S, prepare)
        elif event.kind == "turn.started" and "settings" in event.data:
            self._is_json = bool(event.data["settings"].get("output_schema"))
        left = self._last + DRAWN_EVERY_S - monotonic()
        if left > 0 and event.kind not in _AT_ONCE and self._draw_in(left):
            return
        self._draw()
        if event.kind == "turn.ended":
            if self._out is not None and event.data["turn"]["type"] == "agent":
                LineByLine(self._out, is_json=self._is_json).close(event.data["turn"])
            self._notifier.tell(TURN_ENDED)

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Ask on the terminal; return no answer if input is not a terminal."""
        if not is_terminal(sys.stdin):
            return []
        from inarch_plugins.terminal.front_ends.approvals import ask

        self._draw(moving=False)
        self._asking = True
        self._notifier.ask(batch)
        try:
            return await ask(batch, self._region.err, self._view.has_shown)
        finally:
            self._asking = False
            self._notifier.looked()

    def close(self) -> None:
        """Write finished text and erase the live lines."""
        self._stop()
        self._draw(moving=False)
        self._region.clear()

    def _draw(self, *, moving: bool = True) -> None:
        if self._asking:  # the question occupies these lines
            return
        self._stop()
        columns = self._region.columns
        live = self._view.live(columns - 1, self._region.rows) if moving else ""
        pieces = [(is_answer, text) for is_answer, text in self._view.pieces(columns) if not (is_answer and self._out)]
        bare = re.sub(r"\x1b\[[0-9;]*m", "", live)
        self._region.draw(pieces, live, [width(line) for line in bare.split("\n")] if live else [])
        self._last = monotonic()
        if live and self._view.is_moving:
            self._draw_in(MOVES_EVERY_S)

    def _draw_in(self, seconds: float) -> bool:
        """Schedule a draw, unless an earlier one is scheduled; return False without an event loop."""
        at = monotonic() + seconds
        if self._due is not None and self._due_at <= at:
            return True
        self._stop()
        self._due, self._due_at = _later(seconds, self._draw_quietly), at
        return self._due is not None

    def _draw_quietly(self) -> None:
        self._due = None
        try:
            self._draw()
        except (OSError, ValueError):  # the terminal is gone; the next event raises the error
            self._stop()

    def _stop(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


def _later(seconds: float, do: Callable[[], object]) -> asyncio.TimerHandle | None:
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return loop.call_later(seconds, do)
