"""Ports for interventions: rewriting, approving and reviewing calls, and holding back a turn's end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from inarch.contract.capabilities import Patient, able
from inarch.contract.frozen import frozen
from inarch.contract.ports import Situation, Tool, ToolContext
from inarch.contract.records import ToolCall, ToolError, ToolResult

if TYPE_CHECKING:
    from inarch.contract.approval_records import Approval, ApprovalRequest

LONGEST_S = 60.0
"""Default time limit of each of these in seconds, without its own `timeout_s`."""
MOST_S = 600.0
"""Maximum of a `timeout_s` in seconds."""
LONGEST_HOLD_S = 86_400.0
"""The same of an end guard, which may wait for a process."""
MOST_TEXT = 16_000
"""Characters of a text for the model; a longer one is shown with head and tail."""


@frozen
class Rewrite:
    """New arguments of a call and a decision about it.

    Args:
        arguments: Its arguments from now on; None leaves them as they are.
        decision: `deny` and `ask` tighten the decision, `stop` denies the call and ends the turn. `allow` answers the
            question of the approval mode or of the tool itself, if the user's own file names the plugin in `may_allow`;
            otherwise it has no effect.
        reason: Why, for the user and, if the call is denied, for the model.
        person: Whether only the user can answer its question, not an approval mode, grant or earlier approval.
    """

    arguments: Mapping[str, Any] | None = None
    decision: Literal["", "allow", "ask", "deny", "stop"] = ""
    reason: str = ""
    person: bool = False


@frozen
class Review:
    """Review of a call that is more than text.

    Args:
        text: Text for the model, with the result.
        stop: Whether the turn ends when the running calls have ended; its answer is then the text.
        data: The result's data for the model from now on, as plain JSON; None leaves it as it is.
    """

    text: str = ""
    stop: bool = False
    data: Any = None


class Rewriter(Protocol):
    """Port of an object that sees each call before it is judged, and may change it.

    If it raises, returns another type or times out, it is skipped with a note. An `async` one runs on the loop, any
    other in a thread.
    """

    @property
    def name(self) -> str:
        """Name for messages."""

    def rewrite(self, call: ToolCall, tool: Tool, context: ToolContext) -> Rewrite | Awaitable[Rewrite | None] | None:
        """Return the rewrite of a valid call, or None; through `context` it may read and must not change anything."""


Reviewed = str | Review | None


class Reviewer(Protocol):
    """Port of an object that sees each ended call, and may change its result; it fails as a rewriter does."""

    @property
    def name(self) -> str:
        """Name for messages."""

    def review(self, call: ToolCall, tool: Tool, context: ToolContext) -> Reviewed | Awaitable[Reviewed]:
        """Return text for the model to read with the result, a `Review`, or None.

        Calls that wait for this one wait for its reviewers, too. Through `context` a reviewer may change the files that
        the call declared to write, and run programs. Those changes belong to the call and are undone with it.
        """


Decided: TypeAlias = "Approval | str | None"


class Approver(Protocol):
    """Port of an object that answers questions in the user's place, in turns with the mode `auto` or a wider one.

    It is asked after rules, policies, the mode and earlier approvals, and before the user. Its approval counts if
    `request.may_give` is not None and has all of its rights. Its denial always counts.
    """

    @property
    def name(self) -> str:
        """Name for messages."""

    async def decide(self, request: ApprovalRequest, situation: Situation) -> Decided:
        """Return an approval, a denial, a text, or None, which asks the next approver.

        A text says why the user must be asked. Without a user, the call ends with the error `unreviewed`. A denial with
        `ends_turn` is such a text, too, and ends the turn if there is no user. An approver that raises or times out
        leaves the question to the user.
        """


async def _call_nothing(tool: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Run no call: the default for an ending without a turn."""
    return ToolResult(False, error=ToolError("not_found", "no turn runs here that could call a tool"))


def _conclude_nothing(status: Literal["done", "limited", "failed"], reason: str) -> None:
    """End no turn: the default for an ending without one."""


@frozen
class Ending:
    """Turn that is about to end, as end guards see it.

    `call` runs a tool in the turn as if a model had called it; the model does not see it. `conclude` ends the turn with
    this status. `done` says that its work is done, even if some calls failed. The others have the guard's name as the
    turn's `limit`, and the reason of `failed` as its error; no other guard is asked then.

    Args:
        situation: The turn, its messages, the workspace, and `record`.
        answer: The model's last text.
        calls: The turn's calls, oldest first.
        held: How often the end of this turn was held back already.
    """

    situation: Situation
    answer: str
    calls: tuple[ToolCall, ...] = ()
    held: int = 0
    call: Callable[[str, Mapping[str, Any]], Awaitable[ToolResult]] = _call_nothing
    conclude: Callable[[Literal["done", "limited", "failed"], str], None] = _conclude_nothing


class EndGuard(Protocol):
    """Port of an object that is asked before a turn ends without further tool calls; `max_holds` limits its vetoes.

    A guard with an attribute `most_holds` has that limit of its own, and each of its vetoes allows the turn
    `max_iterations` more requests.
    """

    @property
    def name(self) -> str:
        """Name for messages."""

    async def hold(self, ending: Ending) -> str | None:
        """Return why the turn must continue, for the model, or None to let it end."""


def patience_of(part: object, most: float = MOST_S) -> float:
    """Return the time limit of one of these in seconds: its own `timeout_s`, or the default, within bounds."""
    patient = able(part, Patient)
    given = patient.timeout_s if patient is not None else LONGEST_S
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool) and given > 0
    return min(float(given), most) if is_number else LONGEST_S
