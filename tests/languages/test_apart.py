"""Reading in a process of its own: what crashes or hangs there is said, and the next file is read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inarch_brief.languages import Apart, reader_process
from inarch_lib.confinement import own_layers


@pytest.fixture
def reading() -> Iterator[Apart]:
    reader = Apart(60.0)
    yield reader
    reader.close()


def test_one_process_reads_many_files(reading: Apart) -> None:
    for number in range(3):
        found = reading.read(f"a{number}.js", b"function f%d() { g() }" % number)
        assert [symbol.name for symbol in found.symbols] == ["", f"f{number}"]
        assert found.calls[0].callee == "g" and not found.problem


def test_a_crash_is_reported_and_the_next_file_is_read(reading: Apart, monkeypatch: pytest.MonkeyPatch) -> None:
    starting = reader_process._STARTING
    monkeypatch.setattr(reader_process, "_STARTING", "import os, sys; sys.stdin.buffer.read(1); os.abort()  # {path}")
    assert reading.read("a.js", b"function f() {}").problem == "its parser crashed"
    monkeypatch.setattr(reader_process, "_STARTING", starting)
    assert reading.read("a.js", b"function f() {}").symbols[1].name == "f"


def test_what_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_process, "_STARTING", "import time; time.sleep(600)  # {path}")
    reading = Apart(0.05)
    try:
        assert reading.read("a.js", b"function f() {}" * 2).problem == "reading it takes more than 0.05 s"
        assert reading.read("a.js", b"function f() {}\n" * 60_000).problem == "reading it takes more than 0.05 s"
    finally:
        reading.close()


def test_a_missing_grammar_is_asked_for_once(reading: Apart, monkeypatch: pytest.MonkeyPatch) -> None:
    hiding = "import sys; sys.modules['tree_sitter_go'] = None"
    monkeypatch.setattr(reader_process, "_STARTING", reader_process._STARTING.replace("import sys", hiding, 1))
    assert reading.read("a.go", b"package a").problem == "tree-sitter-go is not installed"
    assert reading.missing == {"Go": "tree-sitter-go is not installed"}
    assert reading.read("b.go", b"package a").problem == "tree-sitter-go is not installed"
    assert reading.read("a.js", b"function f() {}").symbols[1].name == "f"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these layers")
def test_the_process_is_confined_before_it_reads(reading: Apart) -> None:
    assert not reading.read("a.go", b"package a").problem
    process = reading._process
    assert process is not None
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines())
    assert status["NoNewPrivs"] == "1"
    assert (status["Seccomp"] == "2") is ("seccomp" in own_layers())
