"""Terminal input and output: guarded pastes, synchronized updates, resizing, and signals that end the program."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from select import select
from typing import TYPE_CHECKING, Any, TextIO

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout.screen import Screen as Cells
from prompt_toolkit.output.vt100 import Vt100_Output

from inarch.commands import CANCELLED, interrupts

if TYPE_CHECKING:
    from inarch_plugins.terminal.conversation.chat import Chat

_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"  # terminals with synchronized updates then never show a partial draw
_AS_IT_WAS = "\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m\r\n\x1b[J"


class SteadyOutput(Vt100_Output):
    """An output that can be held, so that several changes reach the terminal as one."""

    _held = False

    def flush(self) -> None:
        """Write everything, unless held."""
        if not self._held:
            super().flush()

    def disable_bracketed_paste(self) -> None:
        """Keep the mode during a redraw: a paste may be on its way."""
        if not self._held:
            super().disable_bracketed_paste()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold all output until the end of the block."""
        if self._held:
            yield
            return
        self._held = True
        self.write_raw(_BEGIN)
        try:
            yield
        finally:
            self._held = False
            self.write_raw(_END)
            self.flush()


_PASTE_END = "\x1b[201~"
_BURST_S = 0.1
"""Seconds of silence after a paste before keys count as typed."""


class GuardedInput(Vt100Input):
    """A terminal in raw mode that keeps Ctrl-C as a signal, so that it works while a plugin blocks the loop.

    A pasted text may contain the mark that ends a paste, and some terminals pass it on. Text after that mark in the
    same burst, up to the last such mark, belongs to the paste: it does not press keys.
    """

    def read_keys(self) -> list[KeyPress]:
        """Return the pressed keys, with each paste as one key."""
        keys = super().read_keys()
        if any(key.key is Keys.BracketedPaste for key in keys):
            while select([self.fileno()], [], [], _BURST_S)[0] and not self.closed:
                keys += super().read_keys()
            keys = _pastes_whole(keys)
        return keys

    def raw_mode(self) -> AbstractContextManager[None]:
        """Return the raw mode as a context manager."""
        return _raw_with_signals(super().raw_mode(), self.fileno())


def _pastes_whole(keys: list[KeyPress]) -> list[KeyPress]:
    """Return keys, with those between two paste ends as a paste of their own."""
    made: list[KeyPress] = []
    begun: list[KeyPress] | None = None  # keys since the last paste end
    for key in keys:
        is_paste = key.key is Keys.BracketedPaste
        if begun is None and not is_paste:
            made.append(key)
            continue
        begun = begun or []
        said = "".join(one.data for one in begun) + ("" if is_paste else key.data)
        if not is_paste and not said.endswith(_PASTE_END):
            begun.append(key)
            continue
        if said:
            made.append(KeyPress(Keys.BracketedPaste, said.removesuffix(_PASTE_END)))
        made += [key] if is_paste else []
        begun = []
    return made + (begun or [])


@contextmanager
def _raw_with_signals(raw: AbstractContextManager[None], descriptor: int) -> Iterator[None]:
    import termios

    with raw:
        with suppress(termios.error, OSError, ValueError):  # Ctrl-C then arrives as a key
            mode = termios.tcgetattr(descriptor)
            mode[3] |= termios.ISIG
            nothing = bytes([os.fpathconf(descriptor, "PC_VDISABLE") & 0xFF])
            for place in (termios.VSUSP, termios.VQUIT):
                mode[6][place] = nothing
            termios.tcsetattr(descriptor, termios.TCSANOW, mode)
        yield


def make_output(stream: TextIO) -> SteadyOutput:
    """Return the output for a terminal's stream; it never queries the cursor position."""
    made: Any = SteadyOutput.from_pty(stream, term=os.environ.get("TERM"))
    made.enable_cpr = False
    assert isinstance(made, SteadyOutput)
    return made


def _restorer(stream: TextIO) -> Callable[[], None]:
    """Return a function that restores the present mode of the terminal, for a program that has to end at once."""
    import termios

    try:
        mode = termios.tcgetattr(0)
    except termios.error:
        mode = None

    def restore() -> None:
        with suppress(OSError, ValueError, termios.error):
            os.write(stream.fileno(), _AS_IT_WAS.encode())
            if mode is not None:
                termios.tcsetattr(0, termios.TCSANOW, mode)

    return restore


_FOLDING = ("TMUX", "VTE_VERSION", "KITTY_WINDOW_ID", "WEZTERM_PANE", "ALACRITTY_WINDOW_ID", "WT_SESSION")
"""Environment variables of terminals that rewrap lines when they get narrower."""


class Resizing(Application[None]):
    """An application whose display can shrink and adapts when the terminal rewraps its lines."""

    def _redraw(self, render_as_done: bool = False) -> None:
        """Draw; clear the display first if it needs fewer rows than before, because prompt_toolkit keeps empty ones."""
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
        kind = os.environ.get("TERM", "")
        if cells is not None and (kind.startswith(("tmux", "screen")) or any(name in os.environ for name in _FOLDING)):
            place = self.renderer._cursor_pos
            more = sum(_folded(cells, row, columns) for row in range(place.y))
            self.renderer._cursor_pos = Point(place.x % max(columns, 1), place.y + more + place.x // max(columns, 1))
        super()._on_resize()


def _folded(cells: Cells, row: int, columns: int) -> int:
    """Return how many more rows a row of the display takes at this width."""
    written = [place for place, cell in cells.data_buffer[row].items() if cell.char.strip()]
    return max(written, default=0) // max(columns, 1)


@contextmanager
def signals(chat: Chat, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Pass Ctrl-C and the signals that end a program to the conversation; a second one ends the program at once."""
    restore = _restorer(sys.stdout)

    def handle(number: int) -> None:
        is_running = chat.work.is_running or chat.is_leaving
        if chat.is_leaving if number != signal.SIGINT else is_running and chat.work.was_interrupted:
            restore()
            os._exit(CANCELLED)
        if number == signal.SIGINT:
            chat.work.was_interrupted = is_running
            loop.call_soon_threadsafe(chat.interrupt, is_running)
        else:
            chat.is_leaving = True
            loop.call_soon_threadsafe(chat.leave, CANCELLED)

    # Ctrl-C on the line must work, even if the shell ignored the signal.
    ending = ("SIGTERM", "SIGHUP", "SIGQUIT")  # their default action would leave the terminal raw
    with interrupts(handle, handle, ("SIGINT",), ignored=True), interrupts(handle, handle, ending):
        yield
