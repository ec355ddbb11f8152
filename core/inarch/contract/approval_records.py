"""Records and events of approvals: the questions about calls and the user's answers.

They are in their own module because most sessions ask no question before their first answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Literal

from inarch.contract.frozen import frozen
from inarch.contract.ports import Tool
from inarch.contract.records import ApprovalScope, ChosenRights, Outcome, ProposedFile, ToolCall
from inarch.contract.workspaces import Trial


@frozen
class Right:
    """Additional right that the user can give a call.

    Args:
        key: The letter that chooses it in a question.
        name: Its name in `Approval.rights`.
        words: A short description.
        takes: Name of its values, such as `FILE`; empty if it takes none.
        choices: Suggested values, if known; other values are accepted too.
    """

    key: str
    name: str
    words: str
    takes: str = ""
    choices: tuple[str, ...] = ()


@frozen
class RightsOffer:
    """Return value of a tool's `rights`: the rights that the user can give this call, and what it may do as chosen.

    Args:
        rights: The rights to choose from; each is off at first.
        chosen: The chosen rights, resolved to present values.
        may: Effects that it allows the call, one line each, for the question.
        words: Description of an approval of this call with these rights; no other call has the same words.
        lasting: Whether such an approval may be stored for the project.
        asks: Whether `rights` are questions to the user, and `chosen` their answers.
        approve: The session's approval mode after the call succeeded, shown with the question; empty keeps the mode.
            It counts if the user answers this very question.
        usual: What the usual sandbox keeps from it, in a phrase.
        beyond: The effects of `may` that differ from the usual ones, one line each.
        likely: Rights that such a call plainly needs, for an answer that approves with them; empty for none.
        unasked: Whether the call runs without a user to ask, if it changes nothing and needs the user's answer; it
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
    usual: str = ""
    beyond: tuple[str, ...] = ()
    likely: Mapping[str, tuple[str, ...]] = {}

    @property
    def is_once(self) -> bool:
        """Whether an answer holds for this very call alone."""
        return self.asks or bool(self.approve)


@frozen
class ApprovalRequest:
    """One call that waits for the user: what will run, and why Inarch asks.

    Args:
        call: The call with its final arguments.
        tool: Its tool.
        reason: Why Inarch asks about it.
        preview: Its effects, for the user: a diff or the words of a command; not escaped.
        shape: Description of the calls that an approval of scope `shape` or `project` would cover.
        file: The file as the call would leave it, if it edits a text; `before` and `after` are not escaped.
        rights: Additional rights that the user can give, and those they chose; None for none.
        is_persons: Whether only an answer to this very call lets it run, not one for the tool or the session.
        alike: Equal for calls that one approval of scope `shape` or `project` covers; `shape` alone may be ambiguous.
        trial: Makes a dry run of the call; None if there is none here.
        title: What the call does in people's words, on one line: `Run pytest -q`, `Create notes.md`; not escaped.
        why: Why Inarch asks, in a sentence; empty for an edit in the mode `ask`.
        remark: What an edit reaches in the program, if a tracer knows; not escaped.
        may_give: For an approver, the names of the rights that it may give; None if only the user may approve.
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
    trial: Callable[[], Awaitable[Trial]] | None = None
    may_give: tuple[str, ...] | None = None
    title: str = ""
    why: str = ""
    remark: str = ""


@frozen
class Approval:
    """One answer to one waiting call; `arguments` are the changed ones if `outcome` is `modify`.

    If every call of a reply was denied and each answer says `ends_turn`, the turn ends. `ends_turn` of None means yes
    if there is no `reason`, because the model then has nothing to work with.

    `rights` replace the rights chosen before; they are from the call's `RightsOffer`. A `modify` without arguments
    changes only the rights, and Inarch asks about the call again.
    """

    call_id: str
    outcome: Outcome
    scope: ApprovalScope = "once"
    arguments: Mapping[str, Any] | None = None
    reason: str = ""
    ends_turn: bool | None = None
    rights: ChosenRights | None = None


@frozen
class ApprovalAsked:
    """Event: calls wait for an answer; `digests` bind it to their final arguments."""

    kind: ClassVar[str] = "approval.asked"
    call_ids: tuple[str, ...]
    digests: tuple[str, ...]
    reasons: tuple[str, ...] = ()


@frozen
class ApprovalGiven:
    """Event: an answer arrived; `by` is `user`, `mode` (the approval mode), `headless` or `reviewer` (an approver).

    The `outcome` of an approver of `plugin` may be `ask`: it leaves the question to the user, for this `reason`. `stop`
    also ends the turn if there is no user.

    `arguments` are those that the user gave the call if `outcome` is `modify`. `rights` are the additional rights from
    the user. `approve` is the session's approval mode after the call succeeded.
    """

    kind: ClassVar[str] = "approval.given"
    call_id: str
    outcome: str
    scope: str = "once"
    by: str = "user"
    reason: str = ""
    arguments: Mapping[str, Any] | None = None
    rights: Mapping[str, tuple[str, ...]] | None = None
    approve: str = ""
    plugin: str = ""
