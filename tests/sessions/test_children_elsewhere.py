"""Children in a directory of their own: a copy that is composed as their caller's is, and nothing beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

import inarch
from inarch.testing import calls, says
from inarch_testing.apps import write_files

from .test_children import WRITE, Families, Family, tasks

LOOKS = inarch.Effects(reads=frozenset({""}))


@pytest.fixture
def family_of() -> Iterator[Families]:
    with ExitStack() as closing:
        yield partial(Family, closing=closing)


def family(family_of: Families, tmp_path: Path, **more: object) -> Family:
    root, state = tmp_path / "root", tmp_path / "own"
    write_files(root, {"a.txt": "one\n"})
    write_files(state / "copy", {"a.txt": "other\n"})
    script = {
        "parent": [tasks("child"), says("ok")],
        "child": [calls(("read_file", {"file_path": "a.txt"}), WRITE), says("made it")],
    }
    return family_of(root, script, **{"state": str(state), "work_in": "copy", "effects": LOOKS, **more})


def test_it_reads_and_writes_there_and_the_caller_has_changed_nothing(family_of: Families, tmp_path: Path) -> None:
    one = family(family_of, tmp_path).open()
    turn = one.run()
    (child,) = one.children
    assert child.files == ("made.txt",) and child.turn.content == "made it"
    assert (tmp_path / "own/copy/made.txt").read_text() == "made\n" and not (one.root / "made.txt").exists()
    first = child.turn.calls[0].result
    assert first is not None and "other" in str(first.data)
    assert one.kept(child.session_id)[0].data["root"] == str(tmp_path / "own/copy")
    assert not [event for event in one.events if event.kind == "file.changed"]
    assert turn.status == "done" and not one.session.undo(dry_run=True).files
    assert not one.app.is_closed and len(one.app.store.sessions()) == 2  # the store is not the child's to close


@pytest.mark.parametrize("place", ["../root", "..", "."])
def test_a_directory_that_is_not_below_the_plugins_own_is_refused(
    family_of: Families, tmp_path: Path, place: str
) -> None:
    one = family(family_of, tmp_path, work_in=place).open()
    turn = one.run()
    result = turn.calls[0].result
    assert result is not None and result.error is not None and result.error.code == "permission"
    assert "not below the plugin's own state folder" in result.error.message and not one.children


def test_a_link_does_not_lead_out(family_of: Families, tmp_path: Path) -> None:
    one = family(family_of, tmp_path, work_in="link").open()
    (tmp_path / "own/link").symlink_to(one.root)
    result = one.run().calls[0].result
    assert result is not None and result.error is not None and not one.children


def test_an_added_folder_is_not_the_copys(family_of: Families, tmp_path: Path) -> None:
    lib = tmp_path.resolve() / "lib"
    for folder in (lib, tmp_path / "root", tmp_path / "own/copy"):
        write_files(folder, {"a.txt": "one\n"})
    write = ("write_file", {"file_path": f"+{lib}/new.txt", "content": "new\n"})
    script = {"parent": [tasks("child"), calls(write), says("ok")], "child": [calls(write), says("not there")]}
    more = {"state": str(tmp_path / "own"), "work_in": "copy", "effects": LOOKS, "options": {"added": [str(lib)]}}
    one = family_of(tmp_path / "root", script, **more).open()
    turn = one.run()
    (child,) = one.children
    refused, made = child.turn.calls[0].result, turn.calls[-1].result
    assert refused is not None and refused.error is not None and "was not added" in refused.error.message
    assert made is not None and made.success and (lib / "new.txt").read_text() == "new\n"
