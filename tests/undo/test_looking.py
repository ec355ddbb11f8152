"""What stands at a path now, and what calls did that could no longer tell."""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from typing import Any

import pytest

from inarch import Standing
from inarch.contract.call_events import CallState, FileChanging
from inarch.journal.changes import NOTHING, changes_now, standing_at

Desk = Any
Calls = Any


def test_what_stands_at_a_path(desk: Desk) -> None:
    desk.write("file", "text", 0o600)
    (desk.root / "folder").mkdir(0o700)
    (desk.root / "link").symlink_to("file")
    os.mkfifo(desk.root / "fifo", 0o600)
    os.mkfifo(desk.root / "shut", 0)
    names = ("file", "folder", "link", "nothing", "fifo", "shut")
    assert {name: standing_at(desk.workspace, name) for name in names} == {
        "file": Standing(sha256(b"text").hexdigest(), stat.S_IFREG | 0o600),
        "folder": Standing(None, stat.S_IFDIR | 0o700),
        "link": Standing(sha256(b"file").hexdigest(), stat.S_IFLNK | 0o777),
        "nothing": NOTHING,
        "fifo": Standing(None, 0o600),
        "shut": Standing(None, 1),  # something is there all the same
    }


@pytest.mark.parametrize("of_turn", [True, False])
def test_what_a_call_announced_and_made_before_it_was_killed_is_undone(desk: Desk, do: Calls, of_turn: bool) -> None:
    desk.turn("earlier", do.create("a", "1\n"))
    turn_id = desk.turns[0] if of_turn else ""
    after = desk.store.put_blob("session", b"made\n")
    desk.journal.record(CallState("cut", "create_file", "executing", announces=True), turn_id)
    for path, change in (("made", after), ("not", after)):
        desk.journal.record(FileChanging("cut", path, None, change, kept=True), turn_id)
    desk.journal.flush()
    desk.write("made", "made\n")
    changes, found = changes_now(desk.store, "session", desk.workspace)
    assert [(one.seq, one.turn_id, one.kind, one.data["path"]) for one in found] == [
        (0, turn_id or None, "file.changed", "made")
    ]
    assert [one.change.data["path"] for one in changes.changes] == ["a", "made"]
    assert desk.undo("cut").done
    assert [*desk.tree()] == ["a"]
