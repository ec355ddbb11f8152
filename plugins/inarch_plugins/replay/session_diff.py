"""Comparison of sessions: a digest that equal runs share, and the first difference."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any

from attrs import define, field, frozen

from inarch import Event
from inarch_plugins.replay.normal_form import Arranger, Normaliser, Said, normal_form

EXCERPT = 120
"""Most characters shown of a text that differs."""
BEFORE = 30
_NOTHING = object()
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


@frozen
class Difference:
    """The first difference between two sessions.

    Args:
        turn: The number of the agent's turn, 0 outside turns.
        event: The number of the event in the first session, 0 if it has none.
        kind: The event's kind.
        where: The part that differs, such as `data.content`; empty for the whole event.
        recorded: The first session's value, shortened; None if it has none.
        came: The second session's value.
    """

    turn: int
    event: int
    kind: str
    where: str
    recorded: str | None
    came: str | None


@frozen
class Divergence:
    """The point where two sessions diverge, and the whole `turns` and the `events` that they share before."""

    first: Difference
    second_event: int
    turns: int
    events: int


@define(eq=False, repr=False)
class Digester:
    """Incremental digest of a session. It holds no more events than an `Arranger`."""

    _digest: Any = field(init=False, factory=hashlib.sha256)
    _arranger: Arranger = field(init=False, factory=Arranger)

    def take(self, said: Said) -> None:
        """Add the next event's form."""
        self._add(self._arranger.take(said))

    def _add(self, settled: Iterable[Said]) -> None:
        for said in settled:
            self._digest.update(_encode([said.kind, said.data]).encode() + b"\n")

    def hexdigest(self) -> str:
        """Return the digest of all events so far."""
        self._add(self._arranger.rest())
        digest: str = self._digest.hexdigest()
        return digest


def digest_of(events: Iterable[Event], root: str | None = None) -> str:
    """Return the SHA-256 over kinds, names, arguments and texts of a session's events in order.

    `inarch_plugins.replay.normal_form` lists the fields that it covers.
    """
    normaliser, digester = Normaliser(root or ""), Digester()
    for event in events:
        for said in normaliser.take(event):
            digester.take(said)
    return digester.hexdigest()


def compare_sessions(events_a: Iterable[Event], events_b: Iterable[Event]) -> Divergence | None:
    """Return where two sessions diverge, or None if they are equal. It holds one turn of each in memory."""
    turns = 0
    for place, (one, other) in enumerate(zip_longest(normal_form(events_a), normal_form(events_b))):
        if one is None or other is None or one.key != other.key:
            return Divergence(difference(one, other), other.seq if other else 0, turns, place)
        turns += one.kind == "turn.ended"
    return None


def difference(recorded: Said | None, came: Said | None) -> Difference:
    """Return the difference between two events that should be equal."""
    known = recorded or came
    assert known is not None
    seq = recorded.seq if recorded else 0
    if recorded is None or came is None or recorded.kind != came.kind:
        return Difference(known.turn, seq, known.kind, "", _whole(recorded), _whole(came))
    where, one, other = _first_difference(recorded.data, came.data)
    shared = _shared(one, other) if isinstance(one, str) and isinstance(other, str) else 0
    return Difference(known.turn, seq, known.kind, where, _shown(one, shared), _shown(other, shared))


def _first_difference(one: Any, other: Any, where: str = "") -> tuple[str, Any, Any]:
    """Return the path to the first leaf that differs, and both values."""
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
