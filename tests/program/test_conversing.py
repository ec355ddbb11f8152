"""Who holds the conversation of `inarch chat`: the front end of any plugin that can."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
LINES = ("--plugin", str(Path(__file__).with_name("reading.py")))
PARTS = ("--plugin", str(Path(__file__).parents[1] / "running" / "parts.py"))
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


def test_without_any_the_command_says_so(cli: Run, slowly: tuple[str, ...]) -> None:
    done = cli("chat", *slowly, *LEFT_OUT, stdin=TOLD)
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.splitlines() == [
        "inarch: error: no front end here can hold a conversation (take -p no:terminal away, or ask one question with "
        'inarch "…")'
    ]


def answers(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The prompts of a run with `--output jsonl`."""
    events = [json.loads(line) for line in done.stdout.splitlines()]
    turns = [event["data"]["turn"] for event in events if event["kind"] == "turn.started"]
    return [turn["content"] for turn in turns if turn["type"] == "user"]


def test_each_line_of_a_pipe_is_a_turn_of_one_session(cli: Run, slowly: tuple[str, ...]) -> None:
    done = cli("chat", *slowly, "--output", "jsonl", stdin="what is this\n\n  yes\r\n继续")
    assert (answers(done), done.returncode) == (["what is this", "yes", "继续"], 0), done.stderr
    again = cli("chat", "--continue", *slowly, stdin="and this\n")
    assert (again.stdout, again.returncode) == ("The answer.\n", 0), again.stderr
    (kept,) = json.loads(cli("sessions", "list", "--json").stdout)
    assert kept["title"] == "what is this"


def test_the_code_is_of_the_first_line_that_went_wrong(cli: Run, slowly: tuple[str, ...], project: Path) -> None:
    done = cli("chat", *slowly, stdin="what is this\nwrite a file\nfail\nwhat is this\n")
    assert (done.stdout.count("The answer."), done.returncode) == (3, 4), done.stderr
    assert not (project / "new.txt").exists()  # nobody could be asked


@pytest.mark.parametrize(
    ("line", "code"), [("/nosuch", 2), ("/undo 99", 2), ("/model nobody/nothing", 2), ("/spoil", 1), ("/again x", 0)]
)
def test_a_command_that_fails_is_a_line_that_went_wrong(
    cli: Run, slowly: tuple[str, ...], line: str, code: int
) -> None:
    parts = ("--plugin", str(Path(__file__).parents[1] / "running" / "parts.py"))
    done = cli("chat", *slowly, *parts, stdin=f"{line}\nwhat is this\n")
    assert (done.returncode, done.stdout.count("The answer.")) == (code, 1), done.stderr


@pytest.mark.parametrize("stdin", [None, "", " \n\n"])
def test_without_a_terminal_and_a_line_there_is_no_conversation(
    cli: Run, slowly: tuple[str, ...], stdin: str | None
) -> None:
    done = cli("chat", *slowly, stdin=stdin)
    assert (done.stdout, done.returncode) == ("", 2)
    assert "a conversation needs a terminal, or a pipe with one prompt per line" in done.stderr


@pytest.mark.parametrize("stdin", ["<&-", "0> kept.txt"])
def test_standard_input_that_cannot_be_read_is_one_line(environ: dict[str, str], project: Path, stdin: str) -> None:
    words = shlex.join([sys.executable, "-P", "-m", "inarch", "chat"])
    done = subprocess.run(
        ["sh", "-c", f"exec {words} {stdin}"], cwd=project, env=environ, capture_output=True, text=True
    )
    assert (done.stdout, done.returncode) == ("", 2)
    (line,) = done.stderr.splitlines()
    assert line.startswith("inarch: error: ")
