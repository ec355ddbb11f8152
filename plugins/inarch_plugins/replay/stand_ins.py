"""Stand-ins for the parts of a session that depend on more than the workspace and the replies.

They repeat the recorded results of commands, Git, memory, the tracer's index and other tools. They also repeat those
of plugins' context sources, strategies and tracers. The kernel, policies and file tools run for real.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Generator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from attrs import Factory, define, field, frozen

from inarch import (
    Approval,
    ApprovalRequest,
    ApprovalScope,
    ChosenRights,
    ContextSource,
    Contribution,
    Decision,
    DecisionStrategy,
    Event,
    ModelRequest,
    PlannedCall,
    ProviderError,
    RightsOffer,
    Situation,
    StoreError,
    Tool,
    ToolContext,
    ToolFailed,
    ToolResult,
    Tracer,
)
from inarch_plugins.replay.recorded_turn import Covered, rights_of
from inarch_sdk.memory_store import MemoryStore
from inarch_sdk.result_text import NO_ANSWER, USER_DENIED

if TYPE_CHECKING:
    from inarch_plugins.replay.checkpoints import Blob
    from inarch_plugins.replay.player import Player
    from inarch_plugins.replay.recorded_turn import RecordedCall, RecordedTurn

FOR_GOOD = 1e9
"""Time limit in seconds that is never reached."""
LIVE = frozenset({"file", "search"})
"""Categories of tools that run for real, because they see only the workspace."""
_BEYOND_REPEATING = frozenset({"timeout", "cancelled", "unknown_outcome"})
"""Errors from outside. A call that ended with one ends with it again."""


@define(eq=False, repr=False)
class RecordedTool:
    """A tool that runs for real or repeats its recorded result, without retries and time limits."""

    tool: Tool
    player: Player
    max_retries: int = 0
    timeout_s: float = FOR_GOOD

    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any | Awaitable[Any]:
        """Run the tool if its category is in `LIVE`, else return the recorded result."""
        call = self._call(context)
        result = call.result if call is not None else None
        if call is None or result is None:
            raise ToolFailed("execution", "the record has no such call")
        beyond = result.error is not None and result.error.code in _BEYOND_REPEATING
        if self.tool.category in LIVE and not beyond:
            return self.tool.run(arguments, context)
        return _RecordedResult(self.player, call, context.call_id)

    def _call(self, context: ToolContext) -> RecordedCall | None:
        turn = self.player.turn
        return None if turn is None else turn.bind(context.call_id, self.tool.name)

    def check(self, arguments: Mapping[str, Any], context: ToolContext) -> None:
        """Refuse what the record refused before the question. Older records asked first."""
        call = self._call(context)
        result = None if call is None or call.is_questioned or call.by_mode else call.result
        if result is not None and result.error is not None:
            raise ToolFailed(result.error.code, result.error.message, result.error.remedy)

    def rights(self, arguments: Mapping[str, Any], chosen: ChosenRights) -> RightsOffer:
        """Allow the call the rights chosen in the record. They were checked then."""
        turn = self.player.turn
        then, is_unasked = (None, False) if turn is None else turn.then(self.tool.name, chosen)
        return RightsOffer((), dict(chosen), (), self.tool.name, approve=then or "", unasked=is_unasked)

    def effects(self, arguments: Mapping[str, Any]) -> Any:
        """Return the tool's effects."""
        return self.tool.effects(arguments)

    def __getattr__(self, name: str) -> Any:
        if name == "function":  # whether that is asynchronous does not matter here
            raise AttributeError(name)
        return getattr(self.tool, name)


@frozen(eq=False, repr=False)
class _RecordedResult:
    """Awaitable for the recorded result. The call may be cancelled before it is awaited."""

    player: Player
    call: RecordedCall
    call_id: str

    def __await__(self) -> Generator[Any, None, ToolResult]:
        return self.player.say_again(self.call, self.call_id).__await__()


@define(eq=False, repr=False)
class RecordedSource:
    """Stand-in for a plugin's context source."""

    source: ContextSource
    player: Player
    name: str = field(init=False, default=Factory(lambda self: self.source.name, takes_self=True))

    async def gather(self, situation: Situation) -> Contribution | None:
        """Return the recorded contribution."""
        turn = self.player.turn
        if turn is None:
            return None
        added, notes = turn.of_source(self.name), tuple(turn.opening_notes(self.name))
        if added is None:
            return Contribution(notes=notes) if notes else None
        return Contribution(str(added.data["text"]), (), self.player.images(added.data), notes)


@define(eq=False, repr=False)
class RecordedStrategy:
    """Stand-in for a plugin's strategy. It repeats the requests, too."""

    strategy: DecisionStrategy
    plugin: str
    player: Player
    name: str = field(init=False, default=Factory(lambda self: self.strategy.name, takes_self=True))

    async def decide(self, situation: Situation) -> Decision | None:
        """Return the recorded decision."""
        turn = self.player.turn
        if turn is None:
            return None
        for requested in turn.asked_by(self.plugin):
            data = requested.data
            with suppress(ProviderError):
                await situation.ask(
                    ModelRequest(data["model"], "", (), tool_choice=data["tool_choice"], purpose=data["purpose"])
                )
        made = turn.decision()
        return None if made is None or made.data.get("strategy") != self.name else _decision(made, turn)


def _decision(made: Event, turn: RecordedTurn) -> Decision:
    data = made.data
    calls = tuple(PlannedCall(call.name, call.arguments) for call in turn.calls.values() if call.origin == "strategy")
    return Decision(
        data["decision"], calls, data.get("text", ""), data.get("reason", ""), data.get("confidence", 1.0),
        bool(data.get("cached")), data["strategy"], data.get("present", "results"),
    )  # fmt: skip


class Silent:
    """Stand-in for a rewriter, approver, reviewer or end guard. A turn in which one acted is not run."""

    def __init__(self, part: Any) -> None:
        self.name = str(part.name)

    async def _nothing(self, *_: Any) -> None:
        """Leave everything as it is."""

    rewrite = decide = review = hold = _nothing


@define(eq=False, repr=False)
class RecordedTracer:
    """Stand-in for a tracer. It ignores events and repeats the recorded summary."""

    tracer: Tracer
    player: Player
    name: str = field(init=False, default=Factory(lambda self: self.tracer.name, takes_self=True))

    def saw(self, event: Event) -> None:
        """Do nothing."""

    def summary(self, turn_id: str) -> str | None:
        """Return the recorded line."""
        turn = self.player.turn
        return None if turn is None else turn.closing_note(self.name)

    def close(self) -> None:
        """Close the tracer itself."""
        self.tracer.close()

    def __getattr__(self, name: str) -> Any:
        member = getattr(self.tracer, name)
        return self.saw if name == "copied" else member  # it stores nothing


@define(eq=False, repr=False)
class RecordedPerson:
    """Stand-in for the front end. It repeats the user's recorded answers."""

    player: Player
    name: str = "replay"

    def show(self, event: Event) -> None:
        """Pass the event to the player."""
        self.player.saw(event)

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Return the recorded answers."""
        answers: list[Approval] = []
        for request in batch:
            turn = self.player.turn
            call = None if turn is None else turn.bind(request.call.id, request.call.name)
            answer = call.answers.pop(0) if call is not None and call.answers else None
            if answer is not None and _was_answered(answer, request.call.name):
                # A denial ends the turn. In earlier versions the turn went on.
                ends_turn = turn is not None and bool((turn.end or {}).get("unmet"))
                answers.append(_approval(request.call.id, answer, request.call.name, ends_turn))
        return answers

    def close(self) -> None:
        """Do nothing."""


def _was_answered(answer: Mapping[str, Any], name: str) -> bool:
    """Return whether the user gave this answer. Otherwise no user was there, or gave none for this call."""
    silent = answer.get("reason") == NO_ANSWER.format(name=name)
    return answer.get("by") != "headless" and not silent


def _approval(call_id: str, answer: Mapping[str, Any], name: str, ends_turn: bool) -> Approval:
    reason = str(answer.get("reason") or "")
    if answer["outcome"] == "deny" and reason == USER_DENIED.format(name=name):
        reason = ""
    scope, arguments, rights = answer.get("scope", "once"), answer.get("arguments"), answer.get("rights")
    chosen = None if rights is None else rights_of(answer)
    return Approval(call_id, answer["outcome"], scope, arguments, reason, ends_turn, chosen)


@define(eq=False, repr=False)
class RecordedApprovals:
    """Recorded lasting approvals. Nothing is stored."""

    player: Player
    _covered: Covered | None = None

    def scope_of(self, shape: str, tool: Tool) -> ApprovalScope | None:
        """Return the scope of the earlier approval that covered the call in the record."""
        turn = self.player.turn
        self._covered = None if turn is None else turn.next_covered(tool.name)
        return None if self._covered is None else self._covered.scope

    def rights_of(self, shape: str, tool: Tool) -> ChosenRights:
        """Return the rights chosen with that approval."""
        return {} if self._covered is None else self._covered.rights

    def remember(self, scope: ApprovalScope, shape: str, tool: Tool, words: str) -> None:
        """Do nothing, because the record has the calls that an approval covered."""


@define(eq=False, repr=False)
class RecordedPacing:
    """Pacing without waits or time limits for replies. It retries when the record did."""

    player: Player
    longest_silence_s: float = FOR_GOOD
    longest_reply_s: float = FOR_GOOD

    async def before(self, model: str, tokens: int, told: Any, patience: float = float("inf")) -> None:
        """Return at once."""
        await asyncio.sleep(0)

    def sent(self, model: str, tokens: int) -> None:
        """Count nothing, because a replay makes a minute's requests in a second."""

    def corrected(self, model: str, estimated: int, used: int) -> None:
        """Count nothing."""

    def refused(self, model: str, error: ProviderError, attempt: int) -> float | None:
        """Return a wait of 0 if the record has another attempt, else None."""
        return 0.0 if self.player.turn is not None and self.player.turn.is_made_again() else None


@define(eq=False, repr=False)
class CopyStore(MemoryStore):
    """Store of a run. `kept` returns the bytes that the recorded session stored."""

    kept: Blob

    def get_blob(self, session_id: str, ref: str) -> bytes:
        """Return the bytes of a reference, from the run or else the record."""
        try:
            return super().get_blob(session_id, ref)
        except StoreError:
            return self.kept(ref)
