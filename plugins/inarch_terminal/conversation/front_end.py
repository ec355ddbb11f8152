"""The conversation as the kernel sees it: it shows events and asks for approvals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from inarch import Approval, ApprovalRequest, Event

if TYPE_CHECKING:
    from inarch_terminal.conversation.asking import ApprovalKeys
    from inarch_terminal.conversation.screen import Screen


@frozen(eq=False)
class ScreenFrontEnd:
    """Passes events to the screen, questions to who asks them, and words of plugins to who has the model asked."""

    screen: Screen
    asking: ApprovalKeys
    wake: Callable[[], object]
    name: str = "conversation"

    def show(self, event: Event) -> None:
        """Put an event in line to be drawn; from any thread."""
        self.screen.put(event)
        if event.kind == "input.waiting" and event.data["by"]:
            self.wake()

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Ask about a batch of calls."""
        return await self.asking.ask(batch)

    def close(self) -> None:
        """Do nothing: the conversation ends the screen."""
