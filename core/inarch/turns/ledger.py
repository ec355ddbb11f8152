"""Ledger of a session: which model was asked, by whom and for what, how often, and the usage.

It is fed with the events `model.requested`, `model.replied` and, for children's usage, `child.ended`. Live and stored
sessions are treated alike, so a resumed session continues its sums. A request without a recorded reply has an unknown
cost: Inarch was killed.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from attrs import asdict, define, field

from inarch.contract.event_parts import Spent
from inarch.contract.events import Event

Key = tuple[str, str, str]
_COUNTS = ("requests", "failed", "input_tokens", "output_tokens", "cached_tokens", "unknown", "estimated")


@define(eq=False, repr=False)
class Entry:
    """Usage of requests with the same purpose, plugin and model; `waiting` are those without a reply so far."""

    requests: int = 0
    waiting: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: Decimal = Decimal(0)
    unknown: int = 0
    seconds: float = 0.0
    estimated: int = 0

    def add(self, **amounts: Any) -> None:
        """Add to the fields of these names."""
        for name, amount in amounts.items():
            setattr(self, name, getattr(self, name) + amount)

    def add_spent(self, data: Any) -> None:
        """Add the data of a `Spent`."""
        self.add(**{name: int(data.get(name) or 0) for name in _COUNTS})
        self.add(seconds=float(data.get("seconds") or 0), cost=Decimal(data.get("cost_usd") or 0))

    def spent(self, purpose: str = "", plugin: str = "", model: str = "") -> Spent:
        """Return the entry as a record."""
        counts = {name: getattr(self, name) for name in _COUNTS}
        # If the record has a gap, a reply may have appeared without its request.
        counts["unknown"] += max(0, self.waiting)
        return Spent(purpose, plugin, model, cost_usd=self.cost, seconds=round(self.seconds, 6), **counts)


def _replied(data: Any) -> dict[str, Any]:
    """Return what the data of a `model.replied` adds."""
    usage = data.get("usage") or {}
    cost = usage.get("cost_usd")
    return {
        "waiting": -1,
        "failed": data.get("finish") == "error" and data.get("error") != "cancelled",
        "seconds": data.get("duration_s", 0.0),
        "estimated": bool(usage.get("estimated")),
        "unknown": cost is None,
        "cost": Decimal(cost or 0),
    } | {name: usage.get(name, 0) for name in ("input_tokens", "output_tokens", "cached_tokens")}


@define(eq=False, repr=False)
class Ledger:
    """Sums of a session and of its present turn; its size does not grow with the session."""

    _session: dict[Key, Entry] = field(init=False, factory=dict)
    _turn: dict[Key, Entry] = field(init=False, factory=dict)
    _turn_id: str | None = field(init=False, default=None)

    def saw(self, event: Event) -> None:
        """Process an event; only requests and replies count."""
        if event.kind == "model.requested":
            for entry in self._entries(event):
                entry.add(requests=1, waiting=1)
        elif event.kind == "model.replied":
            for entry in self._entries(event):
                entry.add(**_replied(event.data))
        elif event.kind == "child.ended":
            for row in event.data.get("spent") or ():
                for entry in self._entries(event, ("child", str(event.data.get("name")), str(row.get("model")))):
                    entry.add_spent(row)

    def to_data(self) -> Any:
        """Return the sums as plain JSON data, for `go_on_from`."""
        return [self._turn_id, *(_entries_data(entries) for entries in (self._session, self._turn))]

    def go_on_from(self, data: Any) -> None:
        """Restore the sums from the data of `to_data`."""
        self._turn_id, session, turn = data
        self._session, self._turn = _entries_of(session), _entries_of(turn)

    def rows(self, turn_id: str | None = None) -> tuple[Spent, ...]:
        """Return a record for each purpose, plugin and model, of the session or of its latest turn."""
        entries = self._session if turn_id is None else self._turn if turn_id == self._turn_id else {}
        return tuple(entry.spent(*key) for key, entry in entries.items())

    def total(self) -> Spent:
        """Return the session's usage in one record."""
        return total_of(self.rows())

    def _entries(self, event: Event, key: Key | None = None) -> tuple[Entry, Entry]:
        if event.turn_id != self._turn_id:
            self._turn, self._turn_id = {}, event.turn_id
        data = event.data
        key = key or (str(data.get("purpose") or "turn"), str(data.get("plugin") or ""), str(data.get("model") or ""))
        return self._session.setdefault(key, Entry()), self._turn.setdefault(key, Entry())


def _entries_data(entries: dict[Key, Entry]) -> Any:
    return [[*key, {**asdict(entry), "cost": str(entry.cost)}] for key, entry in entries.items()]


def _entries_of(data: Any) -> dict[Key, Entry]:
    return {
        (purpose, plugin, model): Entry(**{**values, "cost": Decimal(values["cost"])})
        for purpose, plugin, model, values in data
    }


def total_of(rows: Iterable[Spent]) -> Spent:
    """Return the sum of records, without purpose, plugin and model."""
    total = Entry()
    for row in rows:
        total.add_spent(asdict(row))
    return total.spent()
