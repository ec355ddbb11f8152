"""Plays a record, turn by turn through the kernel, with an eye on every event, until the end or a difference."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from itertools import takewhile
from math import inf
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch import (
    Event,
    InarchError,
    Input,
    PlannedCall,
    ProviderError,
    Settled,
    Standing,
    StoreError,
    ToolFailed,
    ToolResult,
)
from inarch.host import is_plugins, placeholders
from inarch_plugins.replay.between_turns import compact_again, payload_of, put_back_again
from inarch_plugins.replay.checkpoints import restore, states_for
from inarch_plugins.replay.clock import RecordedClock
from inarch_plugins.replay.expected_steps import Lineup
from inarch_plugins.replay.network import network_refused
from inarch_plugins.replay.outside_stops import events_before_stop, stopped, was_running, was_stopped
from inarch_plugins.replay.record_follower import Follower
from inarch_plugins.replay.record_reader import Reading
from inarch_plugins.replay.recorded_profile import FOREVER_S, put_forward, settings_of
from inarch_plugins.replay.recorded_turns import Between, OwnCalls, RecordedCall, RecordedTurn, transitions_of
from inarch_plugins.replay.stand_ins import LIVE
from inarch_sdk.snapshots import scan

if TYPE_CHECKING:
    from pathlib import Path

    from inarch import App, Session
    from inarch_plugins.replay.checkpoints import Blob, Checkpoint
    from inarch_plugins.replay.recorded_turns import Step
    from inarch_plugins.replay.store import CopyStore
    from inarch_plugins.replay.survey import Record


STALL_S = 120.0
"""A turn that says nothing for so long waits for something that will not come."""
NO_TURN = "-"
"""What stands in the error of a request that wasn't made."""


@define(eq=False, repr=False)
class Player:
    """One replay on its way.

    Args:
        record: What is played.
        checkpoint: How the files stood.
        blob: The bytes that were kept.
        place: The copy of the workspace.
        store: Takes what comes.
        compose: Composes the application with stand-ins.
    """

    record: Record
    checkpoint: Checkpoint
    blob: Blob
    place: Path
    store: CopyStore
    compose: Callable[[Player], App]
    apps: list[App] = field(init=False, factory=list)
    follower: Follower = field(init=False)
    ids: RecordedClock = field(init=False)
    turn: RecordedTurn | None = field(init=False, default=None)
    turns: int = field(init=False, default=0)
    events: int = field(init=False, default=0)
    refusal: str = field(init=False, default="")
    _session: Session | None = field(init=False, default=None)
    _task: asyncio.Task[Any] | None = field(init=False, default=None)
    _loop: asyncio.AbstractEventLoop | None = field(init=False, default=None)
    _is_cut: bool = field(init=False, default=False)
    _deaf: bool = field(init=False, default=False)
    _agent_id: str = field(init=False, default="")
    _last_seq: int = field(init=False, default=0)
    _count: int = field(init=False, default=0)
    _stop_after: int = field(init=False, default=0)
    _to_start: set[str] = field(init=False, factory=set)
    _unsaid: list[Event] = field(init=False, factory=list)
    _now: dict[str, str] = field(init=False, factory=dict)
    _reading: Reading = field(init=False)
    lineup: Lineup = field(init=False)
    _last: float = field(init=False, default=0.0)
    _thread: int = field(init=False, factory=threading.get_ident)

    def __attrs_post_init__(self) -> None:
        self._reading = Reading(self.record, lambda event: self.follower.expect(event))
        self.follower = Follower(self.record.root, str(self.place), self.record.gaps, self._reading.read_on)
        self.ids = RecordedClock(self.follower.time)
        self.lineup = Lineup(self._reading.reader.calls)

    @property
    def app(self) -> App:
        """The application that plays; another one goes on where the process was killed."""
        return self.apps[-1]

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to play: something differs, or can't be had."""
        return bool(self.refusal) or self.follower.first is not None

    async def run(self) -> None:
        """Play the record in the application that was composed for it."""
        self._loop = asyncio.get_running_loop()
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
        """Yield what came, in order."""
        self._state.journal.flush()
        return takewhile(lambda event: event.seq <= self._last_seq, scan(self.store, self.record.session_id))

    def refuse(self, why: str) -> None:
        """Give up: say why, once, and stop the turn."""
        self.refusal = self.refusal or why
        self._cancel()

    async def _play(self, step: Step) -> None:
        if isinstance(step, RecordedTurn):
            await self._play_turn(step)
        elif isinstance(step, OwnCalls):
            await self._play_own(step)
        else:
            self._play_between(step)

    # What stands in asks here.

    def no_reply(self) -> ProviderError:
        """Give up because the record has no reply for a request; it is asked of nobody else."""
        number = self.turn.number if self.turn is not None else 0
        self.refuse(f"the record has no reply for request {self.lineup.requests} of turn {number}")
        return ProviderError("request", self.refusal)

    def stop_now(self) -> None:
        """Stop the turn here, in the way in which it was stopped."""
        if self.turn is not None and self.turn.stop == "out_of_time":
            self._pass_time()
            return
        self._deaf = self._is_cut
        self._cancel()

    async def say_again(self, call: RecordedCall, call_id: str) -> ToolResult:
        """Return the recorded result of a call, after doing to the copy what it did; wait where it was stopped."""
        self._redo(call.own_changes, call_id)
        if late := call.late_changes:
            self._now[call.id] = call_id
            self._unsaid = sorted([*self._unsaid, *late], key=lambda event: event.seq)
        if call.result_event is not None:
            self._record_again(call.result_event.seq)
        result = call.result
        if call.id in self._to_start:
            self._to_start.discard(call.id)
            self._stop_if_due()
        if result is None or was_stopped(result) or call.was_cut:
            await stopped(result)
        assert result is not None
        return evolve(result, metadata={k: v for k, v in result.metadata.items() if k not in ("duration_s", "retries")})

    def here(self, value: Any) -> Any:
        """Return plain data with the copy's path where the record has the workspace's."""
        if isinstance(value, str):
            return value.replace(self.record.root, str(self.place)) if len(self.record.root) > 1 else value
        if isinstance(value, Mapping):
            return {key: self.here(item) for key, item in value.items()}
        return [self.here(item) for item in value] if isinstance(value, list) else value

    def mend(self, changes: list[Event], call_id: str) -> None:
        """Do to the copy what a reviewer did after a call."""
        if changes:
            self._redo(changes, call_id)

    def settle(self, call_id: str, found: Settled) -> Settled:
        """Say of a call that was cut off what was found when the session went on, and make it so in the copy."""
        call = self._reading.reader.calls.get(call_id)
        if call is None or call.result is None:
            return Settled()
        self._place({path: after for one in call.found_later for path, _, after in transitions_of(one.data)})
        is_known = call.result.error is None or call.result.error.code != "unknown_outcome"
        return Settled(tuple(map(payload_of, call.found_later)), call.result if is_known else None)

    # Opening and following.

    def _open(self, session_id: str | None) -> None:
        """Begin the session, or go on with it as a new process would."""
        if session_id:
            self._state.journal.flush()
            self.store = self.store.as_it_was(self._last_seq)
            self.apps.append(self.compose(self))
        self.ids.expect([self.record.session_id])
        self._session = None
        session = self.app.session(session_id)
        session.state.journal.flush()
        for event in self.store.load(self.record.session_id, self._last_seq):
            self._take(event)
        self._session = session

    @property
    def _state(self) -> Any:
        assert self._session is not None
        return self._session.state

    def saw(self, event: Event) -> None:
        """Take the run's next event; those with which a session opens are read when it has."""
        if self._session is not None and not self._deaf and event.kind != "model.delta":
            self._take(event)

    def _take(self, event: Event) -> None:
        self._last = time.monotonic()
        self.events, self._last_seq = self.events + 1, event.seq
        if event.kind == "model.requested":
            self._requested(event)
        elif event.kind == "call.state":
            self._called(event)
        elif event.kind == "turn.started" and event.data["turn"]["type"] == "agent":
            self.turns, self._agent_id = self.turns + 1, event.turn_id or ""
            self._say_again(0)
        counts = self.follower.take(event)
        if self.is_over:
            self._cancel()
        elif counts and event.turn_id == self._agent_id:
            self._count += 1
            self._stop_if_due()

    def _stop_if_due(self) -> None:
        """Stop the turn where all has come that came before it was stopped, and all runs that was running then."""
        if self._count == self._stop_after and not self._to_start:
            self.stop_now()

    def _requested(self, event: Event) -> None:
        exchange = self.lineup.requested(event)
        replied = exchange.replied if exchange is not None else None
        parts = replied.data["message"]["parts"] if replied is not None else []
        self.ids.expect_in_reply(part["id"] for part in parts if part.get("type") == "call")
        self._say_again(self.lineup.requests)
        if replied is None and not (exchange is not None and self.lineup.is_open_end(exchange)):
            self.no_reply()

    def _say_again(self, requests: int) -> None:
        """Have wait what was said until the next request."""
        for said in self.turn.said_after(requests) if self.turn is not None else ():
            self._state.inputs.waiting.append(Input(said.data["id"], said.data["text"], said.data.get("by", "")))

    def _called(self, event: Event) -> None:
        call = self.lineup.bind(str(event.data["call_id"]), str(event.data["name"]))
        if event.data["status"] == "executing" and call is not None:
            self._demand_known(call)

    def _demand_known(self, call: RecordedCall) -> None:
        """Give up where a call was given a secret of which only the placeholder is known here."""
        bound = self.app.composition.tools.get(call.name)
        result = call.result
        if bound is None or not bound.value.receives_secrets or result is None or not result.success:
            return
        unknown = [word for word in placeholders(call.arguments) if self.app.redactor.value(word) is None]
        if unknown and bound.value.category in LIVE:
            where = f"turn {self.turn.number}" if self.turn is not None else "a command"
            self.refuse(
                f"call {call.name} ({call.id}) of {where} needs the value of {unknown[0]}, which is not known here"
            )

    def _cancel(self) -> None:
        task = self._task
        if task is None or self._loop is None:
            return
        if threading.get_ident() == self._thread:
            task.cancel()
        else:
            self._loop.call_soon_threadsafe(task.cancel)

    def _pass_time(self) -> None:
        """Let the turn's time be over: the clock of the loop is put forward."""
        assert self._loop is not None
        put_forward(self._loop, FOREVER_S + 1.0)

    # Steps.

    def _change(self, settings: Mapping[str, Any]) -> None:
        assert self._session is not None
        known = {"native", *self.app.composition.strategies}
        left_out = set() if {*settings.get("strategy", ())} <= known else {"strategy"}  # not composed now
        self._session.change({name: value for name, value in settings.items() if name not in left_out})

    async def _play_turn(self, turn: RecordedTurn) -> None:
        self.turn = turn
        self._change(settings_of(turn, self._state.config.profile))
        self.ids.expect([turn.prompt_id, turn.id, *(call.id for call in turn.calls if call.origin != "model")])
        self.lineup.begin(turn.calls, turn)
        self._count, self._agent_id = 0, ""
        self._stop_after = events_before_stop(turn)
        self._to_start = {call.id for call in turn.calls if turn.stop and was_running(call)}
        self._is_cut = turn.stop == "cut"
        self._unsaid = [event for event in turn.own_events if is_plugins(event.kind)]
        assert self._session is not None
        await self._finished(self._session.run(turn.prompt), turn)
        self._record_again()
        self.turn = None

    async def _finished(self, work: Coroutine[Any, Any, Any], turn: RecordedTurn | None) -> None:
        """Wait for a turn's end; one that says nothing any more is given up."""
        self._task = task = asyncio.ensure_future(work)
        self._last = time.monotonic()
        try:
            while not task.done():
                await asyncio.wait([task], timeout=STALL_S / 4)
                if not task.done() and time.monotonic() - self._last > STALL_S:
                    self.refuse("the replay waits for something that does not come")
            if not task.cancelled() and (error := task.exception()) is not None:
                if not isinstance(error, InarchError):
                    raise error
                self.refuse(f"turn {turn.number} can't be run: {error}" if turn is not None else str(error))
        finally:
            self._task = None
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
        if self._deaf and not self.is_over and self.events < self.record.count:
            self._deaf = False
            self._open(self.record.session_id)

    async def _play_own(self, own: OwnCalls) -> None:
        origin = "slash" if own.calls[0].origin == "slash" else "user"
        self.ids.expect(call.id for call in own.calls)
        self.lineup.begin(own.calls)
        self._change({"approve": own.approve} if own.approve else {})
        self._agent_id, self._count, self._stop_after = NO_TURN, 0, 0
        self._to_start = {call.id for call in own.calls if call.was_cut or was_running(call)}
        self._is_cut = any(call.was_cut for call in own.calls)
        planned = [PlannedCall(call.name, call.arguments) for call in own.calls]
        scheduler = self._state.scheduler
        person = scheduler.front_end if any(call.was_typed for call in own.calls) else None
        await self._finished(scheduler.run(own.turn_id, planned, origin, person=person), None)

    def _play_between(self, step: Between) -> None:
        assert self._session is not None
        event = step.event
        if event.kind == "context.dropped":
            compact_again(self._session, event.data)
        elif event.kind == "changes.undone":
            self.ids.expect([event.data["id"]])
            if why := put_back_again(self._session, event.data):
                self.refuse(why)
        else:
            self._state.journal.record(payload_of(event))

    def _record_again(self, end: float = inf) -> None:
        """Record what plugins recorded in the turn up to the event of this number: none of them runs here."""
        while self._unsaid and self._unsaid[0].seq < end:
            event = self._unsaid.pop(0)
            if event.kind == "file.changed":
                self._redo([event], self._now[event.data["call_id"]])
                continue
            self._state.journal.record(payload_of(event), event.turn_id)

    # Files.

    def _redo(self, changes: list[Event], call_id: str) -> None:
        """Do to the copy what a call did, and record it."""
        last: dict[str, Standing] = {}
        for event in changes:
            last |= {path: after for path, _, after in transitions_of(event.data)}
        self._place(last)
        for event in changes:
            self._state.journal.record(payload_of(event, call_id=call_id), event.turn_id)
        self._state.journal.flush()  # the call may have no result to be told with

    def _place(self, wanted: Mapping[str, Standing]) -> None:
        """Bring paths of the copy to a state."""
        try:
            if wanted:
                restore(self.app.workspace, states_for(wanted, self.blob, self.place))
        except (StoreError, ToolFailed) as error:
            self.refuse(f"{', '.join(sorted(wanted)[:3])}: the recorded change can't be made in the copy: {error}")
