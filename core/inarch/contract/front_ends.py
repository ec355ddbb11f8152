"""Port of front ends, which show events and ask the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from inarch.contract.frozen import frozen

if TYPE_CHECKING:
    from inarch.contract.approval_records import Approval, ApprovalRequest
    from inarch.contract.events import Event


@frozen
class FrontEndOptions:
    """Command-line options about output.

    Args:
        quiet: Whether to show only the answer.
        no_color: Whether to avoid colours and styles, whatever the terminal supports.
        plain: Whether to write whole sentences for screen readers, and redraw nothing.
    """

    quiet: bool = False
    no_color: bool = False
    plain: bool = False


@frozen
class FrontEndSpec:
    """Front end that is created when `--output` names it.

    Args:
        name: Its name for `--output`.
        open: Creates it.
        converse: Holds a conversation, as an `InteractiveFrontEnd` does; `inarch chat` calls it.
    """

    name: str
    open: Callable[[FrontEndOptions], FrontEnd]
    converse: Callable[[Any], int] | None = None


class FrontEnd(Protocol):
    """Port of an object that shows events and asks the user.

    If the user can select something in it, it may offer `selection`, which every tool receives as plain data.
    """

    @property
    def name(self) -> str:
        """Its name for `--output`."""

    def show(self, event: Event) -> None:
        """Show an event; only this method receives `model.delta` events."""

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Ask about a batch of calls at once; a call without an answer is denied."""

    def close(self) -> None:
        """Finish the display; may be called twice."""
