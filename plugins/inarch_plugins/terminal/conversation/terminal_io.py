"""The terminal's two ends, a picture that gets another size, and signals that ask a program to end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
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

_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"  # terminals that know synchronised updates then show no half picture
_AS_IT_WAS = "\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m\r\n\x1b[J"


class SteadyOutput(Vt100_Output):
    """An output that can hold back what is written, so that several changes reach the terminal as one."""

    _held = False

    def flush(self) -> None:
        """Write everything, unless it is held."""
        if not self._held:
            super().flush()

    def disable_bracketed_paste(self) -> None:
        """Keep the mode while the picture is only drawn anew: a paste may be on its way."""
        if not self._held:
            super().disable_bracketed_paste()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold everything back until the end of the block."""
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
"""Seconds of silence after which keys behind a paste were typed."""


class GuardedInput(Vt100Input):
    """A terminal in raw mode whose Ctrl-C still is a signal: it must work while a plugin keeps the loop busy.

    A pasted text may hold the mark that ends a paste, and some terminals pass it on. What comes behind that mark in the
    same burst, up to the last such mark, is text of the paste: it presses no keys.
    """

    def read_keys(self) -> list[KeyPress]:
        """Return the keys that were pressed, each paste as one."""
        keys = super().read_keys()
        if any(key.key is Keys.BracketedPaste for key in keys):
            while select([self.fileno()], [], [], _BURST_S)[0] and not self.closed:
                keys += super().read_keys()
            keys = _pastes_whole(keys)
        return keys

    def raw_mode(self) -> AbstractContextManager[None]:
        """Return the mode as a context manager."""
        return _raw_with_signals(super().raw_mode(), self.fileno())


def _pastes_whole(keys: list[KeyPress]) -> list[KeyPress]:
    """Return keys with those between two ends of pastes as a paste of their own."""
    made: list[KeyPress] = []
    begun: list[KeyPress] | None = None  # the keys since the last end of a paste
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
        try:
            mode = termios.tcgetattr(descriptor)
            mode[3] |= termios.ISIG
            nothing = bytes([os.fpathconf(descriptor, "PC_VDISABLE") & 0xFF])
            for place in (termios.VSUSP, termios.VQUIT):
                mode[6][place] = nothing
            termios.tcsetattr(descriptor, termios.TCSANOW, mode)
        except (termios.error, OSError, ValueError):
            pass  # then Ctrl-C comes as a key
        yield


def make_output(stream: TextIO) -> SteadyOutput:
    """Return the output for a terminal's stream; it is never asked where the cursor stands."""
    made: Any = SteadyOutput.from_pty(stream, term=os.environ.get("TERM"))
    made.enable_cpr = False
    assert isinstance(made, SteadyOutput)
    return made


class TerminalMode:
    """The terminal's mode as it was found, for a program that has to end at once."""

    def __init__(self, stream: TextIO) -> None:
        import termios

        self._stream = stream
        self._mode: list[Any] | None = None
        try:
            self._mode = termios.tcgetattr(0)
        except termios.error:
            pass

    def restore(self) -> None:
        """Give the terminal back."""
        import termios

        try:
            os.write(self._stream.fileno(), _AS_IT_WAS.encode())
            if self._mode is not None:
                termios.tcsetattr(0, termios.TCSANOW, self._mode)
        except (OSError, ValueError, termios.error):
            pass


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


ENDING = ("SIGTERM", "SIGHUP", "SIGQUIT")
"""Signals that ask a program to end; each would leave the terminal raw if the program ended by it."""


@contextmanager
def signals(chat: Chat, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Hand Ctrl-C and the signals that ask a program to end to the conversation; a second one ends it at once."""
    mode = TerminalMode(sys.stdout)

    def handle(number: int) -> None:
        is_running = chat.work.is_running or chat.is_leaving
        if chat.is_leaving if number != signal.SIGINT else is_running and chat.work.was_interrupted:
            mode.restore()
            os._exit(CANCELLED)
        if number == signal.SIGINT:
            chat.work.was_interrupted = is_running
            loop.call_soon_threadsafe(chat.interrupt, is_running)
        else:
            chat.is_leaving = True
            loop.call_soon_threadsafe(chat.leave, CANCELLED)

    # A person who presses Ctrl-C at the line means it, whatever the shell had chosen.
    with interrupts(handle, handle, ("SIGINT",), ignored=True), interrupts(handle, handle, ENDING):
        yield
