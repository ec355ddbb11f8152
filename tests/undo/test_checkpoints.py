"""What a session's events say about files, without touching one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import evolve

from inarch import FileConflict, FileOutcome, UndoReport
from inarch.contract.events import Event
from inarch.journal.changes import Changes
from inarch_plugins.undo.checkpoints import Checkpoints, checkpoints_of
from inarch_plugins.undo.prompts import prompt_of
from inarch_plugins.undo.report import checkpoint_lines, report_lines

Desk = Any
Calls = Any


def event(kind: str, turn_id: str | None = None, **data: Any) -> Event:
    return Event(1, "", "s", turn_id, kind, data)


def all_of(events: Iterable[Event]) -> Checkpoints:
    """Return the checkpoints of a session's events."""
    found, prompts = Changes(), dict[int, str]()
    for event in events:
        found.take(event)
        prompts[event.seq] = prompt_of(event)
    return checkpoints_of(found, lambda seq: prompts[seq])


def test_records_of_older_and_broken_versions_are_passed_over() -> None:
    old = {"call_id": "1", "path": "a", "before": "x", "after": "y"}
    events = [event("turn.started", turn={}), event("changes.undone"), event("file.changed", "t", **old)]
    (checkpoint,) = all_of(events).turns
    assert [*checkpoint.calls] == ["1"]


def numbered(*events: Event) -> list[Event]:
    return [evolve(one, seq=number) for number, one in enumerate(events, 1)]


def began(turn_id: str, kind: str = "agent", parent: str | None = None) -> Event:
    return event("turn.started", turn_id, turn={"id": turn_id, "type": kind, "parent_id": parent, "content": turn_id})


def state(call_id: str, status: str = "executing", turn_id: str = "a", **more: Any) -> Event:
    return event("call.state", turn_id, call_id=call_id, name=f"tool-{call_id}", status=status, **more)


def result(call_id: str, code: str | None = None) -> Event:
    error = {"error": {"code": code}} if code else {"error": None}
    return event("call.result", "a", call_id=call_id, name="tool", status="success", result=error)


def changed(call_id: str, path: Any = "f", turn_id: str | None = "a") -> Event:
    return event("file.changed", turn_id, call_id=call_id, path=path, before=None, after="x")


def test_a_turn_answers_the_prompt_right_before_it() -> None:
    events = numbered(began("u", "user"), began("a", parent="u"), began("b", parent="lost"), began("c"))
    turns = all_of(events).turns
    assert [(one.id, one.number, one.began, one.prompt) for one in turns] == [
        ("a", 1, 2, "u"), ("b", 2, 3, ""), ("c", 3, 4, ""),
    ]  # fmt: skip


def test_a_persons_own_command_is_a_checkpoint_without_number_and_prompt() -> None:
    events = numbered(began("u", "user"), changed("own", turn_id=None), began("a", parent="u"), changed("c"))
    own, turn = all_of(events).turns
    assert (own.id, own.number, own.began, own.prompt, [*own.calls]) == ("own", 0, 2, "", ["own"])
    assert (turn.id, turn.number, [*turn.calls]) == ("a", 1, ["c"])


def test_calls_that_may_have_done_more_than_they_told_are_cut_off() -> None:
    events = numbered(
        began("a"), state("waits", "scheduled"), state("told"), state("sure", announces=True), state("lost"),
        state("open"), result("told"), result("lost", "unknown_outcome"), result("open", "failed"), state("still"),
        changed("told"), began("b"), state("own", turn_id=""), changed("still", "g"), changed("told", "g"),
        changed("bad", None), changed("bad", turn_id="a", path=7),
    )  # fmt: skip
    first, second = all_of(events).turns
    assert first.cut_off == {"lost", "still"} and second.cut_off == set()
    assert first.names == {"told": "tool-told", "lost": "tool-lost", "still": "tool-still"}
    assert {call: len(made) for call, made in first.calls.items()} == {"told": 2, "still": 1}


def test_what_is_undone_and_done_again_is_known_call_by_call() -> None:
    def took(action: str, *calls: str) -> Event:
        return event("changes.undone", id=f"{action}{calls}", action=action, calls=[*calls])

    events = numbered(
        began("a"), *(changed(one) for one in "1234"), took("undo", "3", "4"), changed("undo('3', '4')", turn_id=None),
        took("undo", "1", "2"), took("redo", "2", "4"),
    )  # fmt: skip
    found = all_of(events)
    assert found.undone == [("3",), ("1",)]
    assert found.undone_calls == {"1", "3"}
    assert found.standing(found.turns[0]) == ("2", "4")
    assert len(found.turns) == 1
    assert all_of([*events, took("redo", "1", "3")]).undone == []


def test_a_report_fits_the_terminal() -> None:
    report = UndoReport(
        "undo", ("turn 1 'a prompt that is rather long for this'",), (FileOutcome("x" * 60, "left", "why not"),),
        notes=("a note of many words that goes on and on and on and on",), done=True,
    )  # fmt: skip
    for columns in (20, 40, 80):
        assert all(len(line) <= columns for line in report_lines(report, columns))
    conflict = UndoReport("redo", ("turn 1 'x'",), (), (FileConflict("a", "line 1:\n<<<<<<< now"),))
    text = "\n".join(report_lines(conflict, 80))
    assert text == "not changed: turn 1 'x'\nconflict in a:\n  line 1:\n  <<<<<<< now"
    assert list(report_lines(UndoReport("redo"), 80)) == ["there is nothing to redo"]


def test_a_report_says_what_was_done_what_would_be_and_what_was_not() -> None:
    files = tuple(FileOutcome(action, action) for action in ("made", "removed", "changed", "merged", "mode"))
    told = [
        "  + made: made", "  - removed: removed", "  ~ changed: changed",
        "  ~ merged: merged with later changes", "  ~ mode: mode changed", "  ! left: left (why)",
        "note: more",
    ]  # fmt: skip
    report = UndoReport("undo", ("turn 1",), (*files, FileOutcome("left", "left", "why")), notes=("more",), done=True)
    assert list(report_lines(report, 80)) == ["undone: turn 1", *told]
    assert list(report_lines(evolve(report, done=False), 80)) == ["would be undone: turn 1", *told]
    assert list(report_lines(evolve(report, action="redo"), 80)) == ["redone: turn 1", *told]
    everything = evolve(report, done=False, conflicts=(FileConflict("", "the disk"),))
    assert list(report_lines(everything, 80)) == [
        "not changed: turn 1", "conflict:", "  the disk", "note: more",
    ]  # fmt: skip
    nothing = [
        list(report_lines(UndoReport(action, what), 200)) for action in ("undo", "redo") for what in ((), ("x",))
    ]
    assert nothing == [
        ["there is nothing to undo"], ["x is already undone"],
        ["there is nothing to redo"], ["x is not undone"],
    ]  # fmt: skip


def test_a_line_that_is_cut_goes_on_in_the_next_one_and_loses_no_word() -> None:
    report = UndoReport("undo", ("one two three four five six",), (FileOutcome("f", "made"),), done=True)
    assert list(report_lines(report, 18)) == ["undone: one two", "    three four", "    five six", "  + f: made"]
    exact = UndoReport("undo", ("x" * 10,), (FileOutcome("f", "made"),), done=True)
    assert list(report_lines(exact, 18)) == ["undone: " + "x" * 10, "  + f: made"]


def test_a_long_list_begins_with_the_last_turns_and_says_how_to_see_all(desk: Desk, do: Calls) -> None:
    for number in range(5):
        desk.turn(f"make {number}", do.create(f"f{number}", "x"))
    found = all_of(desk.store.load("session"))
    shown = list(checkpoint_lines(found, 200, 2))
    assert [line for line in shown if line.startswith("turn")] == ["turn 5  make 4", "turn 4  make 3"]
    assert shown[-1] == "… 3 earlier turns also changed files: --all lists them"
    assert list(checkpoint_lines(found, 200, 5)) == list(checkpoint_lines(found, 200))
