"""Formats that plugins of others bring, and what is left where ours are left out."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from inarch.program.main import run
from inarch.testing import calls, says, scripted_app

CALLS = """
import csv
import inarch

class Calls:
    name, suffixes = "calls", (".csv", ".html")

    def export(self, session, out):
        rows = csv.writer(out)
        for exchange in session.exchanges():
            rows.writerows((exchange.number, call.name, call.status) for call in exchange.calls)

class Broken:
    name, suffixes = "broken", (".odd",)

    def export(self, session, out):
        out.write("half")
        raise RuntimeError("no more")

@inarch.hookimpl
def inarch_exporters(context):
    return [Calls(), Broken()]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a session of one call, and a plugin that exports calls."""
    (tmp_path / "a.txt").write_text("hello\n")
    (tmp_path / "calls_csv.py").write_text(CALLS)
    monkeypatch.chdir(tmp_path)
    app, _ = scripted_app(
        [calls(("read_file", {"file_path": "a.txt"})), says("It says hello.")], tmp_path, journal=True
    )
    with app:
        asyncio.run(app.session().run("what is in a.txt?"))
    return tmp_path


def export(*words: str) -> int:
    return run(["sessions", "export", "--plugin", "calls_csv.py", *words])


def test_its_suffix_means_it_and_ours_come_first(here: Path) -> None:
    assert export("-o", "all.csv") == export("-o", "all.html") == 0
    assert Path("all.csv").read_bytes() == b"1,read_file,success\r\n"
    assert Path("all.html").read_text().startswith("<!doctype html>")


def test_a_format_that_is_not_there_lists_those_that_are(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export("--format", "pdf") == 2
    said = "inarch: error: there is no format 'pdf' (name one of atif, broken, calls, html, jsonl, markdown)\n"
    assert capsys.readouterr().err == said


def test_one_that_fails_is_named_and_leaves_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {*here.iterdir(), here / "__pycache__"}
    assert export("-o", "a.odd") == 2
    assert "plugin 'calls_csv' failed at exporter: RuntimeError: no more (calls_csv.py, line 18)" in (
        capsys.readouterr().err
    )
    assert {*here.iterdir(), here / "__pycache__"} == before
