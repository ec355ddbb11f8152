"""Live display at the bottom of the terminal: live lines, queue, input line, completions, status line."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer, ThreadedCompleter
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from inarch_plugins.terminal.conversation.layout import make_layout
from inarch_plugins.terminal.conversation.terminal_io import GuardedInput, Resizing, SteadyOutput, make_output

if TYPE_CHECKING:
    import asyncio

    from inarch import Event
    from inarch_plugins.terminal.conversation.call_question import Pager
    from inarch_plugins.terminal.rendering import View

FRAME_S = 1 / 30
"""Minimum seconds between two draws, so that a fast stream costs no more than a slow one."""
TICK_S = 0.2
"""Seconds between two draws when only time passes."""
_STYLE = {
    "dim": "dim", "hint": "italic", "prompt": "bold", "picked": "reverse", "queued": "dim italic",
    "question": "bold", "key": "bold",
}  # fmt: skip
_LIGHT = {"prompt": "ansiblue bold", "question": "ansimagenta bold", "key": "ansiblue bold", "hint": "ansimagenta"}
_TONES = {"prompt": "ansicyan bold", "question": "ansiyellow bold", "key": "ansicyan bold", "hint": "ansiyellow"}


def style_of(theme: str) -> Style:
    """Return the style of the display in a theme."""
    return Style(list((_STYLE | {"dark": _TONES, "light": _LIGHT}.get(theme, {})).items()))


class Screen:
    """Draws the conversation.

    Events and text from other threads are queued, and the event loop draws them.

    Args:
        stream: The terminal.
        view: The view of the session; None until it is composed.
        colours: Whether to use colours.
        keys: The key bindings.
        history: The input history.
        completer: The completer of the line.
    """

    def __init__(
        self, stream: TextIO, *, colours: bool, keys: KeyBindings, history: History, completer: Completer
    ) -> None:
        self.view: View | None = None
        self.hint = ""
        self.queued: Callable[[], Sequence[str]] = list
        self.standing: Callable[[], str] = str  # a hint as long as it applies
        self.beside: Callable[[int], str] | None = None  # the companion's line
        self.status: Callable[[], str] = str  # the line of the user's script
        self.asked: Callable[[], Sequence[tuple[str, str]]] = tuple  # the keys of a question, with their words
        self.paged: Callable[[], Pager | None] = lambda: None  # a question that is longer than the screen
        self.label = "> "
        self.loop: asyncio.AbstractEventLoop | None = None
        self._waiting: deque[Event | str] = deque()
        self._woken = False
        self._drawn = 0.0
        self._is_lent = False
        assert sys.__stdin__ is not None
        self.output: SteadyOutput = make_output(stream)
        self.line = Buffer(
            multiline=True,
            history=history,
            completer=ThreadedCompleter(completer),
            complete_while_typing=Condition(self._completes_itself),
            enable_history_search=False,
        )
        self.answer = Buffer(multiline=False)
        self.app: Application[None] = Resizing(
            layout=make_layout(self),
            key_bindings=keys,
            style=style_of("dark" if colours else "mono"),
            include_default_pygments_style=False,
            full_screen=False,
            erase_when_done=True,
            enable_page_navigation_bindings=False,
            color_depth=None if colours else ColorDepth.DEPTH_1_BIT,
            input=GuardedInput(sys.__stdin__),
            output=self.output,
        )
        self.app.ttimeoutlen, self.app.timeoutlen = 0.05, 0.2

    @property
    def columns(self) -> int:
        """Width of the terminal in columns."""
        return self.output.get_size().columns

    @property
    def rows(self) -> int:
        """Height of the terminal in rows."""
        return self.output.get_size().rows

    def focus(self, *, on_answer: bool) -> None:
        """Move the input focus to the answer or to the line."""
        self.app.layout.focus(self.answer if on_answer else self.line)

    def leave_search(self) -> None:
        """Leave a search in the history, if there is one."""
        from prompt_toolkit.application.current import set_app
        from prompt_toolkit.search import stop_search

        with set_app(self.app):
            stop_search()

    def put(self, item: Event | str) -> None:
        """Show an event, or print escaped text; callable from any thread."""
        self._waiting.append(item)
        if self.loop is not None and not self._woken:
            self._woken = True
            try:
                self.loop.call_soon_threadsafe(self._soon)
            except RuntimeError:  # the loop is closed
                pass

    def changed(self) -> None:
        """Redraw the display when there is time."""
        self.app.invalidate()

    def settle(self) -> None:
        """Draw all queued items now."""
        self._woken = False
        if self._is_lent:
            return
        text = self.rest()
        if text:
            self._print(text)
        else:
            self.app.invalidate()

    def lend(self, is_lent: bool) -> None:
        """Stop drawing while another program uses the terminal."""
        self._is_lent = is_lent
        if not is_lent:
            self.put("")

    def _soon(self) -> None:
        assert self.loop is not None
        wait = self._drawn + FRAME_S - self.loop.time()
        if wait > 0:
            self.loop.call_later(wait, self.settle)
        else:
            self.settle()

    def rest(self) -> str:
        """Return queued text that is not printed yet."""
        columns, texts = self.columns, []
        while self._waiting:
            if self.view is None and not isinstance(self._waiting[0], str):
                break  # an event waits for the view
            item = self._waiting.popleft()
            if isinstance(item, str):
                texts += [self._finished(columns), item]
            elif self.view is not None:
                self.view.saw(item)
        texts.append(self._finished(columns))
        return "".join(texts)

    def _finished(self, columns: int) -> str:
        return self.view.finished(columns) if self.view is not None else ""

    def _print(self, text: str) -> None:
        """Print text above the display."""
        if self.loop is not None:
            self._drawn = self.loop.time()
        if not self.app.is_running:
            self._waiting.appendleft(text)
            return
        with self.output.held():
            self.app.renderer.erase(leave_alternate_screen=False)
            self.output.write_raw(text.replace("\r\n", "\n").replace("\n", "\r\n"))
            self.app._redraw()

    def _completes_itself(self) -> bool:
        text = self.line.document.text_before_cursor
        if text.startswith("/") and "\n" not in text:
            return True
        words = text.rsplit(None, 1)
        return not text.startswith("!") and bool(words) and words[-1].startswith("@") and text.endswith(words[-1])
