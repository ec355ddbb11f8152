"""A log that somebody else made restores what is an event, and harms neither files, terminals nor the program."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.export.written import export

import inarch
from inarch_plugins.replay import replay
from inarch_sdk.event_log import read_sessions
from inarch_sdk.log_restore import restore_log
from inarch_sdk.memory_store import MemoryStore

T = "2026-01-01T00:00:00.000000Z"
HARMFUL = "\x1b\x07\u202e\u2066"


def line(seq: int, kind: str, data: Any, turn: str | None = None) -> str:
    item = {"schema": 1, "seq": seq, "time": T, "session_id": "s", "turn_id": turn, "kind": kind, "data": data}
    return json.dumps(item)


def begun(root: object) -> list[str]:
    user = {"id": "t1", "type": "user", "content": "hi \x1b[2J\u202e", "status": "done", "started": T}
    agent = {"id": "t2", "parent_id": "t1", "type": "agent", "content": "", "status": "running", "started": T}
    both = [{"session_id": "s", "calls": [], "ended": None, "parent_id": None, **one} for one in (user, agent)]
    started = line(1, "session.started", {"root": str(root), "version": "0.1.0", "plugins": [], "profile": "d"})
    turns = [line(seq, "turn.started", {"turn": one}, one["id"]) for seq, one in enumerate(both, 2)]
    return [started, *turns]


def log(folder: Path, *lines: str) -> Path:
    path = folder / "log.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("session_id", text) for text in ("", ".", "..", "../../x", "/etc/passwd", "-h", "a b", "a\nb", "x" * 101)),
        *(("session_id", text) for text in ("a\x1b[2J", "\u202egnp", "\ud800", "a\0", 7, None, ["s"])),
        *(("turn_id", text) for text in ("../x", "", "\x1b", 7, {})),
        *(("kind", text) for text in ("\x1b[31m", "", "../x", "a b", 7)),
        *(("time", text) for text in ("\x1b[31m", "", "2026" * 20, 7, None)),
        *(("seq", number) for number in (0, -1, 1 << 32, True, 1.5, "1", None)),
        *(("data", thing) for thing in (None, [], "x", 7)),
    ],
)
def test_what_inarch_never_writes_is_no_event(tmp_path: Path, key: str, value: object) -> None:
    path = log(tmp_path, *begun(tmp_path), _with(key, value))
    read = read_sessions(path)
    assert [len(events) for events in read.sessions.values()] == [3]
    assert [str(problem) for problem in read.problems] == ["log.jsonl:4: this is no event"]


def _with(key: str, value: object) -> str:
    return json.dumps(json.loads(line(4, "note", {"text": "a"})) | {key: value})


SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["../../etc/passwd", "t2", "c1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ["call", "result", "turn", "turns", "usage", "message", "metadata", "files", "path", "before", "after", "root"]
DATA = st.dictionaries(st.sampled_from([*FIELDS, "call_id", "text", "error", "results"]), SHAPES, max_size=5)


@settings(max_examples=settings().max_examples)
@given(st.lists(st.tuples(st.sampled_from(sorted(inarch.EVENT_KINDS)), DATA), max_size=6))
def test_events_of_any_shape_can_be_restored_and_exported(
    tmp_path_factory: pytest.TempPathFactory, found: list[tuple[str, dict[str, Any]]]
) -> None:
    folder = tmp_path_factory.mktemp("log")
    lines = [line(seq, kind, data, "t2") for seq, (kind, data) in enumerate(found, 4)]
    store = MemoryStore()
    restore_log(store, log(folder, *begun(folder), *lines), str(folder))
    events = store.load("s")
    assert len(events) == 3 + len(found)
    for form in ("jsonl", "markdown", "html"):
        assert export(events, form)


def test_a_change_outside_of_the_project_is_not_undone_and_an_odd_record_not_replayed(
    tmp_path: Path,
) -> None:
    root, outside = tmp_path / "project", tmp_path / "outside.txt"
    root.mkdir()
    outside.write_text("mine")
    change = {"call_id": "c1", "path": "../outside.txt", "before": "../../etc/passwd", "after": "0" * 64}
    odd = [line(4, "file.changed", change, "t2"), line(5, "call.state", {"call": 3, "status": []}, "t2")]
    path = log(tmp_path, *begun(root), *odd)
    with inarch.compose(root=root) as app:
        restore_log(app.store, path, str(root))
        report = app.session("s").undo()
    assert outside.read_text() == "mine", report
    with pytest.raises(inarch.UsageError, match="can't be replayed"):
        asyncio.run(replay("s", root=root))


def test_a_session_of_another_directory_is_told_as_such_and_nothing_reaches_the_terminal(tmp_path: Path) -> None:
    path = log(tmp_path, *begun("/somewhere/else\x1b[31m"))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "inarch", "sessions", "restore", str(path)],
        cwd=tmp_path, env=os.environ, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0 and "it belongs to /somewhere/else" in done.stdout
    assert not {*HARMFUL} & {*done.stdout, *done.stderr}
