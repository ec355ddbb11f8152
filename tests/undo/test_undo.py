"""Undo and redo with real files: what a turn did is taken back, and what its owner did since stays."""

from __future__ import annotations

import os
import stat
from typing import Any

import pytest

from inarch.contract.errors import UsageError

Desk = Any
Calls = Any


def actions(report: Any) -> dict[str, str]:
    return {file.path: file.action for file in report.files}


def test_a_turn_is_taken_back_and_put_on_again(desk: Desk, do: Calls) -> None:
    desk.write("a.py", do.lines())
    desk.write("gone.txt", "x", 0o640)
    desk.write("old.txt", "moves\n", 0o755)
    before = desk.tree()
    desk.turn(
        "change", do.patch("a.py", "line 3\n", "LINE 3\n"), do.patch("a.py", "line 9\n", ""), do.create("d/e/f", "new"),
        do.delete("gone.txt"), do.move("old.txt", "n/new.txt"),
    )  # fmt: skip
    after = desk.tree()
    assert after != before
    report = desk.undo()
    assert report.done
    assert (report.what, report.notes) == (("turn 1 'change'",), ())
    assert desk.tree() == before
    assert desk.redo().done
    assert desk.tree() == after
    assert desk.undo().done
    assert desk.tree() == before


def test_it_is_said_why_there_is_nothing_to_undo(desk: Desk, do: Calls) -> None:
    def told() -> tuple[str, ...]:
        report = desk.undo()
        assert (report.done, report.what) == (False, ())
        return tuple(report.notes)

    assert told() == ("undo cannot revert `inarch tools call`, which belongs to no session",)
    desk.write("a", "1\n")
    desk.turn("read", ("read_file", {"file_path": "a"}))
    assert told() == ("no turn of this session changed files",)
    desk.turn("change", do.patch("a", "1", "2"))
    assert desk.undo().done
    assert told() == ("all changes of this session are already undone",)


def test_what_a_command_did_is_taken_back(desk: Desk, do: Calls) -> None:
    desk.write("tool.sh", "#!/bin/sh\n")
    desk.write("keep/inner/x", b"\0\1")
    desk.write("text", "old\n")
    os.symlink("text", desk.root / "link")
    before = desk.tree()
    script = (
        "chmod 755 tool.sh; rm -r keep; echo new >> text; ln -sfn keep link; mkdir -p made/deep; echo y > made/deep/y;"
        " ln -s ../text made/l; rm text; mkdir text; echo z > text/z; chmod 700 made"
    )
    desk.turn("run", do.run(script))
    after = desk.tree()
    assert stat.S_ISDIR(after["text"][0])
    assert not any(path.startswith("keep") for path in after)
    report = desk.undo()
    assert report.done, report
    assert desk.tree() == before
    assert any("outside the workspace" in note for note in report.notes)
    assert desk.redo().done
    assert desk.tree() == after


def test_what_git_ignores_is_restored_and_caches_are_listed(desk: Desk, do: Calls) -> None:
    desk.write(".gitignore", "*.log\nbuild/\n__pycache__\n")
    (desk.root / ".git").mkdir()
    desk.write("run.log", "1")
    desk.write("build/old", b"\0", 0o755)
    (desk.root / "__pycache__").mkdir()
    before = desk.tree()
    desk.turn("build", do.run("echo 2 > run.log; rm -r build; mkdir build; touch build/x __pycache__/y; echo 3 > kept"))
    report = desk.undo()
    assert actions(report) == {"kept": "removed", "run.log": "changed", "build/old": "made", "build/x": "removed"}
    assert "caches that commands changed are not undone: __pycache__" in report.notes
    assert desk.tree() == before | {"__pycache__/y": desk.tree()["__pycache__/y"]}
    desk.turn("test", do.run("rm -r __pycache__"))
    report = desk.undo("", dry_run=True)
    assert not report.what, "a turn that changed only a cache has nothing to undo"


def test_what_its_owner_changed_since_stays(desk: Desk, do: Calls) -> None:
    desk.write("a.py", do.lines())
    desk.turn("change", do.patch("a.py", "line 3\n", "LINE 3\n"))
    desk.write("a.py", desk.read("a.py").replace("line 15\n", "mine\n") + "end", 0o755)
    report = desk.undo()
    assert actions(report) == {"a.py": "merged"}
    assert desk.read("a.py") == do.lines().replace("line 15\n", "mine\n") + "end"
    assert stat.S_IMODE((desk.root / "a.py").stat().st_mode) == 0o755
    assert desk.redo().done
    assert "LINE 3\n" in desk.read("a.py") and "mine\n" in desk.read("a.py")


def test_a_turn_that_is_not_the_last_is_taken_back_alone(desk: Desk, do: Calls) -> None:
    desk.write("a.py", do.lines())
    desk.turn("one", do.patch("a.py", "line 3\n", "LINE 3\n"))
    desk.turn("two", do.patch("a.py", "line 10\n", "LINE 10\n"))
    assert desk.undo("1").done
    assert desk.read("a.py") == do.lines().replace("line 10\n", "LINE 10\n")
    assert desk.undo().what == ("turn 2 'two'",)
    assert desk.read("a.py") == do.lines()
    assert desk.redo("1").done
    assert desk.read("a.py") == do.lines().replace("line 3\n", "LINE 3\n")
    assert desk.redo().what == ("turn 2 'two'",)


def test_one_call_is_taken_back_alone(desk: Desk, do: Calls) -> None:
    desk.write("a.py", do.lines())
    first, second = desk.turn("both", do.patch("a.py", "line 3\n", "X\n"), do.patch("a.py", "line 12\n", "Y\n"))
    report = desk.undo(first.id)
    assert report.what == (f"patch_source_file {first.id} of turn 1 'both'",)
    assert desk.read("a.py") == do.lines().replace("line 12\n", "Y\n")
    assert desk.undo().what == (f"patch_source_file {second.id} of turn 1 'both'",)
    assert desk.read("a.py") == do.lines()
    assert not desk.undo().done


def test_a_conflict_is_shown_and_nothing_is_written(desk: Desk, do: Calls) -> None:
    desk.write("a.py", do.lines())
    desk.write("b.py", "b\n")
    desk.turn("change", do.patch("a.py", "line 3\n", "theirs\n"), do.patch("b.py", "b\n", "c\n"))
    desk.write("a.py", desk.read("a.py").replace("theirs\n", "mine\n"))
    before, events = desk.tree(), len(desk.events("changes.undone"))
    report = desk.undo()
    assert not report.done
    (conflict,) = report.conflicts
    assert conflict.path == "a.py"
    for part in ("line 4:", "mine", "theirs", "line 3"):
        assert part in conflict.text
    assert desk.tree() == before
    assert len(desk.events("changes.undone")) == events


def test_undoing_a_move_never_overwrites_a_new_file_of_the_person(desk: Desk, do: Calls) -> None:
    desk.write("a", "theirs\n")
    desk.turn("move", do.move("a", "b"))
    desk.write("a", "mine\n")

    report = desk.undo()

    assert not report.done
    assert [(conflict.path, "another file is there now" in conflict.text) for conflict in report.conflicts] == [
        ("a", True)
    ]
    assert (desk.read("a"), desk.read("b")) == ("mine\n", "theirs\n")
    (desk.root / "a").unlink()
    assert desk.undo().done
    desk.write("b", "mine, too\n")
    assert not desk.redo().done
    assert (desk.read("a"), desk.read("b")) == ("theirs\n", "mine, too\n")


def test_folders_it_made_go_only_when_they_are_empty(desk: Desk, do: Calls) -> None:
    desk.turn("make", do.create("d/e/new", "x"))
    desk.write("d/mine", "y")
    report = desk.undo()
    assert report.done
    assert actions(report) == {"d/e": "removed", "d/e/new": "removed", "d": "left"}
    assert desk.tree().keys() == {"d", "d/mine"}
    undone = desk.events("changes.undone")[-1].data["id"]
    recorded = [one.data["path"] for one in desk.events("file.changed") if one.data["call_id"] == undone]
    assert recorded == ["d/e", "d/e/new"]  # what stayed has not changed


def test_line_ends_and_a_missing_last_one_are_kept_byte_by_byte(desk: Desk, do: Calls) -> None:
    before = "\ufeffa\r\nb\nc\r\n\r\nd".encode()
    desk.write("a.txt", before)
    desk.turn("change", do.patch("a.txt", "b\n", "B\nB\n"))
    desk.write("a.txt", (desk.root / "a.txt").read_bytes().replace(b"d", b"D"))
    assert desk.undo().done
    assert (desk.root / "a.txt").read_bytes() == before.replace(b"d", b"D")


def test_a_dry_run_writes_and_records_nothing(desk: Desk, do: Calls) -> None:
    desk.write("a", "1\n")
    desk.turn("change", do.patch("a", "1", "2"))
    before = desk.tree()
    report = desk.undo(dry_run=True)
    assert not report.done
    assert actions(report) == {"a": "changed"}
    assert desk.tree() == before
    assert not desk.events("changes.undone")


def test_it_is_recorded_with_what_it_changed(desk: Desk, do: Calls) -> None:
    desk.write("a", "1\n")
    (call,) = desk.turn("change", do.patch("a", "1", "2"))
    desk.undo()
    (undone,) = desk.events("changes.undone")
    assert undone.data["calls"] == [call.id]
    assert undone.data["turns"] == [desk.turns[0]]
    changed = desk.events("file.changed")[-1]
    assert (changed.data["call_id"], changed.data["kept"], changed.turn_id) == (undone.data["id"], True, None)
    assert desk.store.get_blob("session", changed.data["after"]) == b"1\n"


def test_a_persons_own_command_is_undone_like_a_turn(desk: Desk, do: Calls) -> None:
    desk.write("a", "1\n")
    desk.turn("change", do.patch("a", "1", "2"))
    (call,) = desk.calls("", do.run("echo 3 > a"))
    assert desk.undo().what == ("your own command",)
    assert desk.events("changes.undone")[-1].data["turns"] == []
    assert desk.read("a") == "2\n"
    assert desk.redo(call.id).done
    assert desk.read("a") == "3\n"


@pytest.mark.parametrize(("target", "said"), [("9", "no turn or call"), ("zz", "no turn or call"), ("0", "begin with")])
def test_what_is_not_there_is_refused(desk: Desk, do: Calls, target: str, said: str) -> None:
    desk.write("a", "1\n")
    desk.turn("change", do.patch("a", "1", "2"))
    desk.turn("talk")
    with pytest.raises(UsageError) as refused:
        desk.undo(target)
    assert said in refused.value.message
    with pytest.raises(UsageError) as refused:
        desk.undo("2")
    assert refused.value.message == "turn 2 changed no files"


def test_a_name_that_cannot_be_recorded_is_reported(desk: Desk, do: Calls) -> None:
    desk.turn("run", do.run("touch here"))
    assert not desk.events("note")
    desk.turn("run", do.run(r"touch new $(printf 'bad\377')"))
    desk.turn("run", do.run("echo 1 > new"))
    (note,) = desk.events("note")
    assert "not UTF-8" in note.data["text"]
    assert desk.undo().done and desk.undo().done
    assert sorted(os.listdir(os.fsencode(desk.root))) == [b"bad\377", b"here"]
