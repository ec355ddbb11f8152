"""A child session is known as one: in lists, beside the calls of its parent, and in what is written of both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inarch.program.main import run
from inarch.testing import calls, says

from ...replay.families import WRITE, family


@pytest.fixture
def ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    parent, own = family(tmp_path, [calls(WRITE), says("made")], None)
    monkeypatch.chdir(parent.root)
    return parent.id, own.id


def test_a_list_says_whose_child_a_session_is(ids: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    parent, child = ids
    assert run(["sessions", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    shorts = {line.split()[0]: line for line in lines}
    short = next(one for one in shorts if parent.startswith(one))
    told = next(line for one, line in shorts.items() if child.startswith(one))
    assert told.endswith(f"helper of {short}: child") and " of " not in shorts[short]
    assert run(["sessions", "list", "--json"]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    assert (rows[child]["parent"], rows[child]["child"]) == (parent, "helper")
    assert "parent" not in rows[parent] and rows[child]["title"] == "child"


def test_a_parent_shows_where_its_child_began_and_ended(
    ids: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    parent, child = ids
    assert run(["sessions", "show", parent]) == 0
    shown = capsys.readouterr().out
    assert shown.index(f"helper begins: session {child}") < shown.index(f"helper done: session {child}")
    assert run(["sessions", "show", child]) == 0
    assert capsys.readouterr().out.splitlines()[2] == f"helper of session {parent}"
    assert run(["sessions", "show", child, "--json"]) == 0
    session = json.loads(capsys.readouterr().out)["session"]
    assert (session["id"], session["parent"], session["child"]) == (child, parent, "helper")


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_exports_of_both_say_so(ids: tuple[str, str], form: str, capsys: pytest.CaptureFixture[str]) -> None:
    parent, child = ids
    for session_id, told in ((parent, f"helper done: session {child}"), (child, f"helper of session {parent}")):
        assert run(["sessions", "export", session_id, "--format", form, "--output", f"{form}-{session_id}"]) == 0
        assert told in Path(f"{form}-{session_id}").read_text("utf-8").replace("\\", "")
