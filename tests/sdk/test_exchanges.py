"""Events of any shape become exchanges; none is lost without a word, none stops the export."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.export.telling import Telling
from tests.export.written import FORMATS, export

from inarch.contract.event_kinds import EVENT_KINDS
from inarch.contract.events import Event
from inarch.transcripts import Call, Remark
from inarch_sdk.exchanges import exchanges

_NAMES = """
turn call_id name status call result error data message parts usage call_ids model purpose seconds text images path
before spent arguments type content root plugins cost_usd input_tokens duration_s calls reasons file_path search replace
"""
NAMES = _NAMES.split()
anything: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**7)
    | st.floats(allow_nan=False)
    | st.sampled_from(["user", "x", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=12,
)
bodies = st.dictionaries(st.sampled_from(NAMES), anything, max_size=8)
events = st.lists(
    st.tuples(st.sampled_from([*EVENT_KINDS, "new.kind"]), bodies, st.sampled_from([None, "a", "b"])), max_size=12
)


@settings(suppress_health_check=[HealthCheck.too_slow])  # of a busy machine
@given(events, st.sampled_from(["2026-01-01T00:00:00.000000Z", "", "yesterday", "9999-99-99"]))
def test_events_of_any_shape_are_exported(given_events: list[tuple[str, Any, str | None]], time: str) -> None:
    session = [Event(seq, time, "s", turn, kind, data) for seq, (kind, data, turn) in enumerate(given_events, 1)]
    for form in FORMATS:
        export(session, form).encode()


def test_turns_are_numbered_and_what_came_before_them_is_zero() -> None:
    told = Telling()
    told.raw("note", {"text": "hello", "source": "config"})
    for number in (1, 2):
        told.prompt(f"prompt {number}")
        told.answer("yes")
    assert [(exchange.number, exchange.prompt) for exchange in exchanges(told.events)] == [
        (0, None), (1, "prompt 1"), (2, "prompt 2"),
    ]  # fmt: skip


def test_a_call_whose_beginning_is_lost_is_still_a_call() -> None:
    told = Telling()
    told.prompt("go")
    told.raw("call.result", {"call_id": "c", "name": "read_file", "status": "success", "result": {"success": True}})
    (exchange,) = exchanges(told.events)
    (call,) = exchange.steps
    assert isinstance(call, Call)
    assert (call.name, call.status) == ("read_file", "success")


def test_an_event_that_is_not_understood_is_shown() -> None:
    told = Telling()
    told.prompt("go")
    told.raw("call.state", {"status": "executing"})
    told.raw("weather.changed", {"to": "rain"})
    (exchange,) = exchanges(told.events)
    told_of = [(step.kind, step.data) for step in exchange.steps if isinstance(step, Remark)]
    assert told_of == [("call.state", {"status": "executing"}), ("weather.changed", {"to": "rain"})]
