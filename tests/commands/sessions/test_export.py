"""`inarch sessions export` as it is called."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.export.reading_html import Reader

from inarch.program.main import run
from inarch_testing.apps import scripted_app
from inarch_testing.scripted import calls, says


@pytest.fixture
def session_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "a.txt").write_text("hello\n")
    monkeypatch.chdir(tmp_path)
    app, _ = scripted_app(
        [calls(("read_file", {"file_path": "a.txt"})), says("It says *hello*.")], tmp_path, journal=True
    )
    with app:
        session = app.session()
        asyncio.run(session.run("what is in a.txt?"))
        return session.id


def test_a_page_is_written_here_and_named_by_the_session(
    session_id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sessions", "export", session_id[:8]]) == 0
    target = tmp_path / f"session-{session_id[:13]}.html"
    assert capsys.readouterr().out.startswith(f"{target.name}  ")
    read = Reader(target.read_text(encoding="utf-8"))
    assert read.texts["prompt"] == ["Promptwhat is in a.txt?"]
    assert read.texts["answer"] == ["AnswerIt says hello.\n"]
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("arguments", "beginning"),
    [
        (["-o", "s.md"], "# what is in a.txt?\n"),
        (["-o", "s.jsonl"], '{"schema":1,"seq":1,'),
        (["-o", "s.html"], "<!doctype html>"),
        (["-o", "s.txt"], "<!doctype html>"),
        (["-o", "s.txt", "--format", "markdown"], "# what is in a.txt?\n"),
        (["-o", "s.html", "--format", "jsonl"], '{"schema":1,"seq":1,'),
        (["-o", "s.atif.json"], '{"schema_version": "ATIF-v1.8", "session_id": "'),
    ],
)
def test_the_name_of_the_file_says_the_format_unless_it_is_said(
    session_id: str, arguments: list[str], beginning: str
) -> None:
    assert run(["sessions", "export", session_id, *arguments]) == 0
    assert Path(arguments[1]).read_text(encoding="utf-8").startswith(beginning)


def test_standard_output_gets_the_export_and_nothing_else(
    session_id: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    before = {*tmp_path.iterdir()}
    assert run(["sessions", "export", session_id, "--output", "-", "--format", "markdown"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"# what is in a.txt?\n")
    assert {*tmp_path.iterdir()} == before


def test_protected_folders_and_unknown_sessions_are_refused(
    session_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(".git").mkdir()
    assert run(["sessions", "export", session_id, "-o", ".git/s.html"]) == 2
    assert run(["sessions", "export", "nobody"]) == 2
    said = capsys.readouterr().err
    assert ".git/s.html is protected" in said
    assert "there is no session 'nobody'" in said
    assert [*Path(".git").iterdir()] == []


def test_without_an_id_it_is_the_latest_session_of_the_directory(
    session_id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sessions", "export", "-o", "latest.md"]) == 0
    assert session_id in Path("latest.md").read_text(encoding="utf-8")
    (tmp_path / "other").mkdir()
    assert run(["sessions", "export", "--root", "other"]) == 2
    assert "no sessions in this directory" in capsys.readouterr().err
