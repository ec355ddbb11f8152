"""Stand-ins for the parts of a session that depend on more than the workspace and the replies.

They repeat the recorded results of commands, Git, memory, the tracer's index and other tools. They also repeat those
of plugins' context sources, tracers, rewriters, reviewers and end guards. The kernel, policies, file tools and
strategies that ask a model run for real.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Generator, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, frozen

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
    PluginError,
    ProviderError,
    Reply,
    RightsOffer,
    Situation,
    Tool,
    ToolContext,
    ToolFailed,
    ToolResult,
    Tracer,
)
from inarch_plugins.replay.recorded_turns import Covered, rights_of
from inarch_sdk.result_text import NO_ANSWER, USER_DENIED

if TYPE_CHECKING:
    from inarch_plugins.replay.player import Player
    from inarch_plugins.replay.recorded_turns import RecordedCall, RecordedTurn

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
        call = self.player.lineup.call_of(context.call_id)
        result = call.result if call is not None else None
        if call is None or result is None:
            raise ToolFailed("execution", "the record has no such call")
        beyond = result.error is not None and result.error.code in _BEYOND_REPEATING
        if self.tool.category in LIVE and not beyond:
            return self.tool.run(arguments, context)
        return _RecordedResult(self.player, call, context.call_id)

    def check(self, arguments: Mapping[str, Any], context: ToolContext) -> None:
        """Refuse what the record refused before the question. Older records asked first."""
        call = self.player.lineup.bind(context.call_id, self.tool.name)  # the player has not seen its start yet
        result = call.result if call is not None and not (call.is_questioned or call.by_mode or call.reviewed) else None
        if result is not None and result.error is not None:
            raise ToolFailed(result.error.code, result.error.message, result.error.remedy)

    def rights(self, arguments: Mapping[str, Any], chosen: ChosenRights) -> RightsOffer:
        """Allow the call the rights chosen in the record. They were checked then."""
        then, is_unasked = self.player.lineup.then(self.tool.name, chosen)
        given = self.player.lineup.given(self.tool.name)
        return RightsOffer(given, dict(chosen), (), self.tool.name, approve=then, unasked=is_unasked)

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
    """Stand-in for a plugin's context source. One that asked a model runs for real with the recorded replies."""

    source: ContextSource
    plugin: str
    player: Player
    decides: bool = False
    """Whether its plugin also has a strategy, which then asked the model."""

    @property
    def name(self) -> str:
        """The source's name."""
        return self.source.name

    async def gather(self, situation: Situation) -> Contribution | None:
        """Return the recorded contribution."""
        turn = self.player.turn
        if turn is None:
            return None
        raise_skipped(turn, f"context source {self.name!r}")
        if turn.asked_by(self.plugin) and not self.decides:
            return await self.source.gather(situation)
        added, notes = turn.of_source(self.name), tuple(turn.opening_notes(self.name))
        if (stop := turn.stopped_by(self.name)) is not None:
            return Contribution(notes=notes, stop=stop)
        if added is None:
            return Contribution(notes=notes) if notes else None
        text, calls = _text_and_calls(added, turn)
        return Contribution(text, calls, self.player.images(added.data), notes)


def _text_and_calls(added: Event, turn: RecordedTurn) -> tuple[str, tuple[PlannedCall, ...]]:
    """Split a recorded addition into the source's text and the calls whose results follow it."""
    text = str(added.data["text"])
    mine = turn.calls_of_source(added)
    if not mine or f"{mine[0].name}(" not in text:
        return text, ()
    head = text.partition(f"{mine[0].name}(")[0].removesuffix("\n\n")
    return head, tuple(PlannedCall(call.name, call.arguments) for call in mine)


@define(eq=False, repr=False)
class RecordedStrategy:
    """Stand-in for a plugin's strategy. One that asked a model runs for real with the recorded reply."""

    strategy: DecisionStrategy
    plugin: str
    player: Player

    @property
    def name(self) -> str:
        """The strategy's name."""
        return self.strategy.name

    async def decide(self, situation: Situation) -> Decision | None:
        """Return the decision."""
        turn = self.player.turn
        if turn is None:
            return None
        raise_skipped(turn, f"strategy {self.name!r}")
        made = turn.decision()
        own = made if made is not None and made.data.get("strategy") == self.name else None
        if turn.asked_by(self.plugin):
            asked = False

            async def ask(request: ModelRequest) -> Reply:
                nonlocal asked
                asked = True
                return await situation.ask(request)

            decision = await self.strategy.decide(evolve(situation, ask=ask))
            if asked:
                return decision
            await self._ask_again(situation, turn)  # it had remembered its repeated question
        return None if own is None else _decision(own, turn)

    async def _ask_again(self, situation: Situation, turn: RecordedTurn) -> None:
        for exchange in turn.asked_by(self.plugin):
            data = exchange.requested.data
            if data.get("attempt", 1) == 1:
                try:
                    await situation.ask(ModelRequest(data["model"], "", (), purpose=data["purpose"]))
                except ProviderError:
                    continue


def _decision(made: Event, turn: RecordedTurn) -> Decision:
    data = made.data
    calls = tuple(PlannedCall(call.name, call.arguments) for call in turn.calls if call.origin == "strategy")
    return Decision(
        data["decision"], calls, data.get("text", ""), data.get("reason", ""), data.get("confidence", 1.0),
        bool(data.get("cached")), data["strategy"], data.get("present", "results"),
    )  # fmt: skip


def raise_skipped(turn: RecordedTurn, what: str, after: float = 0, before: float = inf) -> None:
    """Raise the error with which the part was skipped between two event numbers."""
    error = turn.skipped(what)
    if error is not None and after < error.seq < before:
        message = str(error.data["message"]).removeprefix(f"{what} was skipped: ")
        plugin, door = str(error.data.get("plugin", "")), str(error.data.get("door", ""))
        if plugin or door:
            raise PluginError(message, plugin=plugin, door=door)
        raise ToolFailed("execution", message)


@define(eq=False, repr=False)
class RecordedTracer:
    """Stand-in for a tracer. It ignores events and repeats the recorded summary."""

    tracer: Tracer
    player: Player

    @property
    def name(self) -> str:
        """The tracer's name."""
        return self.tracer.name

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
            call = self.player.lineup.call_of(request.call.id)
            answer = call.answers.pop(0) if call is not None and call.answers else None
            if answer is not None and _was_answered(answer, request.call.name):
                answers.append(_approval(request.call.id, answer, request.call.name, self._ends_turn))
        return answers

    @property
    def _ends_turn(self) -> bool | None:
        """Return whether a denial ends the turn. In earlier versions the turn went on."""
        return None if self.player.turn is None else self.player.turn.was_refused

    def close(self) -> None:
        """Do nothing."""


def _was_answered(answer: Mapping[str, Any], name: str) -> bool:
    """Return whether the user gave this answer. Otherwise no user was there, or gave none for this call."""
    silent = answer.get("reason") == NO_ANSWER.format(name=name)
    return answer.get("by") != "headless" and not silent


def _approval(call_id: str, answer: Mapping[str, Any], name: str, ends_turn: bool | None) -> Approval:
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
        self._covered = self.player.lineup.next_covered(tool.name)
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
        """Return at once, unless the turn was stopped while it waited here."""
        await asyncio.sleep(0)
        if (error := self.player.lineup.left_alone()) is not None:
            raise error

    def sent(self, model: str, tokens: int) -> None:
        """Count nothing, because a replay makes a minute's requests in a second."""

    def corrected(self, model: str, estimated: int, used: int) -> None:
        """Count nothing."""

    def refused(self, model: str, error: ProviderError, attempt: int) -> float | None:
        """Return a wait of 0 if the record has another attempt, else None."""
        return 0.0 if self.player.lineup.is_made_again() else None
