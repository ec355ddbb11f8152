"""Player of a record: it runs the turns through the kernel and compares every event, until the end or a difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from math import inf
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch import Event, Image, Input, PlannedCall, ProviderError, ToolResult
from inarch.host import is_plugins
from inarch_plugins.replay.between_turns import change_settings, do_again, payload_of, settings_of
from inarch_plugins.replay.clock import RecordedClock
from inarch_plugins.replay.expected_steps import Lineup
from inarch_plugins.replay.network import network_refused
from inarch_plugins.replay.record_follower import Follower
from inarch_plugins.replay.record_reader import Reading
from inarch_plugins.replay.recorded_turns import Between, OwnCalls, RecordedCall, RecordedTurn, transitions_of
from inarch_plugins.replay.stand_ins import LIVE
from inarch_plugins.replay.step_work import StepWork
from inarch_sdk.snapshots import scan

if TYPE_CHECKING:
    from inarch import App, Session, Standing
    from inarch.contract.records import CallOrigin
    from inarch_plugins.replay.checkpoints import Checkpoint, CopiedRoot
    from inarch_plugins.replay.recorded_turns import Step
    from inarch_plugins.replay.store import CopyStore
    from inarch_plugins.replay.survey import Record


@define(eq=False, repr=False)
class Player:
    """One running replay.

    Turns stopped from outside (by the user, a time limit or the end of the process) are not run, because the moment
    cannot be reproduced. Their events are recorded again, and the session continues as after a restart.

    Args:
        record: The record to play.
        checkpoint: The states of the files.
        copy: The copy of the workspace.
        store: Stores the new events.
        app: The application with stand-ins; set before it runs.
    """

    record: Record
    checkpoint: Checkpoint
    copy: CopiedRoot
    store: CopyStore
    app: App = field(init=False)
    follower: Follower = field(init=False)
    ids: RecordedClock = field(init=False)
    lineup: Lineup = field(init=False)
    work: StepWork = field(init=False, factory=StepWork)
    turn: RecordedTurn | None = field(init=False, default=None)
    turns: int = field(init=False, default=0)
    events: int = field(init=False, default=0)
    refusal: str = field(init=False, default="")
    _session: Session | None = field(init=False, default=None)
    _is_stale: bool = field(init=False, default=False)
    _last_seq: int = field(init=False, default=0)
    _unsaid: list[Event] = field(init=False, factory=list)
    _now: dict[str, str] = field(init=False, factory=dict)
    _reading: Reading = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._reading = Reading(self.record, lambda event: self.follower.expect(event))
        self.follower = Follower(self.record.root, str(self.copy.place), self._reading.read_on)
        self.ids = RecordedClock(self.follower.time)
        self.lineup = Lineup(self._reading.reader.calls)

    @property
    def is_over(self) -> bool:
        """Return whether the replay has ended: at the record's end, a difference or a failure."""
        return bool(self.refusal) or self.follower.first is not None

    async def run(self) -> None:
        """Play the record in the application composed for it."""
        number, step = 0, self._reading.next_step()
        with network_refused():
            self._open(None)
            while step is not None:
                self._place(self.checkpoint.outside.get(number, {}))
                if self.is_over:
                    break
                await self._play(step)
                number, step = number + 1, self._reading.next_step()

    def came(self) -> Iterator[Event]:
        """Yield the new events in order."""
        self._opened.state.journal.flush()
        return takewhile(lambda event: event.seq <= self._last_seq, scan(self.store, self.record.session_id))

    def refuse(self, why: str) -> None:
        """Abort with a reason, once, and stop the turn."""
        self.refusal = self.refusal or why
        self.work.cancel()

    # Requests of the stand-ins.

    def no_reply(self) -> ProviderError:
        """Abort because the record has no reply to a request. No service is asked instead."""
        number = self.turn.number if self.turn is not None else 0
        self.refuse(f"the record has no reply for request {self.lineup.requests} of turn {number}")
        return ProviderError("request", self.refusal)

    async def say_again(self, call: RecordedCall, call_id: str) -> ToolResult:
        """Return the recorded result of a call, after applying its changes to the copy."""
        self.redo(call.own_changes, call_id)
        if late := call.late_changes:
            self._now[call.id] = call_id
            self._unsaid = sorted([*self._unsaid, *late], key=lambda event: event.seq)
        assert call.result_event is not None
        assert call.result is not None
        self._record_again(call.result_event.seq)
        metadata = {k: v for k, v in call.result.metadata.items() if k not in ("duration_s", "retries")}
        data = self.copy.here(call.result.data)
        return evolve(call.result, data=data, metadata=metadata, images=self.images(metadata))

    def images(self, data: Mapping[str, Any]) -> tuple[Image, ...]:
        """Return the recorded pictures of an event's data or a result's metadata."""
        return tuple(Image(one["media_type"], self.copy.blob(one["ref"])) for one in data.get("images") or ())

    def redo(self, changes: list[Event], call_id: str) -> None:
        """Apply the changes of a call or its reviewers to the copy, and record them."""
        last: dict[str, Standing] = {}
        for event in changes:
            last |= {path: after for path, _, after in transitions_of(event.data)}
        self._place(last)
        for event in changes:
            self._opened.state.journal.record(payload_of(event, call_id=call_id), event.turn_id)
        self._opened.state.journal.flush()  # the call may have no result that reports them

    # Opening and following.

    def _open(self, session_id: str | None) -> None:
        """Begin the session, or resume it as a new process would."""
        self.ids.expect([self.record.session_id])
        self._session, self._is_stale = None, False
        session = self.app.session(session_id)
        session.state.journal.flush()
        for event in self.store.load(self.record.session_id, self._last_seq):
            self._take(event)
        self._session = session

    @property
    def _opened(self) -> Session:
        assert self._session is not None
        return self._session

    def saw(self, event: Event) -> None:
        """Handle the run's next event. Events during opening are handled afterwards."""
        if self._session is not None and event.kind != "model.delta":
            self._take(event)

    def _take(self, event: Event) -> None:
        self.work.goes_on()
        self.events, self._last_seq = self.events + 1, event.seq
        if event.kind == "turn.started" and event.data["turn"]["type"] == "agent":
            self.turns += 1
            self._say_waiting(0)
        elif self.turn is not None and event.kind == "model.requested":
            self._requested(event)
        elif event.kind == "call.state" and not self._is_stale:
            self._called(event)
        self.follower.take(event)
        if self.is_over:
            self.work.cancel()

    def _requested(self, event: Event) -> None:
        exchange = self.lineup.requested(event)
        if exchange is None or exchange.replied is None:
            self._say_waiting(self.lineup.requests)
            self.no_reply()
            return
        parts = exchange.replied.data["message"]["parts"]
        self.ids.expect_in_reply(part["id"] for part in parts if part.get("type") == "call")
        self._say_waiting(self.lineup.requests)

    def _say_waiting(self, requests: int) -> None:
        """Queue the input recorded until the next request."""
        for said in self.turn.said_after(requests) if self.turn is not None else ():
            self._opened.state.inputs.waiting.append(Input(said.data["id"], said.data["text"], said.data.get("by", "")))

    def _called(self, event: Event) -> None:
        """Abort if a call gets a secret whose placeholder alone is known here."""
        call = self.lineup.bind(str(event.data["call_id"]), str(event.data["name"]))
        bound = self.app.composition.tools.get(call.name) if call is not None else None
        if call is None or bound is None or event.data["status"] != "executing" or bound.value.category not in LIVE:
            return
        if not bound.value.receives_secrets or call.result is None or not call.result.success:
            return
        unknown = self.app.redactor.unknown(call.arguments)
        if unknown:
            where = f"turn {self.turn.number}" if self.turn is not None else "a command"
            self.refuse(f"call {call.name} ({call.id}) of {where} needs the secret {unknown[0]}, which is not set here")

    # Steps.

    async def _play(self, step: Step) -> None:
        if self._is_stale:
            self._open(self.record.session_id)
        if isinstance(step, Between):
            self.ids.expect([step.event.data["id"]] if step.event.kind == "changes.undone" else [])
            if why := do_again(self._opened, step.event):
                self.refuse(why)
        elif step.was_stopped:
            self._say_step(step)
        elif isinstance(step, OwnCalls):
            await self._play_own(step)
        else:
            await self._play_turn(step)

    def _say_step(self, step: RecordedTurn | OwnCalls) -> None:
        """Record a step's events again, and apply its file changes to the copy."""
        self._is_stale = True
        for event in (*filter(None, [step.asked]), *step.events):
            if event.kind == "file.changed":
                self._place({path: after for path, _, after in transitions_of(event.data)})
            if event.kind != "input.waiting":  # the turn that uses the input records it
                self._opened.state.journal.record(payload_of(event), event.turn_id)
        self._opened.state.journal.flush()

    async def _play_turn(self, turn: RecordedTurn) -> None:
        session, self.turn = self._opened, turn
        change_settings(session, settings_of(turn, session.state.config.profile), self.app.composition.strategies)
        self.ids.expect([turn.prompt_id, turn.id, *(call.id for call in turn.calls if call.origin != "model")])
        self.lineup.begin(turn.calls, turn)
        self._unsaid = [event for event in turn.events if is_plugins(event.kind)]
        if why := await self.work.finish(session.run(turn.prompt)):
            self.refuse(f"turn {turn.number}{why}")
        self._record_again()
        self.turn = None

    async def _play_own(self, own: OwnCalls) -> None:
        self.ids.expect(call.id for call in own.calls)
        self.lineup.begin(own.calls)
        self._opened.change({"approve": own.approve} if own.approve else {})
        planned = [PlannedCall(call.name, call.arguments) for call in own.calls]
        scheduler = self._opened.state.scheduler
        person = scheduler.front_end if any(call.was_typed for call in own.calls) else None
        origin: CallOrigin = "slash" if own.calls[0].origin == "slash" else "user"
        if why := await self.work.finish(scheduler.run(own.turn_id, planned, origin, person=person)):
            self.refuse(f"a command{why}")

    def _record_again(self, end: float = inf) -> None:
        """Record plugins' events again up to this event number, because plugins do not run here."""
        while self._unsaid and self._unsaid[0].seq < end:
            event = self._unsaid.pop(0)
            if event.kind == "file.changed":
                self.redo([event], self._now[event.data["call_id"]])
                continue
            self._opened.state.journal.record(payload_of(event), event.turn_id)

    def _place(self, wanted: Mapping[str, Standing]) -> None:
        """Restore paths of the copy to a state."""
        if why := self.copy.bring(self.app.workspace, wanted):
            self.refuse(why)
