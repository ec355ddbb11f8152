"""Companions of a conversation, such as a voice interface: with their own prompts, keys and status line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from attrs import frozen

from inarch import escape
from inarch_plugins.terminal.conversation.prompt_queue import Line
from inarch_plugins.terminal.conversation.streams import folded

if TYPE_CHECKING:
    from inarch import Session
    from inarch_plugins.terminal.conversation.chat import Chat


class Companion(Protocol):
    """Optional member `companion` of a launch; it uses the conversation through the `Beside` that `run` gets."""

    @property
    def keys(self) -> Mapping[str, Callable[[], object]]:
        """Actions of keys on an empty line, by prompt_toolkit's names such as `space`."""
        ...

    def status(self, columns: int) -> str:
        """Return its line in the display, which may have colours; empty for none."""
        ...

    def cancelled(self) -> None:
        """Handle a cancel by the user, with Esc or Ctrl-C, whether or not a turn runs."""
        ...

    async def run(self, beside: Beside) -> None:
        """Take part until cancelled; an exception ends the conversation."""
        ...


@frozen(eq=False)
class Beside:
    """The conversation as seen by its companion; use it only in its event loop."""

    _chat: Chat

    @property
    def session(self) -> Session:
        """Return the session that gets the next prompt."""
        assert self._chat.talk is not None
        return self._chat.talk.session

    def say(self, text: str, around: Callable[[], AbstractContextManager[object]]) -> None:
        """Run a turn with this prompt before queued lines, within `around()`; it is displayed without secrets."""
        self._chat.work.add_first(Line(self.hidden(text), text, around))

    def cancel(self) -> None:
        """Cancel the current work without holding back queued lines."""
        self._chat.work.cancel(holds=False)

    def hidden(self, text: str) -> str:
        """Return a text with placeholders for secrets, as the session stores it."""
        return self.session.state.journal.redactor.text(text)

    def changed(self) -> None:
        """Redraw the display when there is time."""
        self._chat.screen.changed()

    def tell(self, text: str) -> None:
        """Print a remark above the display."""
        screen = self._chat.screen
        line = folded(f"note: {escape(text, keep_newlines=False)}", screen.columns)
        screen.put(f"\x1b[33m{line}\x1b[0m\n" if self._chat.colours else f"{line}\n")
