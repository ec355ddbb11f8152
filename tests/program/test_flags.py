"""What the flags mean that users of other agents type, and how the help lists them.

The flags of others: code.claude.com (CLI reference), developers.openai.com/codex (CLI) and geminicli.com (CLI
reference), read in November 2026.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from inarch.program.main import _OPTIONS, program
from inarch_sdk.model_table import family_model

from ..running.program import PROGRAM
from ..running.terminals import Open

Run = Callable[..., "subprocess.CompletedProcess[str]"]
PIPED = "explain\n\nStandard input:\n\n```\nx = 1\n```"


@pytest.fixture
def jsonl(slowly: tuple[str, ...]) -> tuple[str, ...]:
    return (*slowly, "--output", "jsonl")


def events(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def prompt_of(done: subprocess.CompletedProcess[str]) -> str:
    turns = [event["data"]["turn"] for event in events(done) if event["kind"] == "turn.started"]
    return next(str(turn["content"]) for turn in turns if turn["type"] == "user")


@pytest.mark.parametrize(
    ("words", "stdin", "prompt"),
    [
        (("-p", "what is this"), None, "what is this"),
        (("what is this", "-p"), None, "what is this"),
        (("--print", "-m", "slowly/words", "what is this"), None, "what is this"),
        (("-p", "--", "-x"), None, "-x"),
        (("-p", "- one\n- two"), None, "- one\n- two"),
        (("-p",), "what is this", "what is this"),
        (("-p", "-"), "what is this", "what is this"),
        (("-p", "explain"), "x = 1", PIPED),
        (("explain", "-p"), "x = 1", PIPED),
        (("-p", "tools"), None, "tools"),
        (("-p", "toosl"), None, "toosl"),
        (("-p", "mcp"), None, "mcp"),
        (("-p", "no:git", "-p", "what is this"), None, "what is this"),
        (("-p", "no:git", "what is this"), None, "what is this"),
        (("ask", "-p", "what", "is this"), None, "what is this"),
        (("exec", "what is this"), None, "what is this"),
        (("exec", "-p", "what is this"), None, "what is this"),
        (("exec", "-"), "what is this", "what is this"),
        (("explain", "-"), "x = 1", PIPED),
        (("what is this",), None, "what is this"),
        (("exec",), "what is this", "what is this"),
        (("what is this", "--output-format", "stream-json"), None, "what is this"),
    ],
)
def test_a_command_line_means_a_prompt(
    cli: Run, jsonl: tuple[str, ...], words: tuple[str, ...], stdin: str | None, prompt: str
) -> None:
    assert prompt_of(cli(*jsonl, "--no-journal", *words, stdin=stdin)) == prompt


def test_a_session_goes_on_by_the_flags_of_others(cli: Run, jsonl: tuple[str, ...]) -> None:
    first = events(cli(*jsonl, "--name", "apples", "one"))[0]["session_id"]
    last = events(cli(*jsonl, "two"))[0]["session_id"]
    for words in [("-c",), ("--continue",), ("-r",), ("--resume",), ("-c", "-p"), ("-p", "-r"), ("-r", last)]:
        for line in [(*words, "and then"), ("and then", *words)]:
            done = events(cli(*jsonl, *line))
            assert {event["session_id"] for event in done} == {last}, line
    for words in [("-r", first), ("--resume", "apples"), ("--resume=apples",), ("-rapples",), ("--session", first)]:
        assert {event["session_id"] for event in events(cli(*jsonl, *words, "and then"))} == {first}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-x",), "there is no option -x (inarch --help --all lists the options)"),
        (("--modle", "x"), "there is no option --modle (did you mean --model?)"),
        (("why", "--modle", "x"), "there is no option --modle (did you mean --model?)"),
        (("tools", "list", "--jsn"), "there is no option --jsn (did you mean --json?)"),
        (("tools", "list", "-x"), "there is no option -x (inarch tools list --help lists the options)"),
        (("--all",), "there is no option --all (inarch --help --all lists the options)"),
        (("-p",), "there is nothing to ask"),
        (("exec",), "there is nothing to ask"),
        (("frobnicate", "the", "shop"), "'the' after the prompt is one argument too many (quote the whole, or use"),
        (("a b", "--output", "yaml"), "yaml"),
        (("a b", "--max-iterations", "0"), "--max-iterations"),
        (("a b", "--max-cost", "much"), "--max-cost"),
        (("tools", "lst"), "list"),
        (("chat",), "terminal"),
        (("bad", "bad\x1b[2Jname"), "bad\\x1b[2Jname"),
        (("chat", "-p"), "-p prints one answer, which inarch chat does not do"),
        (("doctor", "-p"), "-p prints one answer, which inarch doctor does not do"),
        (("-p", "tools", "list"), "'list' after the prompt is one argument too many"),
        (("-p", "no:gti", "why"), "no plugin is called 'gti' (did you mean 'git'?)"),
        (("-c", "-r", "why"), "--session and --continue both say which session"),
        (("-r", "nowhere", "why"), "there is no session 'nowhere'"),
        (("-c", "stats"), "--continue means nothing to 'stats'"),
    ],
)
def test_a_wrong_command_line_is_one_clear_line(cli: Run, words: tuple[str, ...], said: str) -> None:
    done = cli(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("inarch: error: ") and done.stderr.count("\n") == 1
    assert said in done.stderr


def test_nothing_is_asked_when_standard_input_is_closed(environ: dict[str, str]) -> None:
    for words in (("exec",), ("-p",)):
        closed = ["sh", "-c", 'exec "$@" <&-', "sh", *PROGRAM, *words]
        done = subprocess.run(closed, env=environ, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (2, "") and "there is nothing to ask" in done.stderr


@pytest.mark.parametrize("flag", ["--yolo", "--dangerously-skip-permissions", "--approve=bypass"])
def test_bypass_has_the_names_that_others_give_it(cli: Run, slowly: tuple[str, ...], flag: str) -> None:
    done = cli(flag, "write it", *slowly, "--no-journal")
    assert "bypass: commands run without the sandbox" in done.stderr and "call: Write" in done.stderr


def test_a_prompt_that_is_a_plugins_name_is_remarked(cli: Run, slowly: tuple[str, ...]) -> None:
    remark = "note: -p prints an answer to 'git'; -p no:git leaves the plugin out"
    assert remark in cli("-p", "git", *slowly, "--no-journal").stderr
    assert "note: -p" not in cli("-p", "why", *slowly, "--no-journal").stderr


@pytest.mark.needs("tmux")
@pytest.mark.once
def test_on_a_terminal_no_conversation_starts(terminal: Open, slowly: tuple[str, ...]) -> None:
    terminal("-p", "what is this", *slowly).until("slowly/words", "code=0")
    assert "nothing to ask" in terminal("-p", *slowly).until("code=2")


@pytest.mark.parametrize(
    ("word", "keys", "model"),
    [
        ("claude", {}, "anthropic/claude-sonnet-5-5"),
        ("opus", {}, "anthropic/claude-opus-5-5"),
        ("gpt", {"GROQ_API_KEY": "x"}, "openai/gpt-6.2-sol"),
        ("claude", {"OPENROUTER_API_KEY": "x"}, "openrouter/~anthropic/claude-sonnet-latest"),
        ("gemini", {"OPENROUTER_API_KEY": "x"}, "openrouter/google/gemini-3.5-flash-lite"),
        ("nothing", {"OPENROUTER_API_KEY": "x"}, ""),
    ],
)
def test_families(word: str, keys: Mapping[str, str], model: str) -> None:
    assert family_model(word, keys) == model


def test_the_model_of_a_family_is_said_in_one_line(cli: Run) -> None:
    done = cli("-p", "-m", "claude", "why is it so")
    assert done.returncode == 1
    assert "inarch: note: claude means anthropic/claude-sonnet-5-5\n" in done.stderr
    assert "ANTHROPIC_API_KEY is not set" in done.stderr


def test_the_help_fits_a_screen(cli: Run) -> None:
    lines = cli("--help").stdout.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 80
    assert lines.index("Commands:") < lines.index("Options:")
    known = {name for param in program.params for name in param.opts} | {"-h", "--help"}
    for flags, _ in _OPTIONS:
        assert {word for word in flags.replace(",", "").split() if word[0] == "-"} <= known
    whole = cli("--help", "--all").stdout
    assert whole == cli("--all", "--help").stdout == cli("help", "--all").stdout
    listed = [name for param in program.params if not getattr(param, "hidden", False) for name in param.opts]
    assert all(name in whole for name in listed)
    assert all(name in whole for name in program.list_commands(program.make_context("inarch", ["-p", "x"])))
