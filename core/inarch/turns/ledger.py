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

_ZERO = Decimal(0)

Key = tuple[str, str, str]


@define(eq=False, repr=False)
class Entry:
    """Usage of requests with the same purpose, plugin and model; `waiting` are those without a reply so far."""

    requests: int = 0
    waiting: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: Decimal = _ZERO
    unknown: int = 0
    seconds: float = 0.0
    estimated: int = 0

    def replied(self, data: Any) -> None:
        """Add the data of a `model.replied`."""
        usage = data.get("usage") or {}
        # If the record has a gap, a reply may appear without its request.
        self.waiting = max(0, self.waiting - 1)
        self.failed += data.get("finish") == "error" and data.get("error") != "cancelled"
        self.input_tokens += usage.get("input_tokens", 0)
        self.output_tokens += usage.get("output_tokens", 0)
        self.cached_tokens += usage.get("cached_tokens", 0)
        self.seconds += data.get("duration_s", 0.0)
        self.estimated += bool(usage.get("estimated"))
        cost = usage.get("cost_usd")
        if cost is None:
            self.unknown += 1
        else:
            self.cost += Decimal(cost)

    def add(self, data: Any) -> None:
        """Add the data of a `Spent`."""
        for name in ("requests", "failed", "input_tokens", "output_tokens", "cached_tokens", "unknown", "estimated"):
            setattr(self, name, getattr(self, name) + int(data.get(name) or 0))
        self.seconds += float(data.get("seconds") or 0)
        self.cost += Decimal(data.get("cost_usd") or 0)

    def spent(self, purpose: str, plugin: str, model: str) -> Spent:
        """Return the entry as a record."""
        return Spent(
            purpose, plugin, model, self.requests, self.failed, self.input_tokens, self.output_tokens,
            self.cached_tokens, self.cost, self.unknown + self.waiting, round(self.seconds, 6), self.estimated,
        )  # fmt: skip


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
                entry.requests += 1
                entry.waiting += 1
        elif event.kind == "model.replied":
            for entry in self._entries(event):
                entry.replied(event.data)
        elif event.kind == "child.ended":
            for row in event.data.get("spent") or ():
                for entry in self._entries(event, ("child", str(event.data.get("name")), str(row.get("model")))):
                    entry.add(row)

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
    total = Spent("", "", "")
    for row in rows:
        total = Spent(
            "", "", "", total.requests + row.requests, total.failed + row.failed,
            total.input_tokens + row.input_tokens, total.output_tokens + row.output_tokens,
            total.cached_tokens + row.cached_tokens, total.cost_usd + row.cost_usd, total.unknown + row.unknown,
            round(total.seconds + row.seconds, 6), total.estimated + row.estimated,
        )  # fmt: skip
    return total
