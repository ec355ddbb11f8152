"""Events of any shape become chapters; none is lost without a word, none stops the export."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inarch.contract.events import EVENT_KINDS, Event
from inarch.sessions.exporting import FORMATS, export
from inarch.sessions.exporting.reading import chapters
from inarch.sessions.exporting.story import Call, Remark

from .telling import Telling

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
        for piece in export(session, form):
            piece.encode()


def test_turns_are_numbered_and_what_came_before_them_is_zero() -> None:
    told = Telling()
    told.raw("note", {"text": "hello", "source": "config"})
    for number in (1, 2):
        told.prompt(f"prompt {number}")
        told.answer("yes")
    assert [(chapter.number, chapter.prompt) for chapter in chapters(told.events)] == [
        (0, None), (1, "prompt 1"), (2, "prompt 2"),
    ]  # fmt: skip


def test_a_call_whose_beginning_is_lost_is_still_a_call() -> None:
    told = Telling()
    told.prompt("go")
    told.raw("call.result", {"call_id": "c", "name": "read_file", "status": "success", "result": {"success": True}})
    (chapter,) = chapters(told.events)
    (call,) = chapter.steps
    assert isinstance(call, Call)
    assert (call.name, call.status) == ("read_file", "success")


def test_an_event_that_is_not_understood_is_shown() -> None:
    told = Telling()
    told.prompt("go")
    told.raw("call.state", {"status": "executing"})
    told.raw("weather.changed", {"to": "rain"})
    (chapter,) = chapters(told.events)
    titles = [(step.title, step.text) for step in chapter.steps if isinstance(step, Remark)]
    assert [title for title, _ in titles] == ["call.state", "weather.changed"]
    assert json.loads(titles[1][1]) == {"to": "rain"}
