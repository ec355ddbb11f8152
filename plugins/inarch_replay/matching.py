"""What comes next in the turn that is played: its requests and calls, in the order in which they are matched."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from contextvars import ContextVar

from attrs import define, field

from inarch import Event
from inarch_replay.recorded import Exchange, RecordedCall, request_key

_exchange: ContextVar[Exchange | None] = ContextVar("inarch_replayed_exchange", default=None)
"""The record of the request that a task is making: several may be under way."""


@define(eq=False, repr=False)
class Lineup:
    """The recorded requests and calls of one turn, taken one after the other.

    Args:
        known: The calls of the steps that are read, by their ids.
        requests: How many requests the turn has made.
    """

    known: Mapping[str, RecordedCall]
    requests: int = field(init=False, default=0)
    _waiting: dict[tuple[str, str], deque[Exchange]] = field(init=False, factory=dict)
    _calls: list[RecordedCall] = field(init=False, factory=list)
    _questioned: deque[RecordedCall] = field(init=False, factory=deque)
    _bound: dict[str, RecordedCall] = field(init=False, factory=dict)
    _taken: set[str] = field(init=False, factory=set)

    def begin(self, calls: Iterable[RecordedCall], exchanges: Iterable[Exchange] = ()) -> None:
        """Line up a turn's calls and requests."""
        self.requests = 0
        self._calls = list(calls)
        self._questioned = deque(call for call in self._calls if call.is_questioned)
        self._waiting = {}
        self._bound, self._taken = {}, set()
        for exchange in exchanges:
            self._waiting.setdefault(exchange.key, deque()).append(exchange)

    def requested(self, event: Event) -> Exchange | None:
        """Take the record of the request that is announced, None where there is none, for the task that makes it."""
        self.requests += 1
        waiting = self._waiting.get(request_key(event.data))
        exchange = waiting.popleft() if waiting else None
        _exchange.set(exchange)
        return exchange

    @property
    def has_requests(self) -> bool:
        """Whether the record has more requests of the turn."""
        return any(self._waiting.values())

    def current(self) -> Exchange | None:
        """Return the record of the request that this task is making."""
        return _exchange.get()

    def is_asked_again(self) -> bool:
        """Whether the request that this task has made was tried once more."""
        exchange = _exchange.get()
        following = self._waiting.get(exchange.key) if exchange is not None else None
        return bool(following) and _attempt(next(iter(following or ()))) > 1

    def bind(self, call_id: str, name: str) -> RecordedCall | None:
        """Return the record of a call that has begun: the one of its id, else the turn's next one of its name."""
        if call_id not in self._bound:
            same = self.known.get(call_id)
            free = (call for call in self._calls if call.id not in self._taken and call.name == name)
            found = same if same is not None and same.id not in self._taken else next(free, None)
            if found is None:
                return None
            self._taken.add(found.id)
            self._bound[call_id] = found
        return self._bound[call_id]

    def call_of(self, call_id: str) -> RecordedCall | None:
        """Return the record of a call that has begun."""
        return self._bound.get(call_id)

    def next_scope(self, name: str) -> str | None:
        """Return the scope of the earlier approval that covered the next call that there was a question about."""
        while self._questioned:
            call = self._questioned.popleft()
            if call.name == name:
                return call.lasting_scope
        return None


def _attempt(exchange: Exchange) -> int:
    return int(exchange.requested.data.get("attempt", 1))
