"""Who holds the conversation of `inarch chat`: the front end of any plugin that can."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
LINES = ("--plugin", str(Path(__file__).with_name("reading.py")))
PARTS = ("--plugin", str(Path(__file__).with_name("parts.py")))
LEFT_OUT = ("-p", "no:terminal")
TOLD = "what is this\nand this\n"


@pytest.mark.parametrize("named", [("--output", "lines"), LEFT_OUT, (*PARTS, "--output", "kinds", *LEFT_OUT)])
def test_a_plugins_front_end_holds_the_conversation(cli: Run, slowly: tuple[str, ...], named: tuple[str, ...]) -> None:
    done = cli("chat", *slowly, *LINES, *named, stdin=TOLD)
    assert (done.stdout, done.returncode) == ("The answer. [1]\nThe answer. [2]\n", 0), done.stderr


def test_it_goes_on_with_the_session_that_is_named(cli: Run, slowly: tuple[str, ...]) -> None:
    cli("chat", *slowly, *LINES, "--output", "lines", stdin="what is this\n")
    done = cli("chat", "--continue", *slowly, *LINES, "--output", "lines", stdin="and this\n")
    assert (done.stdout, done.returncode) == ("The answer. [2]\n", 0), done.stderr
    (kept,) = json.loads(cli("sessions", "list", "--json").stdout)
    assert kept["title"] == "what is this"


def test_one_that_fails_is_named_in_one_line(cli: Run, slowly: tuple[str, ...]) -> None:
    done = cli("chat", *slowly, *LINES, "--output", "lines", stdin="spoil it\n")
    assert (done.stdout, done.returncode) == ("", 2)
    (line,) = done.stderr.splitlines()
    assert "plugin 'reading' failed at front end: ValueError: spoilt milk" in line


def test_one_whose_converse_is_async_is_refused(cli: Run, slowly: tuple[str, ...], tmp_path: Path) -> None:
    late = Path(LINES[1]).read_text("utf-8").replace("    def converse(", "    async def converse(")
    plugin = tmp_path / "late.py"
    plugin.write_text(late)
    done = cli("what is this", *slowly, "--plugin", str(plugin))
    assert "front end 'lines' has a 'converse' that is no plain function" in done.stderr


def test_without_any_the_command_says_so(cli: Run, slowly: tuple[str, ...]) -> None:
    done = cli("chat", *slowly, *LEFT_OUT, stdin=TOLD)
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.splitlines() == [
        "inarch: error: no front end here can hold a conversation (take -p no:terminal away, or ask one question with "
        'inarch "…")'
    ]


def test_the_terminals_own_wants_a_terminal(cli: Run, slowly: tuple[str, ...]) -> None:
    done = cli("chat", *slowly, stdin=TOLD)
    assert (done.stdout, done.returncode) == ("", 2)
    assert "a conversation needs a terminal" in done.stderr
