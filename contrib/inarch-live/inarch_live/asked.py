"""Which calls a conversation asked for, over all its connections: each is told once and answered once. Pure.

A service that continues from an earlier state has forgotten the calls that came after it, and asks for them again when
it hears the same words again, mostly under other ids. They are known by tool and arguments then, in the order in which
they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, evolve, field

from inarch_live.outbox import Message, Results
from inarch_live.port import History, LiveCall, LiveResult, Scheduling


@define(eq=False)
class Asked:
    """The calls of one conversation, by the ids under which they were told.

    Args:
        history: What went before: those of its calls that have no result wait.
    """

    history: Iterable[History] = field(repr=False)
    _waiting: dict[str, LiveCall] = field(init=False, factory=dict)
    _known: set[str] = field(init=False, factory=set)
    _since: dict[str, LiveCall] = field(init=False, factory=dict)
    """Calls that came after the last state that survives."""
    _results: dict[str, tuple[LiveResult, Scheduling]] = field(init=False, factory=dict)
    """Their results, as far as there are any."""
    _forgotten: dict[str, LiveCall] = field(init=False, factory=dict)
    """Those of them that the present connection has not asked for again."""
    _let_go: set[str] = field(init=False, factory=set)
    _ids_there: dict[str, str] = field(init=False, factory=dict)
    """Under which id the service waits for a call, where it is another one."""

    def __attrs_post_init__(self) -> None:
        for piece in self.history:
            if isinstance(piece, LiveCall):
                self._waiting[piece.id] = piece
                self._known.add(piece.id)
            elif isinstance(piece, LiveResult):
                self._waiting.pop(piece.id, None)
        self.history = ()

    @property
    def waiting(self) -> tuple[LiveCall, ...]:
        """Return the calls that nobody has answered."""
        return tuple(self._waiting.values())

    def came(self, calls: Iterable[LiveCall]) -> tuple[tuple[LiveCall, ...], list[Results]]:
        """Return the calls that are new, and the results of those that have run already."""
        new: list[LiveCall] = []
        again: list[tuple[LiveResult, Scheduling]] = []
        for call in calls:
            first = self._first(call)
            if first is not None:
                del self._forgotten[first]
                self._ids_there[first] = call.id
                self._known.add(call.id)
                if first in self._results:
                    result, scheduling = self._results[first]
                    again.append((evolve(result, id=call.id), scheduling))
            elif call.id not in self._known:
                self._known.add(call.id)
                self._waiting[call.id] = self._since[call.id] = call
                new.append(call)
        return tuple(new), _grouped(again)

    def answered(self, results: Iterable[LiveResult], scheduling: Scheduling) -> list[LiveResult]:
        """Return the results that are to be sent now, with the ids that the service knows."""
        due = []
        for result in results:
            if self._waiting.pop(result.id, None) is None:
                continue
            if result.id in self._since:
                self._results[result.id] = (result, scheduling)
            if result.id not in self._forgotten or result.id in self._let_go:
                due.append(evolve(result, id=self._ids_there.get(result.id, result.id)))
        return due

    def kept(self) -> None:
        """The service has a state that survives, with all calls but those that it has forgotten."""
        self._since = dict(self._forgotten)
        self._results = {call_id: self._results[call_id] for call_id in self._since if call_id in self._results}

    def concerns_forgotten(self, message: Message) -> bool:
        """Return whether a message answers calls that a service knows nothing of when it continues."""
        there = {self._ids_there.get(call_id, call_id) for call_id in self._since} | set(self._since)
        return isinstance(message, Results) and any(result.id in there for result in message.results)

    def continues(self, outbox: Iterable[Message]) -> tuple[LiveCall, ...]:
        """The service continues from its last state: return the calls whose results it may get."""
        for call_id in self._since:
            self._ids_there.pop(call_id, None)
        self._forgotten = dict(self._since)
        self._let_go.clear()
        unsettled = {
            result.id: LiveCall(result.id, result.name, {})
            for message in outbox if isinstance(message, Results) for result in message.results
        }  # fmt: skip
        open_calls = {**self._waiting, **self._since}
        there = (evolve(call, id=self._ids_there.get(call_id, call_id)) for call_id, call in open_calls.items())
        return tuple({**unsettled, **{call.id: call for call in there}}.values())

    def begins_anew(self) -> None:
        """The service gets the calls with what was said so far: nothing is forgotten, and ids are the first ones."""
        self._forgotten.clear()
        self._ids_there.clear()
        self._let_go.clear()

    def let_go(self) -> list[Results]:
        """Return the results of forgotten calls, to be sent for their first ids."""
        held = [call_id for call_id in self._forgotten if call_id not in self._let_go]
        self._let_go.update(held)
        return _grouped([self._results[call_id] for call_id in held if call_id in self._results])

    def turn_ended(self) -> None:
        """What is asked for from now on is asked for anew."""
        self._forgotten.clear()
        self._let_go.clear()

    def first_ids(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return the ids under which calls were told."""
        told = {there: first for first, there in self._ids_there.items()}
        return tuple(told.get(call_id, call_id) for call_id in ids)

    def _first(self, call: LiveCall) -> str | None:
        if call.id in self._forgotten:
            return call.id
        if call.id in self._known:
            return None
        alike = (
            first for first, known in self._forgotten.items()
            if (known.name, known.arguments) == (call.name, call.arguments)
        )  # fmt: skip
        return next(alike, None)


def _grouped(results: Sequence[tuple[LiveResult, Scheduling]]) -> list[Results]:
    """Return as few messages as there are schedulings."""
    by_scheduling: dict[Scheduling, list[LiveResult]] = {}
    for result, scheduling in results:
        by_scheduling.setdefault(scheduling, []).append(result)
    return [Results(found, scheduling) for scheduling, found in by_scheduling.items()]
