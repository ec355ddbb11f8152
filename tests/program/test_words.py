"""Which words are a prompt, which are a command, and how wrong ones are refused."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.metadata import shipped
from inarch.program.groups import _is_slip

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


def test_long_asks_for_the_whole_answer(cli: Run, jsonl: tuple[str, ...]) -> None:
    assert asked(cli("what is this?", "--long", *jsonl)) == "what is this?, in full"
    assert asked(cli("--long", *jsonl, "ask", "what", "is this")) == "what is this, in full"
    assert asked(cli("--long", *jsonl, stdin="what is this\n")) == "what is this\n\nin full"
    refused = cli("--long", "chat")
    assert refused.returncode == 2 and "--long means nothing to 'chat'" in refused.stderr


@pytest.mark.parametrize(
    "word", ["yes", "why?", "继续", "なぜですか", "tols", "undo?", "frobnicate", "policies", "\x1b[2J"]
)
def test_one_word_that_is_no_command_is_a_prompt(cli: Run, jsonl: tuple[str, ...], word: str) -> None:
    assert asked(cli(word, *jsonl)) == word


def test_a_slip_is_not_a_prompt_but_as_an_answer_to_a_session(cli: Run, slowly: tuple[str, ...]) -> None:
    flags = (*slowly, "--output", "jsonl")
    slip = cli("toosl", *flags)
    assert (slip.returncode, slip.stdout) == (2, "")
    assert slip.stderr == "inarch: error: no command 'toosl'; did you mean 'tools'? (inarch ask toosl asks)\n"
    assert asked(cli("ask", "toosl", *flags)) == "toosl"
    (session,) = (one["id"] for one in json.loads(cli("sessions", "list", "--json").stdout))
    for goes_on in [("--continue",), ("--session", session), (f"--session={session}",)]:
        assert asked(cli(*goes_on, "toosl", *flags)) == "toosl"
        assert asked(cli("toosl", *flags, *goes_on)) == "toosl"


@pytest.mark.parametrize("words", [("batch", "tasks.jsonl", "-w", "8"), ("--continue", "web"), ("live",)])
def test_a_command_that_can_be_installed_is_never_a_prompt(cli: Run, words: tuple[str, ...]) -> None:
    done = cli(*words)
    name = next(word for word in words if word[0] != "-")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"inarch: error: the command {name!r} belongs to inarch-{name}, which is not installed "
        f"(inarch plugins install inarch-{name} --enable; inarch ask {name} asks)\n"
    )


def test_it_is_a_command_once_it_is_installed(cli: Run, tmp_path: Path) -> None:
    site = install_web(tmp_path / "site", "inarch_web")
    done = cli("web", PYTHONPATH=site)
    assert (done.returncode, done.stdout) == (0, "web, too\n"), done.stderr
    plugins = done.stderr.split()
    assert plugins[-1] == "web" and "sandbox-fs" in plugins
    listed = cli("plugins", "list", PYTHONPATH=site).stdout.splitlines()
    assert [line.split()[:2] for line in listed if line.startswith("web ")] == [["web", "available"]]
    safe = cli("web", PYTHONPATH=site, INARCH_SAFE_MODE="1")
    assert safe.returncode == 2 and "INARCH_SAFE_MODE=1 loads none" in safe.stderr


def install_web(site: Path, distribution: str) -> str:
    """Install a plugin `web` with a command of its name, and return the folder."""
    info = site / f"{distribution}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(
        "[inarch.plugins]\nweb = inarch_web\n[inarch.commands]\nweb = inarch_web:web\n"
    )
    (site / "inarch_web.py").write_text(WEB)
    return str(site)


def test_every_command_of_a_distribution_beside_inarch_is_known() -> None:
    root = Path(__file__).parents[2]
    tables = [tomllib.loads(file.read_text("utf-8"))["project"] for file in root.glob("contrib/*/pyproject.toml")]
    brought = {
        command: table["name"].replace("-", "_")
        for table in tables
        for command in table.get("entry-points", {}).get("inarch.commands", {})
    }
    assert brought and brought.items() <= shipped().offered.items()


WEB = """
import sys
import click
import inarch
from inarch.commands import compose_given, composing_options

@inarch.hookimpl
def inarch_tools(context):
    return []

@click.command()
@composing_options
@click.pass_obj
def web(context, **given):
    with compose_given(given, naming="web") as app:
        print(context.name + ", too")
        print(*app.config.profile.plugins, file=sys.stderr)
"""
LETTERS = st.sampled_from("abcé-")
WORDS = st.text(LETTERS, max_size=8)


@given(WORDS, WORDS)
def test_slips_are_one_edit_away_or_two_neighbours_swapped(word: str, name: str) -> None:
    alphabet = {*name}
    near = {word[:i] + word[i + 1 :] for i in range(len(word))}
    near |= {word[:i] + one + word[i:] for i in range(len(word) + 1) for one in alphabet}
    near |= {word[:i] + one + word[i + 1 :] for i in range(len(word)) for one in alphabet}
    near |= {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
    assert _is_slip(word, name) == (name in near - {word})


def test_ask_takes_any_words(cli: Run, jsonl: tuple[str, ...]) -> None:
    assert asked(cli("ask", "tools", *jsonl)) == "tools"
    assert asked(cli("ask", "what", "is", "this", *jsonl)) == "what is this"
    assert asked(cli(*jsonl, "ask", "--", "--help")) == "--help"


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
    help_text = cli("--help", "--all").stdout
    assert "dispatch (dispatch)" in help_text
    assert "sessions" in help_text
