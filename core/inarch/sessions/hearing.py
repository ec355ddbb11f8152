"""Who hears every event of a session that is gone on with: its sums, and what the model is still to be told."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from inarch.contract.codec import from_data, to_data
from inarch.contract.event_parts import Branch
from inarch.contract.events import Event
from inarch.contract.inputs import Input
from inarch.journal.redaction.redactor import Redactor
from inarch.turns.between_turns import BetweenTurns
from inarch.turns.budget.ledger import Ledger
from inarch.turns.context.counting import TokenCounter

_SPENDING = frozenset({"model.requested", "model.replied", "child.ended"})


@define(eq=False, repr=False)
class Heard:
    """What was heard."""

    redactor: Redactor
    ledger: Ledger = field(factory=Ledger)
    counter: TokenCounter = field(factory=TokenCounter)
    between: BetweenTurns = field(factory=BetweenTurns)
    inputs: dict[str, Input] = field(init=False, factory=dict)
    """What was said and still waits, by id."""
    branch: Branch | None = field(init=False, default=None)
    children: dict[str, tuple[str, str, str, str]] = field(init=False, factory=dict)
    """Call, turn, name and beginning of each child that has not ended, by its session."""
    holes: list[tuple[int, int]] = field(init=False, factory=list)
    """First and last number of each gap among the events."""
    _last: int = field(init=False, default=0)
    _numbers: dict[str, int] = field(init=False, factory=dict)

    def take(self, event: Event) -> None:
        """Hear an event; shapes that are not understood are passed over."""
        if event.seq > self._last + 1:
            self.holes.append((self._last + 1, event.seq - 1))
        self._last = event.seq
        self.between.saw(event)
        try:
            if event.kind in _SPENDING:
                self.ledger.saw(event)
                self.counter.recall((event,))
            if event.kind == "child.started":
                call_id, name = str(event.data["call_id"]), str(event.data["name"])
                self.children[event.data["session_id"]] = (call_id, event.turn_id or "", name, event.time)
            elif event.kind == "child.ended":
                self.children.pop(event.data["session_id"], None)
            elif event.kind == "session.started" and event.data.get("branch"):
                self.branch = from_data(Branch, event.data["branch"])
            elif event.kind == "input.waiting":
                said = Input(*(str(event.data[key]) for key in ("id", "text", "by")))
                self.inputs[said.id] = said
            elif event.kind == "input.ended":
                self.inputs.pop(event.data["id"], None)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
            pass
        self._reserve(event.line)

    def to_data(self) -> Any:
        """Return all of it as plain JSON data, for `go_on_from`."""
        return {
            "ledger": self.ledger.to_data(),
            "counter": self.counter.learned(),
            "between": self.between.to_data(),
            "branch": to_data(self.branch),
            "children": self.children,
            "inputs": [(said.id, said.text, said.by) for said in self.inputs.values()],
            "numbers": self._numbers,
            "holes": [self._last, self.holes],
        }

    def go_on_from(self, data: Any) -> None:
        """Take over what `to_data` gave."""
        self.ledger.go_on_from(data["ledger"])
        self.counter.learn_again(data["counter"])
        self.between.go_on_from(data["between"])
        self.branch = from_data(Branch, data["branch"]) if data["branch"] else None
        self.children = {
            child: (call, turn, name, time) for child, (call, turn, name, time) in data["children"].items()
        }
        self.inputs = {said[0]: Input(*said) for said in data["inputs"]}
        self._last = int(data["holes"][0])
        self.holes = [(first, last) for first, last in data["holes"][1]]
        self._reserve("".join(f"‹secret:{tag}:{number}›" for tag, number in data["numbers"].items()))

    def _reserve(self, text: str) -> None:
        for tag, number in self.redactor.reserve(text):
            self._numbers[tag] = max(self._numbers.get(tag, 0), int(number))
