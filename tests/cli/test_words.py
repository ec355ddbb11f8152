"""Which words are a prompt, which are a command, and how wrong ones are refused."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def asked(done: subprocess.CompletedProcess[str]) -> str:
    """The user's turn of a run with `--output jsonl`."""
    assert done.returncode == 0, done.stderr
    turns = [json.loads(line) for line in done.stdout.splitlines()]
    (content,) = [
        event["data"]["turn"]["content"]
        for event in turns
        if event["kind"] == "turn.started" and event["data"]["turn"]["type"] == "user"
    ]
    return str(content)


@pytest.fixture
def jsonl(slowly: tuple[str, ...]) -> tuple[str, ...]:
    return (*slowly, "--output", "jsonl", "--no-journal")


def test_one_argument_with_white_space_is_a_prompt(cli: Run, jsonl: tuple[str, ...]) -> None:
    assert asked(cli("what is this", *jsonl)) == "what is this"
    assert asked(cli(*jsonl, "what is this")) == "what is this"
    assert asked(cli(*jsonl, "- first do this\n- then that")) == "- first do this\n- then that"


def test_ask_takes_any_words(cli: Run, jsonl: tuple[str, ...]) -> None:
    assert asked(cli("ask", "tools", *jsonl)) == "tools"
    assert asked(cli("ask", "what", "is", "this", *jsonl)) == "what is this"
    assert asked(cli(*jsonl, "ask", "--", "--help")) == "--help"


def test_standard_input_is_the_prompt_or_its_context(cli: Run, jsonl: tuple[str, ...]) -> None:
    assert asked(cli(*jsonl, stdin="what is this\n")) == "what is this"
    assert asked(cli("-", *jsonl, stdin="what is this\n")) == "what is this"
    assert asked(cli("ask", "-", *jsonl, stdin="why")) == "why"
    assert asked(cli("explain this", "-", *jsonl, stdin="that")) == "explain this\n\nStandard input:\n\n```\nthat\n```"
    assert asked(cli("explain this", *jsonl, stdin="line 1\nline 2\n")) == (
        "explain this\n\nStandard input:\n\n```\nline 1\nline 2\n```"
    )


def test_long_standard_input_is_cut_and_told(cli: Run, jsonl: tuple[str, ...]) -> None:
    done = cli("explain this", *jsonl, stdin="é" * 200_000)
    assert len(asked(done).encode()) <= 256 * 1024 + 100
    assert "cut after 256 kB" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tols",), "did you mean 'tools'?"),
        (("frobnicate",), "no command 'frobnicate'"),
        ((), "nothing to ask"),
        (("ask",), "nothing to ask"),
        (("  ",), "nothing to ask"),
        (("two words", "and more"), "'and more' after the prompt"),
        (("--outptu", "json"), "--output"),
        (("a b", "--output", "yaml"), "yaml"),
        (("a b", "--max-iterations", "0"), "--max-iterations"),
        (("a b", "--max-cost", "much"), "--max-cost"),
        (("a b", "--session", "x", "--continue"), "--continue"),
        (("a b", "--session", "x"), "no session"),
        (("a b", "--continue"), "no session"),
        (("a b", "-p", "offline"), "no:NAME"),
        (("a b", "--root", "README.md"), "not a directory"),
        (("a b", "--root", "nowhere"), "does not exist"),
        (("a b", "--profile", "nobody"), "nobody"),
        (("a b", "--model", "nobody/x"), "nobody"),
        (("a b", "--plugin", "nowhere.py"), "nowhere.py"),
        (("tools", "lst"), "list"),
        (("--max-cost", "1", "tools", "list"), "--max-cost means nothing to 'tools'"),
        (("chat",), "terminal"),
        (("bad\x1b[2Jname",), "bad\\x1b[2Jname"),
    ],
)
def test_wrong_words_are_one_line_and_exit_2(cli: Run, words: tuple[str, ...], said: str) -> None:
    done = cli(*words)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    *notes, line = done.stderr.splitlines()
    assert all(note.startswith("inarch: note: plugin 'nobody'") for note in notes)
    assert line.startswith("inarch: error: ")
    assert said in line


def test_debug_shows_the_traceback(cli: Run) -> None:
    done = cli("a b", "--root", "nowhere", "--debug")
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_a_crash_is_reported_in_short_and_kept_without_secrets(cli: Run, environ: dict[str, str]) -> None:
    import sys

    code = (
        "from inarch.program.failure import report_crashes\nreport_crashes(False)\n"
        "raise TypeError('boom hunter2hunter2')"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=environ | {"SHOP_API_KEY": "hunter2hunter2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "inarch: internal error: TypeError: boom" in done.stderr
    assert "Traceback" not in done.stderr
    (report,) = (Path(environ["XDG_STATE_HOME"]) / "inarch" / "crashes").iterdir()
    assert str(report) in done.stderr
    assert report.stat().st_mode & 0o777 == 0o600
    assert "Traceback" in report.read_text() and "hunter2hunter2" not in report.read_text()


def test_version_and_help(cli: Run) -> None:
    assert cli("--version").stdout.startswith("inarch ")
    assert cli("--version", "--no-color").stdout.startswith("inarch ")
    help_text = cli("--help").stdout
    assert "dispatch (dispatch)" in help_text
    assert "sessions" in help_text
