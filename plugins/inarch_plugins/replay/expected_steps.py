"""The next expected requests and calls of the replayed turn, in the order of matching."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from typing import Any

from attrs import define, field

from inarch import ChosenRights, Event, ProviderError, Right
from inarch_plugins.replay.recorded_turns import Covered, Exchange, RecordedCall, RecordedTurn, request_key, rights_of

_exchange: ContextVar[Exchange | None] = ContextVar("inarch_replayed_exchange", default=None)
"""Record of the request that a task is making. Several may run at once."""


_LEFT_ALONE = "asked to be left alone"
"""Text in the record's error for a request that was not sent because the service had asked for a pause."""


@define(eq=False, repr=False)
class Lineup:
    """The recorded requests and calls of one turn, used one by one.

    Args:
        known: The calls of the loaded steps, by their ids.
        turn: The turn; None for calls outside turns.
        requests: The number of the turn's requests so far.
    """

    known: Mapping[str, RecordedCall]
    turn: RecordedTurn | None = field(init=False, default=None)
    requests: int = field(init=False, default=0)
    _waiting: dict[tuple[str, str], deque[Exchange]] = field(init=False, factory=dict)
    _calls: list[RecordedCall] = field(init=False, factory=list)
    _questioned: deque[RecordedCall] = field(init=False, factory=deque)
    _bound: dict[str, RecordedCall] = field(init=False, factory=dict)
    _taken: set[str] = field(init=False, factory=set)

    def begin(self, calls: Iterable[RecordedCall], turn: RecordedTurn | None = None) -> None:
        """Add calls, and the requests of their turn."""
        self.turn, self.requests = turn, 0
        self._calls = list(calls)
        self._questioned = deque(call for call in self._calls if call.is_questioned)
        self._waiting = {}
        self._bound, self._taken = {}, set()
        for exchange in turn.exchanges if turn is not None else ():
            self._waiting.setdefault(exchange.key, deque()).append(exchange)

    def requested(self, event: Event) -> Exchange | None:
        """Assign the record of an announced request to the task that makes it, or None if there is none."""
        self.requests += 1
        waiting = self._waiting.get(request_key(event.data))
        exchange = waiting.popleft() if waiting else None
        _exchange.set(exchange)
        return exchange

    def current(self) -> Exchange | None:
        """Return the record of this task's request."""
        return _exchange.get()

    def is_made_again(self) -> bool:
        """Return whether the request that just failed was retried."""
        exchange = _exchange.get()
        following = next(iter(self._waiting.get(exchange.key, ())), None) if exchange is not None else None
        return following is not None and int(following.requested.data.get("attempt", 1)) > 1

    def says_when(self, exchange: Exchange | None) -> bool:
        """Return whether the record says when a failed request can be retried."""
        return exchange is not None and self.turn is not None and self.turn.says_when(exchange)

    def notes(self, exchange: Exchange) -> list[Event]:
        """Return the provider's notes on its reply."""
        return self.turn.notes_in(exchange) if self.turn is not None else []

    def left_alone(self) -> ProviderError | None:
        """Return the error in place of a request that was not sent, because the service had asked for a pause."""
        if self.turn is None or any(self._waiting.values()):
            return None
        said = next((event.data for event in reversed(self.turn.events) if event.kind == "error"), None)
        if said is None or _LEFT_ALONE not in said["message"]:
            return None
        return ProviderError("rate_limit", said["message"], remedy=said.get("remedy", ""))

    def bind(self, call_id: str, name: str) -> RecordedCall | None:
        """Return the record of a call that has begun, by id, else the turn's next call of the same tool."""
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

    def then(self, name: str, chosen: ChosenRights) -> tuple[Any, bool]:
        """Return the approval mode set with an approval of these rights, and whether no user could be asked."""
        answers = [one for call in self._calls if call.name == name for one in call.all_answers]
        yes = [one for one in answers if one["outcome"] == "approve"]
        modes = (str(one.get("approve") or "") for one in yes if rights_of(one) == dict(chosen))
        return next(filter(None, modes), ""), any(one.get("by") == "headless" for one in yes)

    def given(self, name: str) -> tuple[Right, ...]:
        """Return the rights that approvers gave calls of a tool."""
        answers = (event.data for call in self._calls if call.name == name for event in call.reviewed)
        return tuple(Right("", right, "") for right in sorted({right for one in answers for right in rights_of(one)}))

    def next_covered(self, name: str) -> Covered | None:
        """Return the earlier approval that covered the tool's next call with a question."""
        while self._questioned:
            call = self._questioned.popleft()
            if call.name == name:
                return call.covered
        return None
