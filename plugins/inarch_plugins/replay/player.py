"""Player of a record: it runs the turns through the kernel and compares every event, until the end or a difference."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch import EVENT_KINDS, Event, Image, InarchError, Input, ProviderError, ToolResult
from inarch.host import PluginEvent, is_plugins
from inarch_plugins.replay.clock import RecordedClock
from inarch_plugins.replay.network import network_refused
from inarch_plugins.replay.record_follower import Follower
from inarch_plugins.replay.recorded_turn import RecordedCall, RecordedTurn, prompt_of, transitions_of
from inarch_plugins.replay.stand_ins import LIVE
from inarch_plugins.replay.steps import steps_of
from inarch_plugins.replay.turn_settings import change_settings, settings_of
from inarch_sdk.snapshots import scan

if TYPE_CHECKING:
    from inarch import App, Session, Standing
    from inarch_plugins.replay.checkpoints import Checkpoint, CopiedRoot
    from inarch_plugins.replay.stand_ins import CopyStore
    from inarch_plugins.replay.survey import Record


@define(eq=False, repr=False)
class Player:
    """One running replay.

    Turns stopped from outside, and those that plugins steered, are not run, because that cannot be reproduced. Their
    events are recorded again, like those between turns, and the session continues as after a restart.

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
    turn: RecordedTurn | None = field(init=False, default=None)
    turns: int = field(init=False, default=0)
    events: int = field(init=False, default=0)
    refusal: str = field(init=False, default="")
    notes: list[str] = field(init=False, factory=list)
    _steps: Iterator[list[Event]] = field(init=False)
    _session: Session | None = field(init=False, default=None)
    _is_stale: bool = field(init=False, default=False)
    _last_seq: int = field(init=False, default=0)
    _stop: Callable[[], object] = field(init=False, default=lambda: None)

    def __attrs_post_init__(self) -> None:
        last = self.record.last  # another process may continue the session meanwhile
        self._steps = steps_of(takewhile(lambda event: event.seq <= last, self.record.read()))
        self.follower = Follower(self.record.root, str(self.copy.place))
        self.ids = RecordedClock(self.follower.time)

    @property
    def is_over(self) -> bool:
        """Return whether the replay has ended early: at a difference or a failure."""
        return bool(self.refusal) or self.follower.first is not None

    async def run(self) -> None:
        """Play the record in the application composed for it."""
        with network_refused():
            for number, step in enumerate(self._steps):
                compared = [event for event in step if self.follower.expect(event)]
                self._place(self.checkpoint.outside.get(number, {}))
                if not self.is_over:
                    await self._play(step, compared)
                if self.is_over:
                    break
        if not self.is_over:
            self.follower.finish()
        for step in self._steps:
            for event in step:
                self.follower.read(event)

    def came(self) -> Iterator[Event]:
        """Yield the new events in order."""
        self._opened.state.journal.flush()
        return takewhile(lambda event: event.seq <= self._last_seq, scan(self.store, self.record.session_id))

    # Requests of the stand-ins.

    def refuse(self, why: str) -> None:
        """Abort with a reason, once, and stop the turn."""
        self.refusal = self.refusal or why
        self._stop()

    def no_reply(self) -> ProviderError:
        """Abort because the record has no reply to a request. No service is asked instead."""
        number, requests = (self.turn.number, self.turn.requests) if self.turn is not None else (0, 0)
        self.refuse(f"the record has no reply for request {requests} of turn {number}")
        return ProviderError("request", self.refusal)

    async def say_again(self, call: RecordedCall, call_id: str) -> ToolResult:
        """Return the recorded result of a call, after applying its changes to the copy."""
        assert call.result is not None
        for event in call.changes:
            self._change_again(event)
            self._opened.state.journal.record(_payload_of(event, call_id=call_id), event.turn_id)
        self._opened.state.journal.flush()  # the call may have no result that reports them
        metadata = {k: v for k, v in call.result.metadata.items() if k not in ("duration_s", "retries")}
        data = self.copy.here(call.result.data)
        return evolve(call.result, data=data, metadata=metadata, images=self.images(metadata))

    def images(self, data: Mapping[str, Any]) -> tuple[Image, ...]:
        """Return the recorded pictures of an event's data or a result's metadata."""
        return tuple(Image(one["media_type"], self.copy.blob(one["ref"])) for one in data.get("images") or ())

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
        self.events, self._last_seq = self.events + 1, event.seq
        if event.kind == "turn.started" and event.data["turn"]["type"] == "agent":
            self.turns += 1
            self._say_waiting()
        elif self.turn is not None and event.kind == "model.requested":
            self._requested(self.turn, event)
        elif self.turn is not None and event.kind == "call.state" and event.data["status"] == "executing":
            self._require_secrets(self.turn, event)
        self.follower.take(event)
        if self.is_over:
            self._stop()

    def _requested(self, turn: RecordedTurn, event: Event) -> None:
        exchange = turn.request(event)
        if exchange is None or exchange.replied is None:
            self.no_reply()
        else:
            parts = exchange.replied.data["message"]["parts"]
            self.ids.expect_in_reply(part["id"] for part in parts if part.get("type") == "call")
        self._say_waiting()

    def _require_secrets(self, turn: RecordedTurn, event: Event) -> None:
        """Abort if a call gets a secret of which only the placeholder is known here."""
        call = turn.bind(str(event.data["call_id"]), str(event.data["name"]))
        tool = self.app.composition.tools[call.name].value if call is not None else None
        if call is None or tool is None or tool.category not in LIVE or not tool.receives_secrets:
            return
        unknown = self.app.redactor.unknown(call.arguments)
        if unknown and call.result is not None and call.result.success:
            where = f"call {call.name} ({call.id}) of turn {turn.number}"
            self.refuse(f"{where} needs the secret {unknown[0]}, which is not set here")

    def _say_waiting(self) -> None:
        """Queue the input recorded until the next request."""
        for said in self.turn.said_after(self.turn.requests) if self.turn is not None else ():
            self._opened.state.inputs.waiting.append(Input(said.data["id"], said.data["text"], said.data.get("by", "")))

    # Steps.

    async def _play(self, step: Sequence[Event], compared: Sequence[Event]) -> None:
        if self._session is None:  # the record's first event
            self._open(None)
        elif prompt_of(step) is None:
            self._repeat(event for event in step if event in compared or is_plugins(event.kind))
        else:
            await self._play_turn(step, compared)

    async def _play_turn(self, step: Sequence[Event], compared: Sequence[Event]) -> None:
        ids = {event.data["turn"]["id"] for event in step if event.kind == "turn.started"}
        turn = RecordedTurn(self.turns + 1, step, [event for event in compared if event.turn_id not in ids])
        parts = self.app.composition
        deciding = {bound.plugin for bound in parts.strategies.values()}
        sources = {bound.value.name for bound in parts.context_sources if bound.plugin in parts.builtins}
        guards = {bound.value.name for bound in parts.end_guards}
        if why := turn.why_not_run(deciding, sources, guards):
            self.notes.append(f"turn {turn.number} {why}, so its changes were copied and not run")
            self._repeat(step)
        else:
            await self._run_turn(turn)

    def _repeat(self, events: Iterator[Event] | Sequence[Event]) -> None:
        """Record events again, and apply their file changes to the copy."""
        self._is_stale = True
        for event in events:
            if event.kind == "file.changed":
                self._change_again(event)
            if event.kind != "input.waiting":  # the turn that uses the input records it
                self._opened.state.journal.record(_payload_of(event), event.turn_id)
        self._opened.state.journal.flush()

    async def _run_turn(self, turn: RecordedTurn) -> None:
        if self._is_stale:
            self._open(self.record.session_id)
        session, self.turn = self._opened, turn
        change_settings(session, settings_of(turn, session.state.config.profile), self.app.composition.strategies)
        self.ids.expect([turn.prompt_id, turn.id, *(call.id for call in turn.calls.values() if call.origin != "model")])
        if why := await self._finished(session.run(turn.prompt)):
            self.refuse(f"turn {turn.number} can't be run: {why}")
        for event in turn.of_plugins():  # plugins do not record them here
            session.state.journal.record(_payload_of(event), event.turn_id)
        self.turn = None

    async def _finished(self, work: Coroutine[Any, Any, Any]) -> str:
        """Wait until a turn ends or is stopped from any thread. Return the error."""
        loop = asyncio.get_running_loop()
        task = loop.create_task(work)
        self._stop = lambda: loop.call_soon_threadsafe(task.cancel)
        try:
            await asyncio.wait([task])
            error = None if task.cancelled() else task.exception()
            if error is not None and not isinstance(error, InarchError):
                raise error
            return "" if error is None else str(error)
        finally:
            self._stop = lambda: None
            task.cancel()
            await asyncio.wait([task])

    def _change_again(self, event: Event) -> None:
        self._place({path: after for path, _, after in transitions_of(event.data)})

    def _place(self, wanted: Mapping[str, Standing]) -> None:
        """Restore paths of the copy to a state."""
        if why := self.copy.bring(self.app.workspace, wanted):
            self.refuse(why)


def _payload_of(event: Event, **changed: Any) -> Any:
    """Return an event's payload without keys of newer versions."""
    data = {**event.data, **changed}
    cls = EVENT_KINDS.get(event.kind)
    if cls is None:
        return PluginEvent(event.kind, data)
    names = {item.name for item in getattr(cls, "__attrs_attrs__", ())}
    return cls(**{name: value for name, value in data.items() if name in names})
