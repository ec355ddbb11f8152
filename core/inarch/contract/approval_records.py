"""What a person is asked about calls, and their answers: the records of it, and the events.

Apart from the other records, for most sessions ask nothing before their first answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from inarch.contract.frozen import frozen
from inarch.contract.ports import Tool
from inarch.contract.records import ApprovalScope, ChosenRights, Outcome, ProposedFile, ToolCall


@frozen
class Right:
    """Something that a user can let a call do beyond its normal rights.

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
    """Rights that a tool offers in the question about a call, and what the call may do with the chosen ones.

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
    """Call that waits for the user, as it will run, with the reason for the question.

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


@frozen
class Approval:
    """Answer to one awaited call. `arguments` are the changed ones if `outcome` is `modify`.

    A turn of which every call of a reply was denied ends, if each answer says that it `ends_turn`; None says so where
    no `reason` is given, for the model has nothing to go on with.

    `rights` are those that the call shall have in place of what was chosen before, of those that its `RightsOffer`
    names; a `modify` that gives no arguments changes them alone, and the call is asked about again with them.
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
    """Calls wait for an answer; `digests` bind it to their final arguments."""

    kind: ClassVar[str] = "approval.asked"
    call_ids: tuple[str, ...]
    digests: tuple[str, ...]
    reasons: tuple[str, ...] = ()


@frozen
class ApprovalGiven:
    """An answer came; `by` is `user`, `mode` (the approve mode) or `headless`.

    `arguments` are those that the person gave the call where `outcome` is `modify`, `rights` those that they added to
    what it may do, `approve` the approve mode of the session once the call has succeeded.
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
