"""Who takes part in a conversation beside the keyboard, such as a voice: with prompts, keys and a line of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from attrs import frozen

from inarch import escape
from inarch_plugins.terminal.conversation.prompt_queue import Line
from inarch_plugins.terminal.conversation.streams import folded

if TYPE_CHECKING:
    from inarch import Launch, Session
    from inarch_plugins.terminal.conversation.chat import Chat


class Companion(Protocol):
    """The optional member `companion` of a launch; it knows the conversation by what `run` is given, a `Beside`."""

    @property
    def keys(self) -> Mapping[str, Callable[[], object]]:
        """What keys do while nothing stands in the line, by prompt_toolkit's names, such as `space`."""
        ...

    def status(self, columns: int) -> str:
        """Return its line of the picture, which may have colours; empty for none."""
        ...

    def cancelled(self) -> None:
        """Take note that the person cancels: Esc or Ctrl-C, whether or not a turn runs."""
        ...

    async def run(self, beside: Beside) -> None:
        """Take part until cancelled; what it raises ends the conversation."""
        ...


def companion_of(launch: Launch) -> Companion | None:
    """Return who takes part beside the keyboard, if anybody does."""
    found: Companion | None = getattr(launch, "companion", None)
    return found


@frozen(eq=False)
class Beside:
    """The conversation, for its companion; to be used in its event loop.

    Args:
        chat: The conversation.
    """

    _chat: Chat

    @property
    def session(self) -> Session:
        """The session that the next prompt goes to."""
        assert self._chat.talk is not None
        return self._chat.talk.session

    def say(self, text: str, around: Callable[[], AbstractContextManager[object]]) -> None:
        """Run a turn with this prompt before what waits in line, within `around()`; it is shown without secrets."""
        self._chat.work.add_first(Line(self.hidden(text), text, around))

    def cancel(self) -> None:
        """Cancel what is being done; what waits in line is not held back."""
        self._chat.work.cancel(holds=False)

    def hidden(self, text: str) -> str:
        """Return a text as it may be shown: with placeholders for secrets, as the session keeps it."""
        return self.session.state.journal.redactor.text(text)

    def changed(self) -> None:
        """Draw the picture anew when there is time."""
        self._chat.screen.changed()

    def tell(self, text: str) -> None:
        """Print a remark above the picture."""
        screen = self._chat.screen
        line = folded(f"note: {escape(text, keep_newlines=False)}", screen.columns)
        screen.put(f"\x1b[33m{line}\x1b[0m\n" if self._chat.colours else f"{line}\n")
