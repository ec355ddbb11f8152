"""Events as messages to pages: sections of turns, single steps, and text as it streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from attrs import define, evolve, field

import inarch
from inarch.transcripts import Exchange, Reading, Step
from inarch_web.server.path_picture import path_call

MOST_WHOLE = 200
"""Steps up to which a finished turn is sent as one section."""
LAST_STEPS = 100
"""Last steps that are sent with a longer turn. The page requests the others."""
MOST_SO_FAR = 200_000
"""Characters of a streaming reply that are held for pages that open meanwhile."""

Message = Mapping[str, Any]


class Fragments(Protocol):
    """The renderer of the exporter `html`. It returns escaped HTML."""

    def exchange(self, exchange: Exchange, *, folded: bool = False, apart: bool = False, running: bool = False) -> str:
        """Return the section of a turn. `apart` leaves its list of steps empty."""
        ...

    def shows(self, step: Step) -> bool:
        """Return whether a step is shown."""
        ...

    def step(self, step: Step, answer: str = "", *, running: bool = False) -> str:
        """Return the list item of a step, or "" for mere bookkeeping."""
        ...

    def preview(self, arguments: Mapping[str, Any]) -> str:
        """Return the preview of a proposed call."""
        ...

    def diff(self, old: str, new: str, path: str = "") -> str:
        """Return the difference of two texts in the colours of the file's language."""
        ...

    def prose(self, markdown: str) -> str:
        """Return rendered Markdown without its raw HTML."""
        ...


class Design(Protocol):
    """An exporter that lends its design to other pages."""

    def fragments(self, titled: Callable[[str, Mapping[str, Any]], str] | None = None) -> Fragments:
        """Return the renderer. `titled` names a call by its tool's name and its arguments."""
        ...

    def assets(self) -> Mapping[str, Any]:
        """Return the design's files by name."""
        ...


def entry(fragments: Fragments, exchange: Exchange, *, running: bool = False) -> Message:
    """Return the message of a turn. If the turn is long or runs, its last steps are separate."""
    is_whole = not running and len(exchange.steps) <= MOST_WHOLE
    return {
        "number": exchange.number,
        "running": running,
        "html": fragments.exchange(evolve(exchange), apart=not is_whole, running=running),  # a copy: it removes steps
        "path": not running and path_call(exchange) is not None,
        "steps": None if is_whole else steps_before(fragments, exchange, len(exchange.steps), running=running),
    }


def steps_before(fragments: Fragments, exchange: Exchange, before: int, *, running: bool = False) -> Message:
    """Return up to `LAST_STEPS` steps before a place, and the number of steps before those."""
    shown = [step for step in exchange.steps if fragments.shows(step)]
    before = max(0, min(before, len(shown)))
    first = max(0, before - LAST_STEPS)
    html = [fragments.step(step, exchange.answer, running=running) for step in shown[first:before]]
    return {"before": first, "html": html}


@define(eq=False, repr=False)
class TurnSections:
    """Reader of a session's events that yields the changes for its pages."""

    fragments: Fragments
    reading: Reading = field(factory=Reading)
    seq: int = 0
    runs: bool = field(init=False, default=False)
    said: dict[str, str] = field(init=False, factory=lambda: {"text": "", "reasoning": ""})
    _shown: int | None = field(init=False, default=None)

    @property
    def exchange(self) -> Exchange:
        """The turn that runs, or else the last one."""
        return self.reading.exchange

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show yet."""
        return self.reading.is_empty

    def entry(self) -> Message:
        """Return the message of the turn that runs, or else of the last one."""
        return entry(self.fragments, self.exchange, running=self.runs)

    def so_far(self) -> list[Message]:
        """Return the text of unfinished replies and calls so far, as deltas."""
        number = self.exchange.number
        said = [{"turn": number, "of": of, "text": text} for of, text in self.said.items() if text]
        running = (call for call in self.reading.calls.values() if call.output and call.result is None)
        return [*said, *({"turn": number, "of": "output", "call": call.id, "text": call.output} for call in running)]

    def take(self, event: inarch.Event) -> Iterator[Message]:
        """Yield the messages for an event. Ignore an event that was read before."""
        if event.kind == "model.delta":
            yield from self._delta(event.data)
            return
        if event.seq <= self.seq:
            return
        self.seq = event.seq
        before = self.exchange
        is_more = event.kind == "call.output" and event.data.get("call_id") in self.reading.calls  # its step is shown
        for _ in self.reading.take(event):
            pass
        if event.kind in ("turn.started", "turn.ended"):
            self.runs = event.kind == "turn.started" or not self.exchange.is_over
        if event.kind in ("model.requested", "model.replied", "turn.ended"):
            self.said = {"text": "", "reasoning": ""}
        if event.kind not in inarch.EVENT_KINDS:
            yield {"event": {"seq": event.seq, "kind": event.kind, "turn_id": event.turn_id, "time": event.time,
                             "data": event.data}}  # fmt: skip
        if not is_more:
            yield from self._changed(event, before)
        if event.kind == "call.output":
            yield {"delta": {"turn": self.exchange.number, "of": "output", "call": event.data.get("call_id"),
                             "text": event.data.get("text")}}  # fmt: skip

    def _changed(self, event: inarch.Event, before: Exchange) -> Iterator[Message]:
        touched, now = self.reading.touched, self.exchange
        ends = event.kind == "turn.ended" and now.is_over
        if ends or now is not before or (touched is not None and self._shown != now.number):
            self._shown = now.number
            yield {"turn": self.entry()}
        elif touched is not None:
            place = _place(self.fragments, now, touched)
            if place is not None:
                later, at = place
                html = self.fragments.step(touched, now.answer, running=self.runs)
                yield {"step": {"turn": now.number, "place": at, "html": html, "later": later}}

    def _delta(self, data: Mapping[str, Any]) -> Iterator[Message]:
        for of in self.said:
            text = data.get(of) or ""
            if text:
                self.said[of] = (self.said[of] + text)[-MOST_SO_FAR:]
                yield {"delta": {"turn": self.exchange.number, "of": of, "text": text}}


def _place(fragments: Fragments, exchange: Exchange, step: Step) -> tuple[bool, int] | None:
    """Return whether a step came after the end of its turn, and its index among the shown steps."""
    if not fragments.shows(step):
        return None
    for later, steps in ((True, exchange.later), (False, exchange.steps)):
        for at in range(len(steps) - 1, -1, -1):
            if steps[at] is step:
                return later, sum(fragments.shows(one) for one in steps[:at])  # a section contains only shown steps
    return None


def joined(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield messages with neighbouring deltas of the same text merged."""
    held: dict[str, Any] | None = None
    for message in messages:
        delta = message.get("delta")
        if delta is not None and held is not None and _key(held) == _key(delta):
            held["text"] += delta["text"]
            continue
        if held is not None:
            yield {"delta": held}
            held = None
        if delta is not None:
            held = dict(delta)
        else:
            yield message
    if held is not None:
        yield {"delta": held}


def _key(delta: Message) -> tuple[Any, ...]:
    return delta["turn"], delta["of"], delta.get("call")
