"""A right tracer, and one that is wrong in one way for each test of `TracerContract`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inarch import Event
from inarch.testing import TracerContract


class Counter:
    name = "counter"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.counts: dict[str | None, int] = {}

    def saw(self, event: Event) -> None:
        self.counts[event.turn_id] = self.counts.get(event.turn_id, 0) + 1

    def summary(self, turn_id: str) -> Any:
        count = self.counts.get(turn_id)
        return None if count is None else f"{count} events"

    def close(self) -> None:
        self.counts.clear()


class Suite(TracerContract):
    tracer: type[Counter] = Counter
    folder: Path

    def make(self) -> Any:
        return self.tracer(self.folder)


class Unnamed(Counter):
    name = "a counter"


class KnowsFew(Counter):
    def saw(self, event: Event) -> None:
        {"note": 1, "turn.started": 1}[event.kind]
        super().saw(event)


class NeedsATurn(Counter):
    def saw(self, event: Event) -> None:
        assert event.turn_id
        super().saw(event)


class KnowsNoFuture(Counter):
    def saw(self, event: Event) -> None:
        if not event.kind or "future_field" in event.data:
            raise ValueError(event.kind)


class Encodes(Counter):
    def saw(self, event: Event) -> None:
        str(event.data).encode()
        repr(event.data.get("text", "")).encode("ascii", "strict")
        str(event.data.get("text", "")).encode()


class ManyLines(Counter):
    def summary(self, turn_id: str) -> Any:
        return "one\ntwo"


class KnownOnly(Counter):
    def summary(self, turn_id: str) -> Any:
        return f"{self.counts[turn_id]} events"


class InOrder(Counter):
    last = 0

    def saw(self, event: Event) -> None:
        if event.session_id == "s" and event.seq != self.last + 1 and event.seq != 1:
            raise ValueError("events are missing")
        self.last = event.seq


class ClosesOnce(Counter):
    closed = False

    def close(self) -> None:
        if self.closed:
            raise ValueError("closed")
        self.closed = True


class OddFiles(Counter):
    def files(self, session_id: str) -> Any:
        return [1]


class Prints(Counter):
    def saw(self, event: Event) -> None:
        print(event.kind)


WRONG: dict[str, type[Counter]] = {
    "test_name_and_methods_fit": Unnamed,
    "test_every_kind_of_event_is_taken": KnowsFew,
    "test_events_with_as_little_as_may_be_are_taken": NeedsATurn,
    "test_kinds_and_fields_of_the_future_are_passed_over": KnowsNoFuture,
    "test_any_text_in_any_field_is_taken": Encodes,
    "test_the_summary_is_a_line_or_none": ManyLines,
    "test_the_summary_of_an_unknown_turn_is_no_error": KnownOnly,
    "test_events_may_be_missing_or_out_of_order": InOrder,
    "test_closing_twice_is_fine": ClosesOnce,
    "test_what_it_offers_beyond_the_port_works": OddFiles,
    "test_nothing_is_printed": Prints,
}


def suite(test: str = "") -> Suite:
    """The suite of the right tracer, or of the one that fails a test."""
    made = Suite()
    if test:
        made.tracer = WRONG[test]
    return made
