"""What is said to a model beside prompts: it goes in before the next request of a turn, or begins the next prompt."""

from __future__ import annotations

from typing import Protocol

from inarch.contract.frozen import frozen


@frozen
class Input:
    """Accepted text that waits for the next request.

    Args:
        id: By which they can be taken back while they wait.
        text: The words, without secrets.
        by: The plugin that said them; empty for the person.
        turn_id: The turn that was running; empty where none was, so that they begin the next prompt.
    """

    id: str
    text: str
    by: str = ""
    turn_id: str = ""

    @property
    def wording(self) -> str:
        """The words as a model reads them: those of a plugin are no person's."""
        return f"[From the plugin {self.by}, not from the person]\n{self.text}" if self.by else self.text


class Inbox(Protocol):
    """Messages from a plugin to the model, also after the call has ended.

    A front end that can wakes the session where no turn runs; elsewhere the words begin the next prompt.
    """

    def say(self, text: str) -> Input:
        """Have words go in before the next request; from any thread. They are kept when this returns.

        Raises:
            UsageError: There are no words.
            StoreError: The journal is required and could not be kept.
        """

    def unsay(self, input_id: str) -> bool:
        """Take words back; whether they were still waiting."""
