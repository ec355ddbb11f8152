"""What is found of a call that was cut off: the files say whether what it announced happened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.call_events import CallState, FileChanged, FileChanging
from inarch.contract.errors import ToolFailed
from inarch.contract.events import Event, EventData, event_data
from inarch.contract.records import Effects
from inarch.journal.interrupted_calls import OpenCall, OpenCalls, Settled, settle

FILE, FOLDER = 0o100644, 0o040755
Files = Mapping[str, tuple[str | None, int]]


def events(*payloads: EventData, turn: str = "t") -> list[Event]:
    return [Event(seq, "", "s", turn, one.kind, event_data(one)) for seq, one in enumerate(payloads, 1)]


def open_calls(said: list[Event]) -> list[OpenCall]:
    """Return the calls of some events that have no result."""
    calls = OpenCalls()
    for event in said:
        calls.take(event)
    return [*calls.calls.values()]


def running(*writes: str, announces: bool = True) -> tuple[CallState, CallState]:
    scheduled = CallState("c", "edit", "scheduled", effects=Effects(writes=frozenset(writes)))
    return scheduled, CallState("c", "edit", "executing", announces=announces)


def found(files: Files, *payloads: EventData, writes: tuple[str, ...] = ("a",), announces: bool = True) -> Settled:
    (call,) = open_calls(events(*running(*writes, announces=announces), *payloads))
    return settle(call, lambda path: files.get(path, (None, 0)))


def edit(before: str | None, after: str | None, **more: Any) -> FileChanging:
    return FileChanging("c", "a", before, after, before_mode=FILE if before else 0, kept=True, **more)


def code(settled: Settled) -> str:
    if settled.result is None:
        return "unknown"
    return settled.result.error.code if settled.result.error else "success"


@given(st.sampled_from([None, "1", "2"]), st.sampled_from([None, "1", "2"]), st.sampled_from([None, "1", "2", "3"]))
def test_the_hash_decides(before: str | None, after: str | None, now: str | None) -> None:
    settled = found({"a": (now, FILE)} if now else {}, edit(before, after))
    if now == after:
        assert code(settled) == "success"
        mode = FILE if now else 0
        assert settled.changes == (FileChanged("c", "a", before, after, None, FILE if before else 0, mode, True),)
        assert settled.result is not None and settled.result.metadata["files"] == {"a": after}
    elif now == before:
        assert (code(settled), settled.changes) == ("cancelled", ())
    else:  # somebody has changed it since: an undo of an edit merges, and finds nothing where there was none
        assert code(settled) == "unknown"
        assert [(one.before, one.after) for one in settled.changes] == ([(before, after)] if before and after else [])


@pytest.mark.parametrize(
    ("files", "told", "changed"),
    [
        ({"a": ("1", FILE)}, "cancelled", []),
        ({"b": ("1", FILE)}, "success", [("a", "1", "1", "b")]),
        ({"b": ("2", FILE)}, "success", [("a", "1", "1", "b")]),  # and edited since
        ({"a": ("1", FILE), "b": ("1", FILE)}, "unknown", [("b", None, "1", None)]),  # linked and not unlinked
        ({"a": ("1", FILE), "b": ("2", FILE)}, "cancelled", []),
        ({}, "unknown", []),
    ],
)
def test_of_a_move_both_paths_decide(files: Files, told: str, changed: list[Any]) -> None:
    settled = found(files, edit("1", "1", new_path="b"), writes=("a", "b"))
    assert code(settled) == told
    assert [(one.path, one.before, one.after, one.new_path) for one in settled.changes] == changed


def test_folders_that_were_made_are_found_even_without_the_file() -> None:
    made = FileChanging("c", "x/y/a", None, "1", kept=True, folders=("x", "x/y"))
    settled = found({"x": (None, FOLDER)}, made, writes=("x/y/a",))
    assert [(one.path, one.after_mode) for one in settled.changes] == [("x", FOLDER)]
    assert code(settled) == "cancelled"
    assert settled.result is not None and settled.result.error is not None
    assert "it had changed x and nothing else" in settled.result.error.message


def test_a_call_that_announces_nothing_stays_unknown_and_its_changes_are_found_all_the_same() -> None:
    settled = found({"a": ("2", FILE)}, edit("1", "2"), announces=False)
    assert code(settled) == "unknown"
    assert len(settled.changes) == 1
    assert code(found({}, announces=False)) == "unknown"


def test_a_path_that_nobody_can_look_at_is_unknown() -> None:
    def look(path: str) -> tuple[str | None, int]:
        raise ToolFailed("permission", path)

    call = OpenCall("c", "t", "edit", frozenset({"a"}), announces=True, intents=[event_data(edit("1", "2"))])
    assert settle(call, look) == Settled()


KEYS = st.sampled_from(["call_id", "path", "name", "effects", "before"])


@given(st.integers(0, 5))
def test_a_snapshot_amid_a_call_loses_nothing_of_it(place: int) -> None:
    done = FileChanged("c", "b", None, "1", None, 0, FILE, True)
    said = events(*running("a"), edit("1", "2", folders=("x",)), FileChanging("c", "b", None, "1"), done)
    before, after = OpenCalls(), OpenCalls()
    for event in said[:place]:
        before.take(event)
    after.go_on_from(json.loads(json.dumps(before.to_data())))
    for event in said[place:]:
        after.take(event)
    assert [*after.calls.values()] == open_calls(said)


@given(st.lists(st.dictionaries(KEYS, st.none() | st.text())))
def test_damaged_events_are_passed_over(damaged: list[dict[str, Any]]) -> None:
    kinds = ("call.state", "file.changing", "file.changed", "call.result")
    for kind in kinds:
        for call in open_calls([Event(1, "", "s", "t", kind, data) for data in damaged]):
            settle(call, lambda path: (None, 0))
