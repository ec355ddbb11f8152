"""A turn from the command line, without a terminal: outputs, exit codes, sessions, closed pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import inarch
from inarch.contract.codec import from_data

from ..forking import LONGEST_S
from .beside import beside

PROGRAM = (sys.executable, "-P", "-m", "inarch")
Run = Callable[..., "subprocess.CompletedProcess[str]"]
Flags = tuple[str, ...]


def test_answered_is_0_and_only_the_answer_is_on_standard_output(cli: Run, slowly: Flags) -> None:
    done = cli("what is this", *slowly)
    assert (done.returncode, done.stdout) == (0, "The answer.\n"), done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_a_failed_turn_is_1_and_one_line(cli: Run, slowly: Flags) -> None:
    done = cli("please fail", *slowly)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("the key was refused") == 1
    assert "set another" in done.stderr


def test_a_limit_is_3_and_there_is_an_answer_so_far(cli: Run, slowly: Flags) -> None:
    done = cli("go in a circle", *slowly, "--max-iterations", "2")
    assert done.returncode == 3
    assert done.stdout.startswith("The answer.")
    assert "limit" in done.stderr


def test_json_is_one_object(cli: Run, slowly: Flags) -> None:
    done = cli("read something", *slowly, "--output", "json")
    record = json.loads(done.stdout)
    assert list(record) == ["session_id", "turn", "answer", "usage", "denied", "exit"]
    assert (record["answer"], record["exit"], done.returncode) == ("The answer.", 0, 0)
    turn = from_data(inarch.Turn, record["turn"])
    assert [call.status for call in turn.calls] == ["success", "error"]
    assert turn.usage.cost_usd is None


def test_headless_asking_is_a_no_that_says_what_would_allow_it(cli: Run, slowly: Flags, project: Path) -> None:
    done = cli("write a file", *slowly, "--output", "json")
    (call,) = json.loads(done.stdout)["turn"]["calls"]
    assert call["result"]["error"]["code"] == "denied"
    assert "approve" in json.dumps(call["result"]["error"])
    (denied,) = json.loads(done.stdout)["denied"]
    assert (denied["call"], denied["layer"]) == (call["id"], "headless") and "--approve edits" in denied["remedy"]
    assert done.returncode == json.loads(done.stdout)["exit"] == 4 and not (project / "new.txt").exists()
    assert cli("write a file", *slowly, "--approve", "edits").returncode == 0
    assert (project / "new.txt").read_text() == "one\ntwo\n"


@pytest.mark.parametrize(
    "asked",
    [
        "rename weigh to scale everywhere",
        "swap apples and grams in shop/basket.py",
        'replace "pears" by "figs" in README.md',
    ],
)
def test_what_the_offline_planner_does_not_understand_or_cannot_do_is_4(cli: Run, asked: str) -> None:
    done = cli(asked, "--approve", "all", "--model", "offline")
    assert done.returncode == 4, done.stdout


def test_a_pipe_keeps_the_answer_alone_and_standard_error_says_what_was_done(cli: Run, slowly: Flags) -> None:
    done = cli("read something", *slowly)
    assert done.stdout == "The answer.\n"
    *ran, turn = done.stderr.splitlines()
    read, missing = sorted(ran)
    assert read.startswith("inarch: call: Read README.md · ")
    assert missing.startswith("inarch: call: Read nowhere/to/be/found.md · ") and "not_found" in missing
    assert turn.startswith("inarch: turn: about ") and "cost unknown" in turn  # the first reply reports nothing


def test_quiet_says_nothing_but_the_answer(cli: Run, slowly: Flags) -> None:
    done = cli("read something", *slowly, "--quiet")
    assert (done.stdout, done.stderr) == ("The answer.\n", "")


def test_whoever_closes_the_pipe_gets_silence(slowly: Flags, project: Path, environ: dict[str, str]) -> None:
    for words in (("go on for long",), ("go on for long", "--output", "jsonl"), ("--help",), ("tools", "list")):
        extra = slowly if words[0] == "go on for long" else ()
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = subprocess.run(
                [*PROGRAM, *words, *extra], cwd=project, env=environ, stdin=subprocess.DEVNULL, stdout=writer,
                stderr=subprocess.PIPE, text=True, timeout=LONGEST_S, check=False,
            )  # fmt: skip
        finally:
            os.close(writer)
        assert beside(done.stderr) == ""
        assert done.returncode == 141


def test_a_closed_output_ends_the_turn_in_good_order(
    cli: Run, slowly: Flags, project: Path, environ: dict[str, str]
) -> None:
    shell = 'trap "" PIPE; "$@" | head -n 1'
    done = subprocess.run(
        ["sh", "-c", shell, "sh", *PROGRAM, "go on for long", *slowly, "--output", "jsonl"],
        cwd=project, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST_S,
        check=False,
    )  # fmt: skip
    assert json.loads(done.stdout)["kind"] == "session.started"
    assert done.stderr == ""
    shown = json.loads(cli("what is this", *slowly, "--continue", "--output", "json").stdout)
    assert shown["session_id"] == json.loads(done.stdout)["session_id"]


def test_a_display_that_fails_is_a_crash_with_the_answer(slowly: Flags, project: Path, environ: dict[str, str]) -> None:
    code = (
        "import sys\nfrom inarch_plugins.terminal.front_ends.text import TextFrontEnd\n"
        "from inarch.program.main import run\n"
        "TextFrontEnd.show = lambda self, event: 1 / 0\nsys.exit(run(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, "what is this", *slowly], cwd=project, env=environ,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST_S, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "The answer.\n")
    assert "inarch: internal error: ZeroDivisionError" in done.stderr


def test_diagnostics_go_to_a_file_of_the_users_own(cli: Run, slowly: Flags, environ: dict[str, str]) -> None:
    assert beside(cli("what is this", *slowly, INARCH_LOG="debug").stderr) == ""
    log = Path(environ["XDG_STATE_HOME"]) / "inarch" / "inarch.log"
    assert "turn.ended" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600
    wrong = cli("what is this", *slowly, INARCH_LOG="loud")
    assert wrong.returncode == 2 and "INARCH_LOG" in wrong.stderr


def test_mode_all_of_the_own_file_is_explained_once(cli: Run, environ: dict[str, str]) -> None:
    def notes(*words: str) -> list[str]:
        done = cli("list the tests", *words)
        return [line for line in done.stderr.splitlines() if 'approve = "all" also runs' in line]

    assert not notes("--approve", "all")
    file = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[profiles.default]\napprove = "all"\n')
    assert not notes("--approve", "edits") and not notes("--quiet")
    (note,) = notes()
    assert note.startswith(f"inarch: note: {file}:2: ") and not notes()


def test_an_unwritable_state_directory_is_told_and_no_journal_is_the_way_on(
    cli: Run, slowly: Flags, environ: dict[str, str]
) -> None:
    state = Path(environ["XDG_STATE_HOME"])
    state.write_text("a file where the directory should be")
    done = cli("what is this", *slowly)
    assert done.returncode in (1, 2)
    assert "--no-journal" in done.stderr and "Traceback" not in done.stderr
    assert cli("what is this", *slowly, "--no-journal").stdout == "The answer.\n"
