"""`--output text` on a terminal that can be rewritten: what the conversation shows, for one turn."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TextIO

from inarch import Approval, ApprovalRequest, Event
from inarch.output import is_terminal
from inarch_terminal.front_ends.region import Region, widths_of
from inarch_terminal.front_ends.text import LineByLine
from inarch_terminal.notifying import QUESTION_WAITS, TURN_ENDED, Settings, notifier_for
from inarch_terminal.rendering import View, prepare

DRAWN_EVERY_S = 0.04
MOVES_EVERY_S = 0.25
PREPARED_AFTER_S = 0.05
"""After so long the request is on its way, and importing what draws the reply holds nothing up."""
_AT_ONCE = frozenset({"turn.started", "turn.ended", "error", "limit.wait"})


class PictureFrontEnd:
    """Draws a turn as it happens: the answer on standard output; everything else on standard error.

    The answer is drawn as Markdown where there are colours. A file or a pipe gets it once, as the model wrote it.
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

    def show(self, event: Event) -> None:
        """Show an event, soon if it is one of many."""
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
        """Ask on the terminal; where nobody can type, give no answer."""
        if not is_terminal(sys.stdin):
            return []
        from inarch_terminal.front_ends.approvals import ask

        self._draw(moving=False)
        self._asking = True
        self._notifier.tell(QUESTION_WAITS)
        try:
            return await ask(batch, self._region.err)
        finally:
            self._asking = False
            self._notifier.looked()

    def close(self) -> None:
        """Write what is finished and take away what moves."""
        self._stop()
        self._draw(moving=False)
        self._region.clear()

    def _draw(self, *, moving: bool = True) -> None:
        if self._asking:  # the question stands there
            return
        self._stop()
        columns = self._region.columns
        live = self._view.live(columns - 1, self._region.rows) if moving else ""
        pieces = [(is_answer, text) for is_answer, text in self._view.pieces(columns) if not (is_answer and self._out)]
        self._region.draw(pieces, live, widths_of(live))
        self._last = monotonic()
        if live and self._view.is_moving:
            self._draw_in(MOVES_EVERY_S)

    def _draw_in(self, seconds: float) -> bool:
        """Draw after so long, unless that is to happen sooner; without an event loop it is not."""
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
        except (OSError, ValueError):  # the terminal is gone: the next event will find out
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
