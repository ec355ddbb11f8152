"""Comparing sessions: a digest over what two runs of the same must share, and the first place where they differ."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from attrs import define, field

from inarch.contract.events import Event
from inarch.contract.frozen import frozen
from inarch.sessions.replay.normal import MAIN, Normaliser, Said, normal_form, root_of

EXCERPT = 120
"""Characters that are shown of a text that differs."""
BEFORE = 30
_NOTHING = object()


@frozen
class Difference:
    """The first place where two sessions differ.

    Args:
        turn: Number of the agent's turn, 0 outside of any.
        event: Number of the event in the first session, 0 where it has none.
        kind: The event's kind.
        where: Which part of it differs, such as `data.content`; empty where the whole does.
        recorded: What the first session has there, shortened; None where it has nothing.
        came: What the second one has.
    """

    turn: int
    event: int
    kind: str
    where: str
    recorded: str | None
    came: str | None


@frozen
class Divergence:
    """Where two sessions part, and how much they share before: `turns` whole ones and `events`."""

    first: Difference
    second_event: int
    turns: int
    events: int


def digest_of(events: Iterable[Event], root: str | None = None) -> str:
    """Return the SHA-256 over kinds, names, arguments and texts of a session's events in order.

    What is in it and what isn't stands in `inarch.sessions.replay.normal`.
    """
    return _digest(normal_form(events, root))


def _digest(form: Iterable[Said]) -> str:
    digest = hashlib.sha256()
    for said in form:
        line = json.dumps([said.kind, said.data], sort_keys=True, separators=(",", ":"))
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def compare_sessions(events_a: Iterable[Event], events_b: Iterable[Event]) -> Divergence | None:
    """Return where two sessions part first, None where they come to the same."""
    form_a, form_b = normal_form(events_a), normal_form(events_b)
    turns = 0
    for place, (one, other) in enumerate(zip_longest(form_a, form_b)):
        if one is None or other is None or one.key != other.key:
            return Divergence(difference(one, other), other.seq if other else 0, turns, place)
        turns += one.kind == "turn.ended"
    return None


def difference(recorded: Said | None, came: Said | None) -> Difference:
    """Return how two events that should be the same differ."""
    known = recorded or came
    assert known is not None
    seq = recorded.seq if recorded else 0
    if recorded is None or came is None or recorded.kind != came.kind:
        return Difference(known.turn, seq, known.kind, "", _whole(recorded), _whole(came))
    where, one, other = _first_difference(recorded.data, came.data)
    shared = _shared(one, other) if isinstance(one, str) and isinstance(other, str) else 0
    return Difference(known.turn, seq, known.kind, where, _shown(one, shared), _shown(other, shared))


def _first_difference(one: Any, other: Any, where: str = "") -> tuple[str, Any, Any]:
    """Return the path to the first leaf that differs, and both values there."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        pairs = [(str(key), one.get(key, _NOTHING), other.get(key, _NOTHING)) for key in {**one, **other}]
    elif isinstance(one, list) and isinstance(other, list):
        longest = zip_longest(one, other, fillvalue=_NOTHING)
        pairs = [(str(place), *pair) for place, pair in enumerate(longest, 1)]
    else:
        return where, one, other
    for key, left, right in pairs:
        if left != right:
            return _first_difference(left, right, f"{where}.{key}" if where else key)
    return where, one, other


def _shared(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _shown(value: Any, shared: int = 0) -> str | None:
    if value is _NOTHING:
        return None
    start = max(0, shared - BEFORE)
    text = value[start:] if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    cut = text if len(text) <= EXCERPT else f"{text[: EXCERPT - 1]}…"
    return f"…{cut}" if start else cut


def _whole(said: Said | None) -> str | None:
    if said is None:
        return None
    data = json.dumps(said.data, ensure_ascii=False, sort_keys=True)
    return f"{said.kind} {data if len(data) <= EXCERPT else data[: EXCERPT - 1] + '…'}"


@define(eq=False, repr=False)
class Follower:
    """Follows a run beside a record, event by event, and notices the first that is another.

    Args:
        record: The recorded events.
        root: The workspace of the run.
    """

    record: Sequence[Event]
    root: str
    first: Difference | None = field(init=False, default=None)
    count: int = field(init=False, default=0)
    _normaliser: Normaliser = field(init=False)
    _expected: dict[str, list[Said]] = field(init=False, factory=dict)
    _places: dict[str, int] = field(init=False, factory=dict)
    _last_seq: int = field(init=False, default=0)
    _seqs: set[int] = field(init=False, factory=set)
    _lost: int = field(init=False, default=0)

    def __attrs_post_init__(self) -> None:
        self._normaliser = Normaliser(self.root)
        self._seqs = {event.seq for event in self.record}
        self._lost = self.record[-1].seq - len(self.record) if self.record else 0
        recorded = Normaliser(root_of(self.record))
        for event in self.record:
            for said in recorded.take(event):
                self._expected.setdefault(said.stream, []).append(said)

    def take(self, event: Event) -> bool:
        """Take the run's next event; whether it counts at all."""
        forms = self._normaliser.take(event)
        for said in forms:
            place = self._places.get(said.stream, 0)
            expected = self._expected.get(said.stream, ())
            recorded = expected[place] if place < len(expected) else None
            if self._was_lost(recorded, said):
                continue
            self._places[said.stream] = place + 1
            if self.first is None and (recorded is None or recorded.key != said.key):
                self.first = difference(recorded, said)
            if recorded is not None:
                self._last_seq = max(self._last_seq, recorded.seq)
        self.count += bool(forms)
        return bool(forms)

    def _was_lost(self, recorded: Said | None, said: Said) -> bool:
        """Whether the record has a hole here in which this event may have stood."""
        if not self._lost or (recorded is not None and recorded.key == said.key):
            return False
        if recorded is not None and (recorded.seq - 1 in self._seqs or recorded.seq == 1):
            return False
        self._lost -= 1
        return True

    def finish(self) -> Difference | None:
        """Return the first difference, which may be that something recorded never came."""
        if self.first is None:
            open_ones = (
                said
                for stream, expected in self._expected.items()
                for said in expected[self._places.get(stream, 0) :]
                if stream != MAIN or said.kind != "call"
            )
            missing = min(open_ones, key=lambda said: said.seq, default=None)
            if missing is not None:
                self.first = difference(missing, None)
        return self.first

    def time(self) -> str:
        """Return what the clock said at this point of the record."""
        place = min(self._last_seq, len(self.record) - 1)
        return self.record[place].time
