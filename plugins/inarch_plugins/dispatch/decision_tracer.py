"""The tracer that learns what came of decisions.

A decision *helped* when its call succeeded and the model's first reply of the turn did not call the same tool again:
the result was what the model would have asked for, so a round trip to the model was saved. What a round trip takes is
the mean of those of this session. Whether the model would have called the tool at all nobody can know afterwards; a
decision whose result went unused is therefore counted as one that helped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from attrs import define, field

if TYPE_CHECKING:
    from inarch import Event, PluginContext
    from inarch_plugins.dispatch.break_even import Books, BreakEven, Decided, Trips

STRATEGY = "structured"


@define(eq=False, repr=False)
class Watcher:
    """Sees decisions, their calls and the replies after them, and enters each outcome in the books.

    Until the strategy asks for the books it looks at nothing: profiles without it pay nothing.

    Args:
        context: What the plugin was given; its name is that under which decisions are asked for.
        break_even: In what decisions must pay for themselves.
    """

    context: PluginContext
    break_even: BreakEven = "both"
    name: str = "dispatch"
    _books: Books | None = field(init=False, default=None)
    _stopped: bool = field(init=False, default=False)
    _trips: dict[str, Trips] = field(init=False, factory=dict)
    _decided: dict[str, Decided] = field(init=False, factory=dict)
    _forgetting: dict[str, Callable[[], None]] = field(init=False, factory=dict)

    def rests_on(self, turn_id: str, forget: Callable[[], None]) -> None:
        """Hear how a turn's decision is forgotten, should its call turn out not to be valid."""
        self._forgetting[turn_id] = forget

    def books(self) -> Books:
        """Return the books of this workspace as they stand now, and look on from here."""
        if self._books is None:
            from inarch_plugins.dispatch.break_even import Books

            self._books = Books.of(self.context, self.break_even)
        else:
            self._books.refresh()
        return self._books

    def saw(self, event: Event) -> None:
        """Take note of an event."""
        if self._books is None:
            return
        data, kind = event.data, event.kind
        if kind == "model.replied":
            self._replied(event, data)
        elif kind == "decision.made" and data["strategy"] == STRATEGY:
            self._decision(event).cached = data["cached"]
        elif (decided := self._decided.get(event.turn_id or "")) is None:
            return
        elif kind == "call.state" and data.get("call") and data["call"]["origin"] == "strategy":
            decided.call_id, decided.tool = data["call_id"], data["name"]
        elif kind == "call.result" and data["call_id"] == decided.call_id:
            decided.succeeded = data["status"] == "success"
            error = data["result"]["error"]
            if error is not None and error["code"] == "validation" and (turn_id := event.turn_id) in self._forgetting:
                self._forgetting.pop(turn_id)()
            decided.call_s = _seconds(data.get("started"), data.get("ended"))
        elif kind == "turn.ended":
            self._forgetting.pop(event.turn_id or "", None)
            self._enter(event.turn_id or "")

    def summary(self, turn_id: str) -> str | None:
        """Enter the outcome of a turn that ends well; say so where with it the decisions stop."""
        self._enter(turn_id)
        if not self._stopped or self._books is None:
            return None
        self._stopped = False
        return (
            f"the {STRATEGY} strategy switched itself off for this directory: of its last decisions "
            f"{self._books.balance.words()}; inarch dispatch clear switches it on again"
        )

    def close(self) -> None:
        """Nothing is held open."""

    def _decision(self, event: Event) -> Decided:
        turn_id = event.turn_id or ""
        if turn_id not in self._decided:
            from inarch_plugins.dispatch.break_even import Decided

            self._decided[turn_id] = Decided(event.session_id)
        return self._decided[turn_id]

    def _replied(self, event: Event, data: Mapping[str, Any]) -> None:
        cost = data["usage"]["cost_usd"]
        money = None if cost is None else Decimal(cost)
        if data["purpose"] == "decision":
            if data["plugin"] == self.context.name:
                decided = self._decision(event)
                decided.cost_s += data["duration_s"]
                decided.cost_usd = _plus(decided.cost_usd, money)
        elif data["purpose"] == "turn" and data["finish"] != "error":
            from inarch_plugins.dispatch.break_even import Trips

            trips = self._trips.setdefault(event.session_id, Trips())
            trips.count += 1
            trips.seconds += data["duration_s"]
            trips.money = _plus(trips.money, money)
            self._first_reply(self._decided.get(event.turn_id or ""), data)

    def _first_reply(self, decided: Decided | None, data: Mapping[str, Any]) -> None:
        if decided is None or decided.was_answered:
            return
        decided.was_answered = True
        called = {part["name"] for part in data["message"]["parts"] if part["type"] == "call"}
        decided.was_repeated = decided.tool in called

    def _enter(self, turn_id: str) -> None:
        """Enter what came of the turn's decision, once.

        A turn without a reply of the model, cancelled or failed, shows nothing either way.
        """
        decided = self._decided.pop(turn_id, None)
        if decided is None or not decided.was_answered or self._books is None:
            return
        from inarch_plugins.dispatch.break_even import Outcome

        trips = self._trips[decided.session_id]
        helped = decided.succeeded and not decided.was_repeated
        mean = None if trips.money is None else trips.money / trips.count
        outcome = Outcome(
            cached=decided.cached,
            helped=helped,
            cost_s=decided.cost_s + (0.0 if helped else decided.call_s),
            saved_s=trips.seconds / trips.count if helped else 0.0,
            cost_usd=decided.cost_usd,
            saved_usd=mean if helped else Decimal(0),
        )
        self._stopped = self._books.add(outcome) or self._stopped


def _plus(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one + other


def _seconds(started: str | None, ended: str | None) -> float:
    from datetime import datetime

    if not started or not ended:
        return 0.0
    return max(0.0, (datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds())
