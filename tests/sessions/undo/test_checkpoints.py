"""What a session's events say about files, without touching one."""

from __future__ import annotations

from typing import Any

from inarch.contract.events import Event
from inarch.sessions.undo.checkpoints import changes_of, checkpoints_of, files_at_start
from inarch.sessions.undo.report import FileConflict, FileOutcome, UndoReport, checkpoint_lines, report_lines

Desk = Any
Calls = Any


def event(kind: str, turn_id: str | None = None, **data: Any) -> Event:
    return Event(1, "", "s", turn_id, kind, data)


def change(call_id: str, path: str, before: str | None, after: str | None, **more: Any) -> Event:
    modes = {"before_mode": 0o100644 if before else 0, "after_mode": 0o100644 if after else 0}
    data = {"call_id": call_id, "path": path, "before": before, "after": after, "new_path": None, **modes, **more}
    return event("file.changed", "t", **data)


def test_files_at_start_are_as_before_the_first_change() -> None:
    events = [
        change("1", "a", "x", "y"), change("1", "a", "y", "z"), change("2", "new", None, "n"),
        change("3", "a", "z", "z", new_path="b"), change("4", "b", "z", None),
        change("5", "old", "o", None, before_mode=0o100755), event("note", text="x"),
    ]  # fmt: skip
    assert files_at_start(events) == {
        "a": ("x", 0o100644), "new": (None, 0), "b": (None, 0), "old": ("o", 0o100755),
    }  # fmt: skip


def test_changes_are_in_order_with_turn_and_call(desk: Desk, do: Calls) -> None:
    desk.write("a", "1\n")
    (call,) = desk.turn("change", do.patch("a", "1", "2"))
    desk.undo()
    found = changes_of(desk.store.load("session"))
    assert [(one.turn_id, one.data["path"]) for one in found] == [(desk.turns[0], "a"), ("", "a")]
    assert found[0].call_id == call.id
    assert files_at_start(desk.store.load("session"))["a"][0] == found[1].data["after"]


def test_records_of_older_and_broken_versions_are_passed_over() -> None:
    old = {"call_id": "1", "path": "a", "before": "x", "after": "y"}
    events = [event("turn.started", turn={}), event("changes.undone"), event("file.changed", "t", **old)]
    (checkpoint,) = checkpoints_of(events).turns
    assert [*checkpoint.calls] == ["1"]
    assert files_at_start(events) == {"a": ("x", 0)}


def test_the_list_shows_turns_calls_and_what_is_undone(desk: Desk, do: Calls) -> None:
    desk.turn("make files", *(do.create(f"f{number}", "x") for number in range(2)))
    desk.turn("talk")
    desk.turn("run", do.run("touch a b c d e"))
    desk.undo()
    shown = list(checkpoint_lines(checkpoints_of(desk.store.load("session")), 200))
    assert shown[0] == "turn 3  run"
    assert shown[1].endswith("execute_command  (undone)")
    assert shown[2].strip() == "a, b, c and 2 more"
    assert shown[3] == "turn 1  make files"
    assert all(len(line) <= 30 for line in checkpoint_lines(checkpoints_of(desk.store.load("session")), 30))


def test_a_report_fits_the_terminal() -> None:
    report = UndoReport(
        "undo", ("turn 1 'a prompt that is rather long for this'",), (FileOutcome("x" * 60, "left", "why not"),),
        notes=("a note of many words that goes on and on and on and on",), done=True,
    )  # fmt: skip
    for columns in (20, 40, 80):
        assert all(len(line) <= columns for line in report_lines(report, columns))
    conflict = UndoReport("redo", ("turn 1 'x'",), (), (FileConflict("a", "line 1:\n<<<<<<< now"),))
    text = "\n".join(report_lines(conflict, 80))
    assert text == "nothing was written of: turn 1 'x'\nconflict in a:\n  line 1:\n  <<<<<<< now"
    assert list(report_lines(UndoReport("redo"), 80)) == ["there is nothing to redo"]
