"""The tracer: hands events to a thread of its own, which makes spans of them and sends these in batches."""

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
"""How long a finished span waits for others at most."""
CLOSING_S = 2.0
_UNSET = 'no collector is set: nothing is traced; write base_url = "http://127.0.0.1:4318" under [plugins.otel]'


@define(eq=False, repr=False)
class OtelTracer:
    """Sends a trace for each turn; never waits for the network, except up to two seconds when it is closed.

    What can't be delivered is counted and told once, in the same run or, where it is known only after the last turn,
    in the next one.

    Args:
        endpoint: Where spans go, with the path; empty for nowhere.
        headers: Headers of the requests, as `name=value,name=value`.
        content: Whether texts are sent.
        state: A folder that outlives the run.
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
        """Put the event in line; if the line is full, it is dropped and counted."""
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
        """Say once that nothing is traced, or what was lost; again only after something was delivered in between."""
        if not self.endpoint:
            told, self._told = self._told, 1
            return None if told else _UNSET
        return "; ".join(filter(None, (self._earlier_note(), self._losses()))) or None

    def close(self) -> None:
        """Send what there is, for two seconds at most."""
        if self._closing.is_set():
            return
        self._closing.set()
        if self._thread is None:
            return
        try:
            self._events.put_nowait(None)
        except queue.Full:  # the thread looks at `_closing`, too
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
        # The libraries take a fifth of a second to import: here they hold up no turn.
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
        """Return what was lost in an outage that was not told yet."""
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
        except OSError:  # a remark about an earlier run is no reason to fail
            pass

    def _earlier_note(self) -> str:
        note = Path(self.state, "undelivered")
        try:
            said = note.read_text("utf-8")
            note.unlink()
        except OSError:
            return ""
        return f"in an earlier run {said}"
