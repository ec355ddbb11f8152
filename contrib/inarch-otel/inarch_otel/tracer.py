"""The tracer: it hands events to its thread, which turns them into spans and sends these in batches."""

from __future__ import annotations

import queue
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define, field

import inarch

if TYPE_CHECKING:
    from inarch_otel.span_export import Sender

SEEN = frozenset(
    {
        "session.started", "turn.started", "decision.made", "model.requested", "model.replied", "model.switched",
        "call.state", "call.result", "approval.given", "file.changed", "limit.wait", "error", "turn.ended",
    }
)  # fmt: skip
MOST_WAITING = 10_000
BATCH = 512
DELAY_S = 1.0
"""Maximum seconds that a finished span waits for others."""
CLOSING_S = 2.0
_UNSET = 'nothing is traced because no collector is set; write base_url = "http://127.0.0.1:4318" under [plugins.otel]'


@define(eq=False, repr=False)
class OtelTracer:
    """Tracer that sends a trace for each turn; it waits for the network only on close, for at most two seconds.

    Undelivered spans are counted and reported once. Losses after the last turn are reported in the next run.
    """

    endpoint: str
    headers: str = field(default="", repr=False)
    content: bool = False
    state: str = ""
    most_waiting: int = MOST_WAITING
    name: str = field(init=False, default="otel")
    _events: queue.Queue[inarch.Event | None] = field(init=False)
    _thread: threading.Thread | None = field(init=False, default=None)
    _sender: Sender | None = field(init=False, default=None)
    _closing: threading.Event = field(init=False, factory=threading.Event)
    _dropped: int = field(init=False, default=0)
    _told: int = field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        self._events = queue.Queue(self.most_waiting)

    def saw(self, event: inarch.Event) -> None:
        """Queue the event; if the queue is full, drop and count it."""
        if not self.endpoint or event.kind not in SEEN or self._closing.is_set():
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="inarch-otel", daemon=True)
            self._thread.start()
        try:
            self._events.put_nowait(event)
        except queue.Full:
            self._dropped += 1

    def summary(self, turn_id: str) -> str | None:
        """Return once that nothing is traced, or what was lost; after a delivery, new losses are reported again."""
        if not self.endpoint:
            told, self._told = self._told, 1
            return None if told else _UNSET
        return "; ".join(filter(None, (self._earlier_note(), self._losses()))) or None

    def close(self) -> None:
        """Send the remaining spans, for at most two seconds."""
        if self._closing.is_set():
            return
        self._closing.set()
        if self._thread is None:
            return
        try:
            self._events.put_nowait(None)
        except queue.Full:  # the thread also checks `_closing`
            pass
        self._thread.join(CLOSING_S)
        if self._thread.is_alive():
            if self._sender is not None:
                self._sender.abandon()
            self._dropped += self._events.qsize()
        lost = self._losses()
        if lost:
            self._leave_note(lost)

    def _work(self) -> None:
        # The libraries take 0.2 s to import. In this thread they do not delay a turn.
        from inarch_otel.span_export import Sender
        from inarch_otel.spans import Spans

        sender = self._sender = Sender(self.endpoint, self.headers)
        spans = Spans(sender.provider, self.content)
        due = 0.0
        while True:
            event = self._next()
            if event is not None:
                spans.take(event)
            over = self._closing.is_set() and self._events.empty()
            if over:
                spans.end()
            if sender.ready and not due:
                due = time.monotonic() + DELAY_S
            if sender.ready and (over or len(sender.ready) >= BATCH or time.monotonic() >= due):
                sender.send()
                due = 0.0
            if over:
                sender.close()
                return

    def _next(self) -> inarch.Event | None:
        try:
            return self._events.get(timeout=DELAY_S / 4)
        except queue.Empty:
            return None

    def _losses(self) -> str:
        """Return the losses of an outage that were not reported yet."""
        said = []
        sender = self._sender
        if sender is not None and sender.outages > self._told:
            self._told = sender.outages
            spans = "1 span was" if sender.lost == 1 else f"{sender.lost} spans were"
            said.append(f"{spans} not delivered to {self.endpoint}: {sender.reason}")
        if self._dropped:
            dropped, self._dropped = self._dropped, 0
            said.append(f"{dropped} events were dropped, because they could not be sent to {self.endpoint} in time")
        return "; ".join(said)

    def _leave_note(self, lost: str) -> None:
        try:
            inarch.staging.make_folder(Path(self.state))
            inarch.staging.write_whole(Path(self.state, "undelivered"), lost.encode(), sync=False)
        except OSError:  # a note about an earlier run must not cause a failure
            pass

    def _earlier_note(self) -> str:
        note = Path(self.state, "undelivered")
        try:
            said = note.read_text("utf-8")
            note.unlink()
        except OSError:
            return ""
        return f"in an earlier run {said}"
