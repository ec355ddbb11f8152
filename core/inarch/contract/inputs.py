"""Messages to a model apart from prompts: they precede the next request of a turn or begin the next prompt."""

from __future__ import annotations

from typing import Protocol

from inarch.contract.frozen import frozen


@frozen
class Input:
    """Accepted message, in the order of typing.

    Args:
        id: Identifies it for a withdrawal while it waits.
        text: The text, with secrets redacted.
        by: The plugin that sent it; empty for the user.
        turn_id: The running turn; empty if there was none, so that the text begins the next prompt.
    """

    id: str
    text: str
    by: str = ""
    turn_id: str = ""

    @property
    def wording(self) -> str:
        """The text as a model reads it; a plugin's is marked as not from the user."""
        return f"[From the plugin {self.by}, not from the person]\n{self.text}" if self.by else self.text


class Inbox(Protocol):
    """Inbox for a plugin's messages to the model, usable after its call has ended.

    If no turn runs, a capable front end wakes the session. Otherwise the text begins the next prompt.
    """

    def say(self, text: str) -> Input:
        """Add a text before the next request, from any thread. It is stored when this returns.

        Raises:
            UsageError: The text is empty.
            StoreError: The journal is required and could not store it.
        """

    def unsay(self, input_id: str) -> bool:
        """Withdraw a text; return whether it was still waiting."""
