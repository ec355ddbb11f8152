"""The front-end port: who shows what happens and asks the person."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from inarch.contract.frozen import frozen
from inarch.contract.records import Approval, ChosenRights, ProposedFile, ToolCall

if TYPE_CHECKING:
    from inarch.contract.events import Event
    from inarch.contract.ports import Tool


@frozen
class FrontEndOptions:
    """What the command line says about showing.

    Args:
        quiet: Whether only the answer is wanted.
        no_color: Whether colours and styles are unwanted, whatever the terminal can.
    """

    quiet: bool = False
    no_color: bool = False


@frozen
class FrontEndSpec:
    """A front end that is made when `--output` names it.

    Args:
        name: The word for `--output`.
        open: Makes it.
        converse: Holds a conversation, as an `InteractiveFrontEnd` does; `inarch chat` calls it.
    """

    name: str
    open: Callable[[FrontEndOptions], FrontEnd]
    converse: Callable[[Any], int] | None = None


@frozen
class Right:
    """Something that a person can let a call do, beyond what it may anyway.

    Args:
        key: The letter that chooses it in a question.
        name: Its name in `Approval.rights`.
        words: What it is, in a few words.
        takes: What its values are called, such as `FILE`; empty where it takes none.
        choices: Values to choose from, where they are known; others may be given all the same.
    """

    key: str
    name: str
    words: str
    takes: str = ""
    choices: tuple[str, ...] = ()


@frozen
class RightsOffer:
    """What a tool's `rights` returns: what a person can let this call do, and what it may do as chosen.

    Args:
        rights: What can be chosen; each is off to begin with.
        chosen: What is chosen, resolved to what it is here and now.
        may: What the call may do with it, a line each, for the question.
        words: What an approval of this call with these rights covers; no other call has the same words.
        lasting: Whether such an approval may be kept for the project.
        asks: Whether `rights` are questions to the person, and what is chosen their answers.
        approve: The approve mode of the session once the call has succeeded, told with the question; empty leaves it.
            It counts where the person answers this very question.
        unasked: Whether a call that changes nothing, and is the person's to answer, runs where nobody can be asked; it
            then finds None in `context.rights`.
    """

    rights: tuple[Right, ...]
    chosen: ChosenRights
    may: tuple[str, ...]
    words: str
    lasting: bool = True
    asks: bool = False
    approve: Literal["", "ask", "edits"] = ""
    unasked: bool = False

    @property
    def is_once(self) -> bool:
        """Whether an answer holds for this very call alone."""
        return self.asks or bool(self.approve)


@frozen
class ApprovalRequest:
    """One call that waits for the person: what will really run, and why they are asked.

    Args:
        call: The call with its final arguments.
        tool: Its tool.
        reason: Why it is asked about.
        preview: What it would do, for people: a diff, the words of a command; not escaped.
        shape: What an approval of scope `shape` or `project` would cover, in words.
        file: The file as the call would leave it, where it is an edit of a text; `before` and `after` are not escaped.
        rights: What the person can let the call do beyond that, and what they chose; None where there is nothing.
        is_persons: Whether only an answer to this very call lets it run: one for the tool or the session does not.
        alike: Equal for calls that one approval of scope `shape` or `project` covers; words alone may be shared.
    """

    call: ToolCall
    tool: Tool
    reason: str
    preview: str = ""
    shape: str = ""
    file: ProposedFile | None = None
    rights: RightsOffer | None = None
    is_persons: bool = False
    alike: str = ""


class FrontEnd(Protocol):
    """Shows what happens and asks the person.

    One in which a person can point at something may offer `selection`, which every tool is given as plain data.
    """

    @property
    def name(self) -> str:
        """The word for `--output`."""
        ...

    def show(self, event: Event) -> None:
        """Show an event; `model.delta` ones come only here."""
        ...

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Ask about a batch of calls at once; a call without an answer is denied."""
        ...

    def close(self) -> None:
        """Finish the display; may be called twice."""
        ...
