"""What comes next in the turn that is played: its requests and calls, in the order in which they are matched."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from typing import Any

from attrs import define, field

from inarch import ChosenRights, Event, ProviderError
from inarch_plugins.replay.recorded_turns import Covered, Exchange, RecordedCall, RecordedTurn, request_key, rights_of

_exchange: ContextVar[Exchange | None] = ContextVar("inarch_replayed_exchange", default=None)
"""The record of the request that a task is making: several may be under way."""


_LEFT_ALONE = "asked to be left alone"
"""What the record says of a service that wasn't asked for that reason."""


@define(eq=False, repr=False)
class Lineup:
    """The recorded requests and calls of one turn, taken one after the other.

    Args:
        known: The calls of the steps that are read, by their ids.
        turn: The turn; None for calls of no turn.
        requests: How many requests the turn has made.
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
        """Line up calls, and the requests of their turn."""
        self.turn, self.requests = turn, 0
        self._calls = list(calls)
        self._questioned = deque(call for call in self._calls if call.is_questioned)
        self._waiting = {}
        self._bound, self._taken = {}, set()
        for exchange in turn.exchanges if turn is not None else ():
            self._waiting.setdefault(exchange.key, deque()).append(exchange)

    def requested(self, event: Event) -> Exchange | None:
        """Take the record of the request that is announced, None where there is none, for the task that makes it."""
        self.requests += 1
        waiting = self._waiting.get(request_key(event.data))
        exchange = waiting.popleft() if waiting else None
        _exchange.set(exchange)
        return exchange

    def current(self) -> Exchange | None:
        """Return the record of the request that this task is making."""
        return _exchange.get()

    def is_made_again(self) -> bool:
        """Whether the request that just failed was to be made again."""
        exchange = _exchange.get()
        following = next(iter(self._waiting.get(exchange.key, ())), None) if exchange is not None else None
        return following is not None and int(following.requested.data.get("attempt", 1)) > 1

    def says_when(self, exchange: Exchange | None) -> bool:
        """Whether it was told when the service of a failed request may be asked again."""
        return exchange is not None and self.turn is not None and self.turn.says_when(exchange)

    def notes(self, exchange: Exchange) -> list[Event]:
        """Return the remarks that the provider made on its reply."""
        return self.turn.notes_in(exchange) if self.turn is not None else []

    def left_alone(self) -> ProviderError | None:
        """Return the error in place of a request that wasn't made, as the service had asked to be left alone."""
        if self.turn is None or any(self._waiting.values()):
            return None
        said = next((event.data for event in reversed(self.turn.events) if event.kind == "error"), None)
        if said is None or _LEFT_ALONE not in said["message"]:
            return None
        return ProviderError("rate_limit", said["message"], remedy=said.get("remedy", ""))

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

    def then(self, name: str, chosen: ChosenRights) -> tuple[Any, bool]:
        """Return the approve mode that followed a yes with these rights, and whether nobody could be asked for one."""
        answers = [one for call in self._calls if call.name == name for one in call.all_answers]
        yes = [one for one in answers if one["outcome"] == "approve"]
        modes = (str(one.get("approve") or "") for one in yes if rights_of(one) == dict(chosen))
        return next(filter(None, modes), ""), any(one.get("by") == "headless" for one in yes)

    def next_covered(self, name: str) -> Covered | None:
        """Return what earlier approval covered the next call that there was a question about."""
        while self._questioned:
            call = self._questioned.popleft()
            if call.name == name:
                return call.covered
        return None
