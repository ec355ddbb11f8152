"""The front-end port: who shows what happens and asks the person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from inarch.contract.frozen import frozen

if TYPE_CHECKING:
    from inarch.contract.approval_records import Approval, ApprovalRequest
    from inarch.contract.events import Event


@frozen
class FrontEndOptions:
    """Display options of the command line.

    Args:
        quiet: Whether only the answer is wanted.
        no_color: Whether colours and styles are unwanted, whatever the terminal can.
    """

    quiet: bool = False
    no_color: bool = False


@frozen
class FrontEndSpec:
    """Front end that is made when `--output` names it.

    Args:
        name: The word for `--output`.
        open: Makes it.
        converse: Holds a conversation, as an `InteractiveFrontEnd` does; `inarch chat` calls it.
    """

    name: str
    open: Callable[[FrontEndOptions], FrontEnd]
    converse: Callable[[Any], int] | None = None


class FrontEnd(Protocol):
    """Port: shows events and asks the user.

    One in which a person can point at something may offer `selection`, which every tool is given as plain data.
    """

    @property
    def name(self) -> str:
        """The word for `--output`."""

    def show(self, event: Event) -> None:
        """Show an event; `model.delta` ones come only here."""

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Ask about a batch of calls at once; a call without an answer is denied."""

    def close(self) -> None:
        """Finish the display; may be called twice."""
