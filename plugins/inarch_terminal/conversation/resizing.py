"""A picture that gets another size: it takes as few rows as it needs, and is found again in a narrower terminal."""

from __future__ import annotations

import os

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout.screen import Screen as Cells

from inarch_terminal.conversation.terminal_io import SteadyOutput

_FOLDING = ("TMUX", "VTE_VERSION", "KITTY_WINDOW_ID", "WEZTERM_PANE", "ALACRITTY_WINDOW_ID", "WT_SESSION")
"""Variables of terminals that fold lines when they get narrower."""


class Resizing(Application[None]):
    """An application whose picture shrinks, and that finds it again where a terminal folded its lines."""

    def _redraw(self, render_as_done: bool = False) -> None:
        """Draw; a picture that needs fewer rows than the last one is drawn anew, or it would keep empty ones."""
        if render_as_done or self.context is None or not self.context.copy().run(self._has_shrunk):
            super()._redraw(render_as_done)
            return
        assert isinstance(self.output, SteadyOutput)
        with self.output.held():
            self.renderer.erase(leave_alternate_screen=False)
            super()._redraw()

    def _has_shrunk(self) -> bool:
        cells, size = self.renderer._last_screen, self.output.get_size()
        if cells is None or self._running_in_terminal or not self.is_running:
            return False
        return self.layout.container.preferred_height(size.columns, size.rows).preferred < cells.height

    def _on_resize(self) -> None:
        cells = self.renderer._last_screen
        columns = self.output.get_size().columns
        if cells is not None and _folds():
            place = self.renderer._cursor_pos
            more = sum(_folded(cells, row, columns) for row in range(place.y))
            self.renderer._cursor_pos = Point(place.x % max(columns, 1), place.y + more + place.x // max(columns, 1))
        super()._on_resize()


def _folds() -> bool:
    return any(name in os.environ for name in _FOLDING) or os.environ.get("TERM", "").startswith(("tmux", "screen"))


def _folded(cells: Cells, row: int, columns: int) -> int:
    """Return how many more rows a row of the picture takes in so many columns."""
    written = [place for place, cell in cells.data_buffer[row].items() if cell.char.strip()]
    return max(written, default=0) // max(columns, 1)
