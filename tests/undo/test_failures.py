"""Undo where something is wrong: with the disk, the store, the record, or another process."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from inarch.calls import before_images
from inarch.contract.call_events import CallResult, CallState
from inarch.contract.errors import StoreError
from inarch.contract.events import Event, Note
from inarch.contract.records import ToolError, ToolResult
from inarch.journal.journal import Journal
from inarch.sessions import extension
from inarch.sessions.extension import Access
from inarch_plugins.undo.report import report_lines
from inarch_plugins.undo.undo_run import Undoing
from inarch_sdk.memory_store import MemoryStore

Desk = Any
Calls = Any


def test_images_are_private_and_go_with_the_session(desk: Desk, do: Calls) -> None:
    big = "x" * 200_000
    desk.write("a", "old secret\n")
    desk.write("big", f"old {big}")
    desk.turn("change", do.patch("a", "old", "new"), do.patch("big", "old", "new"))
    kept = [path for path in (desk.folder / "state").rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}
    assert desk.images() == {b"old secret\n", b"new secret\n", f"old {big}".encode(), f"new {big}".encode()}
    desk.store.delete("session")
    assert desk.images() == set()


@pytest.mark.usefixtures("permissions_count")
def test_a_read_only_folder_undoes_nothing(desk: Desk, do: Calls) -> None:
    desk.write("a", "1\n")
    desk.write("d/b", "1\n")
    desk.turn("change", do.patch("a", "1", "2"), do.patch("d/b", "1", "2"))
    (desk.root / "d").chmod(0o555)
    before = desk.tree()
    try:
        report = desk.undo()
        assert not report.done
        assert "d/b: permission denied" in report.conflicts[0].text
        assert "nothing was written" in "\n".join(report_lines(report, 80))
        assert desk.tree() == before
        assert not desk.events("changes.undone")
    finally:
        (desk.root / "d").chmod(0o755)
    assert desk.undo().done
    assert desk.read("a") == desk.read("d/b") == "1\n"


@pytest.mark.usefixtures("permissions_count")
def test_a_file_that_nobody_can_read_is_left_and_told(desk: Desk, do: Calls) -> None:
    desk.write("a", "1\n")
    desk.write("b", "1\n")
    desk.turn("change", do.patch("a", "1", "2"), do.patch("b", "1", "2"))
    (desk.root / "a").chmod(0)
    report = desk.undo()
    (desk.root / "a").chmod(0o644)
    assert report.done
    left = {file.path: file.note for file in report.files if file.action == "left"}
    assert left.keys() == {"a"} and "permission denied" in left["a"]
    assert (desk.read("a"), desk.read("b")) == ("2\n", "1\n")


def test_damaged_images_are_reported_and_the_rest_is_undone(desk: Desk, do: Calls) -> None:
    desk.write("a", "first\n")
    desk.write("b", "second\n")
    desk.turn("change", do.patch("a", "first", "x"), do.patch("b", "second", "y"))
    desk.spoil(b"first\n", b"rotten")
    report = desk.undo()
    assert report.done
    left = {file.path: file.note for file in report.files if file.action == "left"}
    assert left.keys() == {"a"}
    assert "damaged" in left["a"]
    assert (desk.read("a"), desk.read("b")) == ("x\n", "second\n")


def test_a_session_without_images_says_why(desk: Desk, do: Calls) -> None:
    desk.write("a", "1\n")
    desk.turn("change", do.patch("a", "1", "2"))
    for data in desk.images():
        desk.spoil(data, None)
    report = desk.undo()
    assert not report.done
    (file,) = report.files
    assert file.action == "left"
    assert "are not stored: session session has no blob" in file.note
    assert desk.read("a") == "2\n"


def test_a_file_that_is_too_big_is_told_at_once_and_left(
    desk: Desk, do: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(before_images, "FILE_LIMIT", 1000)
    desk.scheduler._runner.around.keeper.tree.file_limit = 1000
    desk.write("big", "1\n" + "x" * 2000)
    desk.write("small", "1\n")
    desk.turn("change", do.patch("big", "1\n", "2\n"), do.patch("small", "1", "2"))
    assert [event.data["text"] for event in desk.events("note")] == [
        "big is bigger than 0 MB: this change of it can't be undone"
    ]
    kept = {event.data["path"]: event.data["kept"] for event in desk.events("file.changed")}
    assert kept == {"big": False, "small": True}
    report = desk.undo()
    assert report.done
    assert {file.path: file.action for file in report.files} == {"big": "left", "small": "changed"}
    desk.turn("run", do.run("echo 3 >> big"))
    assert [event.data["kept"] for event in desk.events("file.changed")][-1] is False
    assert not desk.undo().done
    assert desk.read("big").endswith("3\n")


def test_a_big_file_that_a_call_made_can_still_be_removed(
    desk: Desk, do: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (before_images, extension):
        monkeypatch.setattr(module, "FILE_LIMIT", 1000)
    desk.turn("make", do.create("big", "x" * 2000))
    assert desk.undo().done
    assert desk.tree() == {}
    assert [event.data["kept"] for event in desk.events("file.changed")] == [False, False]


class Full(MemoryStore):
    """A store that has no room for bytes."""

    def put_blob(self, session_id: str, data: bytes) -> str:
        raise StoreError("full", "the disk is full", "make room")


@pytest.mark.parametrize("required", [True, False])
def test_a_store_that_cannot_keep(make_desk: Callable[..., Desk], do: Calls, required: bool) -> None:
    desk = make_desk(required=required)
    desk.journal.store = store = Full()
    desk.write("a", "1\n")
    if required:
        for call in (do.patch("a", "1", "2"), do.create("new", "x"), do.delete("a"), do.move("a", "b")):
            with pytest.raises(AssertionError, match="can't be stored for an undo: the disk is full; nothing was"):
                desk.turn("change", call)
        assert desk.tree().keys() == {"a"}
        assert desk.read("a") == "1\n"
        return
    desk.turn("change", do.patch("a", "1", "2"))
    desk.turn("change", do.run("echo 3 >> a"))
    assert desk.read("a") == "2\n3\n"
    events = store.load("session")
    assert [event.data["kept"] for event in events if event.kind == "file.changed"] == [False, False]
    notes = [event.data["text"] for event in events if event.kind == "note"]
    assert notes == ["changes can't be undone because files can't be stored: the disk is full"]
    assert not desk.undo().done


@pytest.mark.parametrize("required", [True, False])
def test_an_undo_that_cannot_be_put_on_again_is_for_best_effort_only(
    make_desk: Callable[..., Desk], do: Calls, required: bool
) -> None:
    desk = make_desk(required=False)
    desk.journal.store = store = Full()
    desk.turn("make", do.create("new", "x"))
    undo = Undoing(
        Access(desk.workspace, Journal(store, "session", seq=store.load("session")[-1].seq, required=required))
    )
    if required:
        with pytest.raises(StoreError, match="the disk is full"):
            undo.run("undo")
        assert desk.read("new") == "x"
        assert "changes.undone" not in [event.kind for event in store.load("session")]
        return
    assert undo.run("undo").done
    assert desk.tree() == {}
    assert [one.data["kept"] for one in store.load("session") if one.kind == "file.changed"] == [False, False]


class Shut(MemoryStore):
    """A store that takes no more events of a kind once it is told so."""

    error: StoreError | None = None
    kind = "changes.undone"

    def append(self, session_id: str, events: Sequence[Event]) -> None:
        if self.error is not None and self.kind in [event.kind for event in events]:
            raise self.error
        super().append(session_id, events)


def test_what_was_put_back_but_could_not_be_recorded_is_told_and_recorded_by_the_next_one(
    make_desk: Callable[..., Desk], do: Calls
) -> None:
    desk = make_desk()
    desk.journal.store = store = Shut()
    desk.write("a", "1\n")
    desk.turn("change", do.patch("a", "1", "2"))
    store.error = StoreError("full", "the disk is full", "make room")

    def journal() -> Journal:
        return Journal(store, "session", seq=store.load("session")[-1].seq)

    store.kind = "changes.undoing"
    with pytest.raises(StoreError, match="nothing was written, for that could not be recorded: the disk is full"):
        Undoing(Access(desk.workspace, journal(), journal)).run("undo")
    assert desk.read("a") == "2\n"
    store.kind = "changes.undone"
    with pytest.raises(StoreError) as raised:
        Undoing(Access(desk.workspace, journal(), journal)).run("undo")
    assert raised.value.kind == "full"
    assert raised.value.message == "the files were put back, but that could not be recorded: the disk is full"
    assert desk.read("a") == "1\n"
    store.error = None
    assert Undoing(Access(desk.workspace, journal(), journal)).run("undo").done
    assert desk.read("a") == "1\n"
    assert [event.kind for event in store.load("session")][-2:] == ["changes.undone", "file.changed"]


@pytest.mark.parametrize("is_ended", [False, True], ids=["as it was", "resumed since"])
def test_what_a_command_may_have_done_to_a_file_before_a_crash_holds_up_no_other(
    desk: Desk, do: Calls, is_ended: bool
) -> None:
    desk.write("a", "1\n")
    desk.write("b", "1\n")
    desk.turn("first", do.patch("a", "1", "2"))
    desk.turn("second", do.patch("a", "2", "3"), do.patch("b", "1", "2"))
    desk.turn("run")
    desk.journal.record(CallState("cut", "execute_command", "executing"), desk.turns[2])
    if is_ended:
        unknown = ToolResult(False, error=ToolError("unknown_outcome", "nobody knows"))
        desk.journal.record(CallResult("cut", "execute_command", "error", unknown), desk.turns[2])
    desk.journal.flush()
    desk.write("a", "by the command, or by somebody\n")
    for words in ("second", "first"):
        report = desk.undo()
        assert words in report.what[0]
        left = {file.path: file.note for file in report.files if file.action == "left"}
        assert left.keys() == {"a"}
        assert left["a"].startswith("an interrupted call may have changed it: ")
        assert report.done
    assert not desk.undo().what
    assert desk.read("a") == "by the command, or by somebody\n"
    assert desk.read("b") == "1\n"


def test_a_call_that_was_cut_off_is_named(desk: Desk, do: Calls) -> None:
    desk.write("a", "1\n")
    desk.turn("change", do.patch("a", "1", "2"))
    desk.journal.record(CallState("cut", "execute_command", "executing"), desk.turns[0])
    desk.journal.flush()
    assert any("cut was interrupted" in note for note in desk.undo().notes)


def test_an_undo_while_the_session_is_open_elsewhere_is_recorded_after_what_came(desk: Desk, do: Calls) -> None:
    desk.write("a", "1\n")
    desk.turn("change", do.patch("a", "1", "2"))

    def journal() -> Journal:
        return Journal(desk.store, "session", seq=desk.store.load("session")[-1].seq)

    undo = Undoing(Access(desk.workspace, journal(), journal))
    desk.journal.record(Note("meanwhile"))
    desk.journal.flush()
    assert undo.run("undo").done
    assert desk.read("a") == "1\n"
    kinds = [event.kind for event in desk.store.load("session")]
    assert kinds[-4:] == ["note", "changes.undoing", "changes.undone", "file.changed"]
    # The conversation that was open goes on and is told that it is not alone; nothing of the undo is lost.
    desk.journal.record(Note("later"))
    with pytest.raises(StoreError, match="another process"):
        desk.journal.flush()
    assert [event.kind for event in desk.store.load("session")][-2:] == ["changes.undone", "file.changed"]
    # The next undo goes further back, wherever it is asked for.
    assert not Undoing(Access(desk.workspace, journal(), journal)).run("undo").done


def test_a_damaged_record_is_passed_over(desk: Desk, do: Calls) -> None:
    desk.write("a", "1\n")
    desk.turn("change", do.patch("a", "1", "2"))
    store = MemoryStore()
    events = desk.store.load("session")
    store.append("session", [event for event in events if event.kind != "turn.started"])
    for event in events:
        if event.kind == "file.changed":
            store.put_blob("session", b"1\n")
    assert Undoing(Access(desk.workspace, Journal(store, "session", seq=events[-1].seq))).run("undo").done
    assert desk.read("a") == "1\n"


_KILLED = """
import os, sys
import subprocess
import sys
from pathlib import Path
from inarch.journal.journal import Journal
from inarch.sessions.extension import Access
from inarch_plugins.undo.undo_run import Undoing
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
from inarch_plugins.sandbox_fs import restore
from inarch_plugins.sqlite_store.store import SqliteStore
store, count = SqliteStore(sys.argv[2]), int(sys.argv[3])
def counted(rename):
    def one(*args, **more):
        global count
        count -= 1
        if not count:
            os.kill(os.getpid(), int(sys.argv[4]))
        rename(*args, **more)
    return one
os.rename, restore.rename_new = counted(os.rename), counted(restore.rename_new)
journal = Journal(store, "session", seq=store.load("session")[-1].seq)
Undoing(Access(FolderWorkspace.open(sys.argv[1]), journal)).run("undo")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_an_undo_that_is_told_to_end_midway_ends_when_all_names_are_right(
    desk: Desk, do: Calls, step: int, number: signal.Signals
) -> None:
    for name in ("a", "b", "gone"):
        desk.write(name, "1\n")
    before = desk.tree()
    desk.turn("change", do.patch("a", "1", "2"), do.patch("b", "1", "2"), do.delete("gone"), do.create("new", "x"))
    command = [sys.executable, "-c", _KILLED, str(desk.root), str(desk.folder / "state"), str(step), str(int(number))]
    ran = subprocess.run(command, capture_output=True, preexec_fn=_default_signals)
    assert ran.returncode != 0
    assert desk.tree() == before


def _default_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # whoever runs the tests may ignore them
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
