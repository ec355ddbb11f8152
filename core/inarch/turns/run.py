"""State of one running turn: shared by the loop, sources and strategies, and recorded however the turn ends."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from attrs import define, evolve, field

from inarch.contract.compaction import EarlierTurn
from inarch.contract.errors import ErrorCode, InarchError, PluginError, StoreError
from inarch.contract.event_parts import KeptImage
from inarch.contract.events import ContextAdded, DecisionMade, ErrorHappened, Event, Note, TurnEnded, TurnStarted
from inarch.contract.guard import KERNEL, guarded
from inarch.contract.ports import Situation
from inarch.contract.records import (
    AnsweredBy,
    CallOrigin,
    CallPart,
    Image,
    Message,
    ModelRequest,
    Part,
    PlannedCall,
    PromptMode,
    Reasoning,
    ResultPart,
    Text,
    ToolCall,
    ToolError,
    ToolResult,
    Turn,
    TurnStatus,
)
from inarch.contract.slash_commands import Submitted
from inarch.journal.pictures import keep_image, with_bytes
from inarch.turns.meter import AnswerRefused, LimitReached, Meter, Refused, Repeats, Stopped, TurnLimits, child_seconds
from inarch.turns.model_client import Asker
from inarch.turns.models import Choice
from inarch.turns.services import tell_of_service
from inarch.turns.session_state import SessionState
from inarch_sdk.result_text import NOT_ASKED, with_added

RECORDED = (
    "model", "fallback", "decision_model", "strategy", "approve", "max_iterations", "max_seconds", "max_cost_usd",
    "max_tokens", "max_reply_bytes", "max_holds", "context_turns", "effort",
    "output_schema",
)  # fmt: skip
"""Profile keys stored in a turn's record, which a replay uses."""
LONGEST_ERROR = 2_000
"""Characters of an unforeseen error that a turn's record stores."""
NOT_DONE: frozenset[ErrorCode] = frozenset(
    {"denied", "unreviewed", "permission", "validation", "not_found", "conflict", "execution"}
)
"""Errors after which a call has changed nothing; one that was stopped while it ran may have done a part."""


@define(eq=False, repr=False)
class TurnRun:
    """The state of one running turn."""

    state: SessionState
    turn: Turn
    prompt: str
    main: Choice
    meter: Meter
    asker: Asker
    earlier: list[Message]
    messages: list[Message] = field(factory=list)
    calls: list[ToolCall] = field(factory=list)
    effectful: set[str] = field(factory=set)
    declined: bool = False
    erased: bool = False
    stopping: tuple[str, str] | None = None
    is_over: bool = False
    unkept: int = 0
    repeats: Repeats = field(factory=Repeats)
    happened: tuple[Event, ...] = ()

    @classmethod
    def begin(cls, state: SessionState, prompt: str, before: Collection[str] = ()) -> TurnRun:
        """Choose the model, then record the user's turn and the agent's, with secrets in the prompt redacted.

        Raises:
            ConfigError: The profile's model is not available.
            UsageError: The prompt is empty.
        """
        profile = state.config.profile
        main = state.parts.choose(profile.model)
        model = main.full_name
        mode: PromptMode = prompt.mode if isinstance(prompt, Submitted) else "text"
        own_cost = prompt.max_cost_usd if isinstance(prompt, Submitted) else None
        max_cost = min((one for one in (profile.max_cost_usd, own_cost) if one is not None), default=None)
        if state.branch is None:  # a child's prompt is not the user's
            waiting = [one.text for one in state.inputs.waiting if one.id in before and not one.by]
            typed = prompt.typed if isinstance(prompt, Submitted) and prompt.typed else prompt
            state.prompts += [*waiting, state.journal.redactor.text(typed)]
        prompt, said_before = state.inputs.prompt(state.journal.redactor.text(prompt), before)
        clock = state.journal.clock
        now = clock.utc_now()
        parent = state.turns[-1].id if state.turns else None
        asked = Turn(
            clock.new_id(), "user", parent, state.journal.session_id, now, now, prompt, status="done", mode=mode
        )
        turn = Turn(clock.new_id(), "agent", asked.id, state.journal.session_id, now, model=model, mode=mode)
        state.journal.record_all([*said_before, (TurnStarted(asked), asked.id)])
        state.inputs.begin(turn.id)
        settings = {key: getattr(profile, key) for key in RECORDED} | {"max_cost_usd": max_cost}
        state.journal.record(TurnStarted(turn, settings), turn.id)
        tell_of_service(state, main, turn.id)
        if main.note:
            state.journal.record(Note(main.note, "model"), turn.id)
        times = (profile.max_seconds, None if state.above is None else child_seconds(state.above))
        # A child must end before the call that runs it does.
        seconds = min((time for time in times if time is not None), default=None)
        limits = TurnLimits(profile.max_iterations, seconds, profile.max_tokens, max_cost)
        meter = state.meter = Meter(limits, state.above)
        asker = Asker(state, meter, turn.id, list(profile.fallback))
        opening = Message("user", (Text(prompt),))
        happened = tuple(state.between.events)  # the first source that asks a model ends that
        return cls(state, turn, prompt, main, meter, asker, state.earlier_messages(), [opening], happened=happened)

    async def call(self, calls: Sequence[CallPart | PlannedCall], origin: CallOrigin) -> tuple[ToolCall, ...]:
        """Run a batch of calls; return all of them, one result per call, in call order.

        Raises:
            LimitReached: The turn repeats itself, or an approver denied too much.
            Refused: The user denied every one without a comment, or an approver too much and nothing was done.
        """
        scheduler = self.state.scheduler
        try:
            done = await scheduler.run(self.turn.id, calls, origin, tuple(self.calls), situation=self.situation)
        except asyncio.CancelledError:
            self.calls.extend(scheduler.last.calls)
            raise
        finally:
            # Also if the batch was cancelled: its possible changes count.
            self.effectful |= scheduler.last.effectful
        self.calls.extend(done)
        self.stopping = scheduler.last.stopped
        denials = scheduler.last.denials
        if scheduler.last.refused or (denials and self._came_to_nothing()):
            self.declined = True
            raise Refused
        if denials:
            raise LimitReached("denials", f"stopped: {denials}")
        if origin == "model" and (warning := self.repeats.saw(done, self.state.seen)):
            done = self.calls[-len(done) :] = self._add_warning(done, warning)
        return done

    def _add_warning(self, calls: tuple[ToolCall, ...], warning: str) -> tuple[ToolCall, ...]:
        """Return calls whose last result ends with Inarch's own warning, in the form of a reviewer's text."""
        from inarch.contract.other_events import CallReviewed

        *others, last = calls
        self.state.journal.record(CallReviewed(last.id, last.name, KERNEL, "limits", warning), self.turn.id)
        result = last.result and with_added(last.result, KERNEL, warning)
        return (*others, evolve(last, result=result))

    def check_stopped(self) -> None:
        """End the turn if a plugin requested that at one of the last calls.

        Raises:
            Stopped: It did.
        """
        if self.stopping is not None:
            raise Stopped(*self.stopping)

    def stop(self, stopped: Stopped) -> None:
        """Record that a plugin ends the turn, and why."""
        self.close_calls()
        self.declined, self.erased = True, stopped.erases
        self.messages.append(text_message(stopped.text))
        reason = NOT_ASKED if stopped.erases else ""
        self.state.journal.record(DecisionMade(stopped.by, "answer", reason, text=stopped.text), self.turn.id)

    def hear(self) -> None:
        """Add the messages received meanwhile: after the results, or to the last message."""
        inputs = self.state.inputs.add_to_turn()
        self.state.prompts += [one.text for one in inputs if not one.by and self.state.branch is None]
        said = tuple(Text(one.wording) for one in inputs)
        if said:
            before = self.messages.pop().parts if self.messages[-1].role == "user" else ()
            self.messages.append(Message("user", (*before, *said)))

    def results_message(self, calls: Sequence[ToolCall], asked: Sequence[CallPart] = ()) -> Message:
        """Return the tool message that answers these calls, one result each, in order, under the requested names."""
        names = {part.id: part.name for part in asked}
        parts = (ResultPart(c.id, c.provider_id, names.get(c.id, c.name), self._shown(result_of(c))) for c in calls)
        return Message("tool", tuple(parts))

    def _shown(self, result: ToolResult) -> ToolResult:
        journal = self.state.journal
        return with_bytes(result, partial(journal.store.get_blob, journal.session_id))

    def add(self, source: str, text: str, images: tuple[Image, ...] = (), *, apart: bool = False) -> None:
        """Add text and pictures to the prompt, or as a separate message at the end; the journal stores them."""
        self.state.journal.record(ContextAdded(source, text, self._store_images(images), apart), self.turn.id)
        parts: tuple[Part, ...] = (Text(text), *images)
        if apart:
            self.messages.append(Message("user", parts))
        else:
            self.messages[0] = Message("user", (*self.messages[0].parts, *parts))

    def _store_images(self, images: tuple[Image, ...]) -> tuple[KeptImage, ...]:
        """Store the bytes of pictures beside the events; one that cannot be stored is still visible in this turn."""
        kept = []
        for image in images:
            try:
                kept.append(keep_image(self.state.journal, image))
            except StoreError as error:
                self.skipped("a picture in the record", error)
        return tuple(kept)

    @property
    def answering(self) -> Choice:
        """Model that answers now: the turn's, or the one that took over."""
        name = self.asker.answering(self.main.full_name)
        return self.main if name == self.main.full_name else self.state.parts.choose(name)

    def request(self, tool_choice: Literal["auto", "none"] = "auto") -> ModelRequest:
        """Return the next request of the loop; it begins with the fixed prefix of its service."""
        fixed = self.state.asked.prefix.fixed[self.answering.provider.value.name]
        return ModelRequest(
            model=self.main.full_name,
            system=fixed.system,
            messages=(*self.earlier, *self.messages),
            tools=fixed.tools,
            tool_choice=tool_choice,
            effort=self.state.config.profile.effort,
        )

    def situation(self, plugin: str = "") -> Situation:
        """Return the situation for a plugin's strategies and sources; their requests count for that plugin."""
        state, decider = self.state, self.state.config.profile.decision_model
        return Situation(
            turn=evolve(self.turn, content=self.prompt),
            messages=(*self.earlier, *self.messages),
            tools=state.tools.now,
            workspace=state.parts.workspace,
            ask=partial(self.asker.ask, plugin=plugin),
            decision_model=state.parts.choose(decider).full_name if decider else self.main.deciding,
            effectful_calls=state.effectful_calls,
            seen=state.seen,
            happened=self.happened,
            record=partial(self._record, plugin),
            prompts=tuple(state.prompts),
        )

    def _record(self, plugin: str, name: str, data: Mapping[str, Any]) -> None:
        self.state.journal.record(self.state.scheduler.events.checked(plugin, name, data), self.turn.id)

    def skipped(self, what: str, error: Exception) -> None:
        """Record that a plugin failed and the turn continues without it."""
        plugin, door = (error.plugin, error.door) if isinstance(error, PluginError) else ("", "")
        self.state.journal.record(ErrorHappened(f"{what} was skipped: {error}", plugin=plugin, door=door), self.turn.id)

    def failed(self, error: InarchError) -> Turn:
        """Record the error and return the turn as failed, with the text of a reply that the service cut."""
        self.state.journal.record(
            ErrorHappened(error.message, error.remedy, self.main.provider.plugin, "provider"), self.turn.id
        )
        return self.ended("failed", self.asker.unfinished, error=str(error))

    def refused(self, error: AnswerRefused) -> Turn:
        """Record that no answer matched its schema; the turn still has the last one."""
        self.state.journal.record(ErrorHappened(str(error), "ask for less, or loosen the schema"), self.turn.id)
        return self.ended("failed", error.answer, error=str(error))

    def ended(self, status: TurnStatus, content: str, *, error: str | None = None, limit: str | None = None) -> Turn:
        """Return the turn's final record; its model is the one that answered last, which may be a fallback."""
        thoughts = (p.text for m in self.messages for p in m.parts if isinstance(p, Reasoning) and p.text)
        answered = self.asker.answered or AnsweredBy("")
        return evolve(
            self.turn,
            ended=self.state.journal.clock.utc_now(),
            content=content,
            model=self.asker.answering(self.main.full_name),
            reasoning="\n".join(thoughts),
            calls=tuple(self.calls),
            usage=self.meter.usage,
            status=status,
            error=error,
            limit=limit,
            unmet=self.declined or self._came_to_nothing(),
            answered_by=answered.model,
            company=answered.company,
        )

    def _came_to_nothing(self) -> bool:
        return came_to_nothing(call for call in self.calls if call.id in self.effectful)

    def close_calls(self) -> None:
        """Give every unfinished call of the last reply a result if the turn was stopped."""
        last = self.messages[-1]
        waiting = [part for part in last.parts if isinstance(part, CallPart)]
        if waiting:
            known = {call.id: call.result for call in self.calls}
            stopped = ToolResult(False, error=ToolError("cancelled", "the turn was stopped before this call ended"))
            parts = (ResultPart(p.id, p.provider_id, p.name, self._shown(known.get(p.id) or stopped)) for p in waiting)
            self.messages.append(Message("tool", tuple(parts)))

    def end(self, turn: Turn) -> None:
        """Record the end, once; the turn is part of the conversation whatever its status."""
        if self.is_over:
            return
        self.is_over = True
        self.state.inputs.turn_id, self.state.meter = "", None
        self.close_calls()
        self.state.turns.append(turn)
        self.state.history.append(EarlierTurn(turn.id, tuple(self.messages)))
        ledger = self.state.ledger
        self.state.journal.record(TurnEnded(evolve(turn, calls=()), ledger.rows(turn.id), ledger.total()), turn.id)

    def end_cancelled(self) -> None:
        """Record the end of a cancelled turn; a failing store must not replace the cancellation."""
        # `unmet` would turn Ctrl-C's exit code 130 into 4.
        self.end(evolve(self.ended("cancelled", ""), unmet=False))
        try:
            self.state.journal.flush()
        except StoreError as error:
            self.skipped("the record of the cancelled turn", error)

    def end_broken(self, error: BaseException) -> None:
        """Record the end of a turn after an unforeseen error; a failure here must not replace that error."""
        said = str(error) if isinstance(error, InarchError) else f"internal error: {type(error).__name__}: {error}"
        turn = self.ended("failed", "", error=said[:LONGEST_ERROR])
        for step in (partial(self.end, turn), self.state.journal.flush):
            try:
                with guarded(KERNEL, "store", passes=()):
                    step()
            except InarchError:
                continue


def came_to_nothing(calls: Iterable[ToolCall]) -> bool:
    """Return whether there were calls that would change something, and none of them did."""
    errors = [call.result.error if call.result is not None else None for call in calls]
    return bool(errors) and all(error is not None and error.code in NOT_DONE for error in errors)


def result_of(call: ToolCall) -> ToolResult:
    """Return the result of a call; one without a result was cancelled."""
    if call.result is not None:
        return call.result
    return ToolResult(False, error=ToolError("cancelled", "the call has no result"))


def text_message(text: str) -> Message:
    """Return an assistant message of plain text."""
    return Message("assistant", (Text(text),))
