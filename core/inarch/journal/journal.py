"""Journal of a session: it numbers, redacts, stores and shows every event."""

from __future__ import annotations

import asyncio
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from attrs import define, field, setters

from inarch.contract.errors import PluginError, StoreError
from inarch.contract.event_parts import PluginEvent
from inarch.contract.events import ErrorHappened, Event, EventData, ModelDelta, Note, event_data
from inarch.contract.ids import SYSTEM_CLOCK
from inarch.contract.ports import Clock
from inarch.contract.stores import ContextStore
from inarch.journal.redactor import RedactedStream, Redactor

Listener = Callable[[Event], None]
Payload = EventData | PluginEvent
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.01, 0.5

_AS_IT_COMES = frozenset({"model.delta", "call.output"})
"""Kinds shown while they arrive; their end is a separate event."""
_WITH_THE_NEXT = frozenset({"call.state", "calls.done", "approval.given", "file.changed", "model.requested"})
"""Kinds that wait for an event that follows at once.

The next step hands all of them to the store first. A file change was announced there already.
"""
_DEEDS = frozenset({"file.changing", "file.changed", "changes.undoing", "changes.undone", "call.result"})
"""Actions, in a turn or outside of any."""
_ENDS_A_REPLY = frozenset({"model.replied", "model.requested", "model.switched", "limit.wait", "turn.ended"})
"""Kinds that occur in a turn only when no reply is arriving."""


def _can_wait(event: Event) -> bool:
    """Return whether to store an event together with one that follows at once, as in a reply with calls."""
    return event.kind in _WITH_THE_NEXT or (event.kind == "model.replied" and event.data["finish"] == "calls")


def _listed(listeners: Sequence[Listener]) -> list[Listener]:
    return list(listeners)


@define(eq=False, repr=False, on_setattr=setters.NO_OP)  # otherwise every number goes through the converters' pipe
class Journal:
    """Journal that numbers, redacts, stores and shows the events of one session.

    Events of turns and file changes are in the store before listeners see them. Remarks outside of turns wait in memory
    until the next of these or `flush`. An event that the store refused waits there, too, and is retried. It is shown
    anyway, and the next `flush` reports the failure. Threads may record concurrently; listeners see the events in the
    order of their numbers.

    If the journal is `required`, a failing store ends the work; else the failure is shown once as an `error` event.
    `opening` events wait for the first one that follows. Listeners must not raise. `seq` is the last number in use.
    """

    store: ContextStore
    session_id: str
    redactor: Redactor = field(kw_only=True, factory=Redactor)
    listeners: list[Listener] = field(kw_only=True, factory=list, converter=_listed)
    required: bool = field(kw_only=True, default=True)
    seq: int = field(kw_only=True, default=0)
    opening: bool = field(kw_only=True, default=False)
    clock: Clock = field(kw_only=True, default=SYSTEM_CLOCK)
    degraded: str | None = field(init=False, default=None)
    _waiting: list[Event] = field(init=False, factory=list)
    _unseen: deque[Event] = field(init=False, factory=deque)
    _is_showing: bool = field(init=False, default=False)
    _handed_over: int = field(init=False, default=0)
    _is_due: bool = field(init=False, default=False)
    _streams: dict[tuple[str | None, str], RedactedStream] = field(init=False, factory=dict)
    _lock: threading.RLock = field(init=False, factory=threading.RLock)
    _flushing: threading.RLock = field(init=False, factory=threading.RLock)  # a failed append records its own failure

    def record(self, payload: Payload, turn_id: str | None = None) -> Event:
        """Make an event of the payload, store it if it is due, and notify the listeners.

        `model.delta` is shown and not stored, and gets no number. A secret that is split over several of these, or over
        several `call.output`s of one call, is found: a possible beginning waits for the rest.
        """
        return self.record_all(((payload, turn_id),))[0]

    def record_all(self, payloads: Iterable[tuple[Payload, str | None]]) -> list[Event]:
        """Record several events at once, each with its turn: the store gets all of them or none."""
        with self._lock:
            events = [self._take(payload, turn_id) for payload, turn_id in payloads]
        self.show()
        return events

    def keep(self, payloads: Iterable[Payload], turn_id: str | None = None, at_once: bool = True) -> None:
        """Record events from any thread, and store them; `show` notifies the listeners on their loop.

        Raises:
            StoreError: As for `sync`; the events still wait.
        """
        with self._lock:
            for payload in payloads:
                self._take(payload, turn_id)
        for pause in self._stored() if at_once else ():
            time.sleep(pause)

    def _stored(self) -> Iterator[float]:
        """Store waiting events; yield the pause before each new attempt at a busy store."""
        pause = FIRST_PAUSE_S
        while True:
            try:
                self._append()
                return
            except StoreError as error:
                if error.kind != "busy" or pause > LONGEST_PAUSE_S:
                    raise
            yield pause
            pause *= 2

    def show(self) -> None:
        """Show the listeners new events, after storing those that must be stored first."""
        while self._show_unseen():
            try:
                self._append()
            except (StoreError, PluginError):
                pass  # the next flush reports it; the event is shown anyway

    def flush(self) -> None:
        """Store waiting events and show them.

        Raises:
            StoreError: The store failed and the journal is required; all events still wait.
        """
        try:
            self._append()
        finally:
            self.show()

    def _append(self) -> None:
        with self._flushing:
            with self._lock:
                batch, self._waiting = self._waiting, []
                self._is_due = False
            if not batch:
                return
            kept = False
            try:
                self.store.append(self.session_id, batch)
                kept = True
            except (StoreError, PluginError) as error:
                self._failed(error)
            finally:  # also after Ctrl-C: a store skips events that it already has
                with self._lock:
                    if kept:
                        self._handed_over = batch[-1].seq
                    else:
                        self._waiting[:0] = batch
            if kept and self.degraded is not None:
                self._recovered()

    def _show_unseen(self) -> bool:
        """Show events that may be shown; return whether any must be stored first."""
        with self._lock:
            if self._is_showing:  # a listener may record, too: its event waits until every listener has seen this one
                return False
            self._is_showing = True
            try:
                while self._unseen and not self._is_held(self._unseen[0]):
                    event = self._unseen.popleft()
                    for listener in self.listeners:
                        listener(event)
            finally:
                self._is_showing = False
            return self._is_due and self.degraded is None

    def _is_held(self, event: Event) -> bool:
        """Return whether an event must be stored before it is shown; a failing store delays nothing."""
        if event.seq <= self._handed_over or self.opening or self.degraded is not None:
            return False
        return (bool(event.turn_id) or event.kind in _DEEDS) and event.kind not in _AS_IT_COMES

    async def sync(self) -> None:
        """Return when everything recorded so far is on disk.

        Raises:
            StoreError: As for `flush`; a locked store is retried for about a second.
        """
        try:
            for pause in self._stored():
                await asyncio.sleep(pause)
        finally:
            self.show()
        try:
            await self.store.sync()
        except (StoreError, PluginError) as error:
            self._failed(error)

    def _take(self, payload: Payload, turn_id: str | None) -> Event:
        data = event_data(payload)
        if payload.kind == "model.delta":
            return self._delta(data, turn_id)
        if payload.kind in _ENDS_A_REPLY:
            self._end_deltas(turn_id)
        elif payload.kind == "call.result":
            self._end_output(data["call_id"], turn_id)
        if payload.kind == "call.output":
            data["text"] = self._stream(turn_id, data["call_id"]).feed(data["text"])
        event = self._keep(payload.kind, data, turn_id)
        self._unseen.append(event)
        self._is_due = self._is_due or (self._is_held(event) and not _can_wait(event))
        return event

    def _event(self, seq: int, kind: str, data: dict[str, Any], turn_id: str | None) -> Event:
        return Event(seq, self.clock.utc_now(), self.session_id, turn_id, kind, data)

    def _keep(self, kind: str, data: dict[str, Any], turn_id: str | None) -> Event:
        event = self._event(self.seq + 1, kind, data, turn_id)
        # Live output is clean already, and only its stream knows the preceding text.
        if kind != "call.output" and self.redactor.touches(event.line):
            clean = self.redactor.redact(data)
            if clean is not data:
                event = Event(event.seq, event.time, event.session_id, turn_id, kind, clean)
        _ = event.line  # encoded here, where a failure can be attributed
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
            self._unseen.append(event)
        return event

    def _end_deltas(self, turn_id: str | None) -> None:
        ended = {name: self._streams.pop((turn_id, name), None) for name in ("text", "reasoning")}
        rest = {name: stream.rest() for name, stream in ended.items() if stream is not None}
        if any(rest.values()):
            self._unseen.append(self._event(self.seq, "model.delta", event_data(ModelDelta(**rest)), turn_id))

    def _end_output(self, call_id: str, turn_id: str | None) -> None:
        stream = self._streams.pop((turn_id, call_id), None)
        if stream is not None and (rest := stream.rest()):
            from inarch.contract.call_events import CallOutput

            self._unseen.append(self._keep("call.output", event_data(CallOutput(call_id, rest)), turn_id))

    def _failed(self, error: StoreError | PluginError) -> None:
        before, self.degraded = self.degraded, str(error)
        if self.required:
            raise error
        if before is None:
            self.record(ErrorHappened(f"not recorded: {error.message}", remedy=error.remedy, door="store"))

    def _recovered(self) -> None:
        self.degraded = None
        if not self.required:
            self.record(Note("recording goes on", source="journal"))


def keep_packed(journal: Journal, text: str) -> str:
    """Store a text and return its reference; "" if it cannot be stored."""
    try:
        data = zlib.compress(text.encode("utf-8", "replace"))  # `unpacked` decodes strictly, without lone surrogates
        return journal.store.put_blob(journal.session_id, data)
    except StoreError:
        return ""


def unpacked(blob: Callable[[str], bytes], ref: str) -> str:
    """Return a stored text.

    Raises:
        StoreError: It cannot be read, or is not such a text.
    """
    try:
        return zlib.decompress(blob(ref)).decode()
    except (zlib.error, ValueError) as error:
        raise StoreError("damaged", f"the data stored as {ref} can't be unpacked") from error
