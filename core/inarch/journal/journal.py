"""The one log of a session: every event gets its number here, loses its secrets, is shown and is kept."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field, setters

from inarch.contract.errors import PluginError, StoreError
from inarch.contract.events import CallOutput, ErrorHappened, Event, EventData, ModelDelta, Note, event_data
from inarch.contract.ids import utc_now
from inarch.contract.ports import ContextStore
from inarch.journal.redaction import Redactor
from inarch.journal.redaction_streams import RedactedStream

Listener = Callable[[Event], None]
MOST_WAITING = 10_000
"""Events that a best-effort journal holds while its store takes none; older ones are dropped and counted."""

_ENDS_A_REPLY = frozenset({"model.replied", "model.requested", "model.switched", "limit.wait", "turn.ended"})
"""No event of these kinds comes while a reply of its turn still does."""


def _listed(listeners: Sequence[Listener]) -> list[Listener]:
    return list(listeners)


@define(eq=False, repr=False, on_setattr=setters.NO_OP)  # else every number goes through the converters' pipe
class Journal:
    """Numbers, redacts, shows and keeps the events of one session.

    Events wait in memory until `flush`; an event that the store refused stays there and is tried again. Threads may
    record at once; listeners see the events in the order of their numbers.

    Args:
        store: Where events are kept.
        session_id: Whose events these are.
        redactor: What must not be seen.
        listeners: Called with every event, `model.delta` too; they must not raise.
        required: Whether a failing store ends the work. If not, it is told once as an `error` event.
        seq: The last number in use.
    """

    store: ContextStore
    session_id: str
    redactor: Redactor = field(kw_only=True, factory=Redactor)
    listeners: list[Listener] = field(kw_only=True, factory=list, converter=_listed)
    required: bool = field(kw_only=True, default=True)
    seq: int = field(kw_only=True, default=0)
    degraded: str | None = field(init=False, default=None)
    _waiting: list[Event] = field(init=False, factory=list)
    _unseen: deque[Event] = field(init=False, factory=deque)
    _telling: bool = field(init=False, default=False)
    _streams: dict[tuple[str | None, str], RedactedStream] = field(init=False, factory=dict)
    _dropped: int = field(init=False, default=0)
    _lock: threading.RLock = field(init=False, factory=threading.RLock)
    _flushing: threading.RLock = field(init=False, factory=threading.RLock)

    def record(self, payload: EventData, turn_id: str | None = None) -> Event:
        """Make an event of the payload, tell the listeners and put it in line for the store.

        `model.delta` is told and not kept, and takes no number. A secret that is split over several of these, or over
        several `call.output`s of one call, is found: what may be its beginning waits for what follows.
        """
        data = event_data(payload)
        with self._lock:
            if payload.kind == "model.delta":
                return self._delta(data, turn_id)
            if payload.kind in _ENDS_A_REPLY:
                self._end_deltas(turn_id)
            elif payload.kind == "call.result":
                self._end_output(data["call_id"], turn_id)
            if payload.kind == "call.output":
                data["text"] = self._stream(turn_id, data["call_id"]).feed(data["text"])
            event = self._keep(payload.kind, data, turn_id)
            self._tell(event)
        return event

    def flush(self) -> None:
        """Hand what waits to the store.

        Raises:
            StoreError: The store took nothing and the journal is required; everything still waits.
        """
        with self._flushing:
            with self._lock:
                batch, self._waiting = self._waiting, []
            if not batch:
                return
            kept = False
            try:
                self.store.append(self.session_id, batch)
                kept = True
            except (StoreError, PluginError) as error:
                self._failed(error)
            finally:  # also after Ctrl-C: a store passes over what it already has
                if not kept:
                    with self._lock:
                        self._waiting[:0] = batch
            if not kept:
                self._drop_oldest()
            elif self.degraded is not None:
                self._recovered()

    async def sync(self) -> None:
        """Return when everything recorded so far is on disk.

        Raises:
            StoreError: As for `flush`; a store that is locked is asked again for about a second.
        """
        pause = 0.01
        while True:
            try:
                self.flush()
                break
            except StoreError as error:
                if error.kind != "busy" or pause > 0.5 or self._is_overtaken():
                    raise
            await asyncio.sleep(pause)
            pause *= 2
        try:
            await self.store.sync()
        except (StoreError, PluginError) as error:
            self._failed(error)

    def _event(self, seq: int, kind: str, data: dict[str, Any], turn_id: str | None) -> Event:
        return Event(seq, utc_now(), self.session_id, turn_id, kind, data)

    def _keep(self, kind: str, data: dict[str, Any], turn_id: str | None) -> Event:
        event = self._event(self.seq + 1, kind, data, turn_id)
        # Live output is clean already, and its stream alone knows what stood before.
        if kind != "call.output" and self.redactor.touches(event.line):
            clean = self.redactor.redact(data)
            if clean is not data:
                event = Event(event.seq, event.time, event.session_id, turn_id, kind, clean)
        _ = event.line  # encoded here, where what can't be encoded has a culprit
        self.seq += 1
        self._waiting.append(event)
        return event

    def _stream(self, turn_id: str | None, name: str) -> RedactedStream:
        stream = self._streams.get((turn_id, name))
        if stream is None:
            stream = self._streams[turn_id, name] = RedactedStream(self.redactor)
        return stream

    def _delta(self, data: dict[str, Any], turn_id: str | None) -> Event:
        shown = {name: self._stream(turn_id, name).feed(text) if text else "" for name, text in data.items()}
        event = self._event(self.seq, "model.delta", shown, turn_id)
        if any(shown.values()):
            self._tell(event)
        return event

    def _end_deltas(self, turn_id: str | None) -> None:
        ended = {name: self._streams.pop((turn_id, name), None) for name in ("text", "reasoning")}
        rest = {name: stream.rest() for name, stream in ended.items() if stream is not None}
        if any(rest.values()):
            self._tell(self._event(self.seq, "model.delta", event_data(ModelDelta(**rest)), turn_id))

    def _end_output(self, call_id: str, turn_id: str | None) -> None:
        stream = self._streams.pop((turn_id, call_id), None)
        if stream is not None and (rest := stream.rest()):
            self._tell(self._keep("call.output", event_data(CallOutput(call_id, rest)), turn_id))

    def _tell(self, event: Event) -> None:
        # A listener may record, too: its event waits until every listener has seen this one.
        self._unseen.append(event)
        if self._telling:
            return
        self._telling = True
        try:
            while self._unseen:
                told = self._unseen.popleft()
                for listener in self.listeners:
                    listener(told)
        finally:
            self._telling = False

    def _failed(self, error: StoreError | PluginError) -> None:
        told, self.degraded = self.degraded, str(error)
        if self.required:
            raise error
        if told is None:
            self.record(ErrorHappened(f"not recorded: {error.message}", remedy=error.remedy, door="store"))

    def _recovered(self) -> None:
        self.degraded = None
        if not self.required:
            lost = f"; {self._dropped} events are lost" if self._dropped else ""
            self.record(Note(f"recording goes on{lost}", source="journal"))
        self._dropped = 0

    def _drop_oldest(self) -> None:
        with self._lock:
            over = len(self._waiting) - MOST_WAITING
            if over > 0:
                del self._waiting[:over]
                self._dropped += over

    def _is_overtaken(self) -> bool:
        # Waiting for a lock helps only if nobody else writes this very session.
        first = self._waiting[0].seq if self._waiting else self.seq
        return bool(self._loaded_after(first - 1))

    def _loaded_after(self, seq: int) -> Sequence[Event]:
        try:
            return self.store.load(self.session_id, seq)
        except StoreError:
            return ()
