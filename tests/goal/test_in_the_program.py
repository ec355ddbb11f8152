"""Goals through the command line: exit codes, JSON, and a program that is killed in between."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ..running.program import PROGRAM, Run
from ..running.terminals import Open

MODEL = ("--plugin", str(Path(__file__).with_name("working.py")), "--model", "working/words")
pytestmark = pytest.mark.needs("confinement")


@pytest.mark.parametrize(
    ("goal", "code", "status"),
    [("write it", 0, "met"), ("never ends", 3, "stalled"), ("give up", 1, "impossible"), ("ban it", 1, "denied")],
)
def test_the_exit_code_says_how_a_goal_ended(cli: Run, goal: str, code: int, status: str) -> None:
    ran = cli(*MODEL, "--approve", "edits", "--output", "json", "--goal", goal)
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["exit"], told["goal"]["status"]) == (code, code, status)
    assert told["goal"]["turns"] > 0 and told["goal"]["cost"] == told["usage"]["cost_usd"]


def test_a_check_and_a_budget_of_the_command_line(cli: Run, project: Path) -> None:
    (project / "it's.txt").write_text("")
    ran = cli(*MODEL, "--approve", "edits", "--max-cost", "0.5", "--goal", "write it", "--goal-check", 'ls "it\'s.txt"')
    assert ran.returncode == 0 and "at most $0.5" in ran.stderr and "exits 0" in ran.stderr
    ran = cli(*MODEL, "--goal", "write it", "--goal-check", "no-such-program")
    assert ran.returncode == 1 and "the check can't run: no-such-program" in ran.stderr


@pytest.mark.parametrize("words", [("--goal", ""), ("--goal-check", "ls", "prompt"), ("--goal", "x", "prompt")])
def test_a_goal_takes_the_place_of_the_prompt(cli: Run, words: tuple[str, ...]) -> None:
    ran = cli(*MODEL, *words)
    assert ran.returncode == 2 and "--goal" in ran.stderr


def test_without_the_plugin_no_goal_seems_to_be_met(cli: Run) -> None:
    ran = cli(*MODEL, "-p", "no:goal", "--goal", "write it")
    assert ran.returncode == 2 and "a goal needs the plugin goal" in ran.stderr


def test_a_killed_goal_is_paused_and_can_be_resumed(cli: Run, project: Path, environ: dict[str, str]) -> None:
    config = Path(environ["XDG_CONFIG_HOME"]) / "inarch"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[commands.sleep]\nargv = ["sleep", "*"]\n')
    words = [*PROGRAM, *MODEL, "--output", "jsonl", "--goal", "sleep on it"]
    with subprocess.Popen(words, cwd=project, env=environ, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if json.loads(line)["kind"] == "turn.held":
                break
        running.kill()
    ran = cli(*MODEL, "--continue", "/goal")
    assert "Goal: sleep on it" in ran.stderr and "paused (1 of 20 rounds" in ran.stderr
    ran = cli(*MODEL, "--continue", "--output", "json", "/goal edit write it")
    ran = cli(*MODEL, "--continue", "--approve", "edits", "--output", "json", "/goal resume")
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["goal"]["status"], told["goal"]["turns"]) == (0, "met", 2)


@pytest.mark.once
def test_a_conversation_asks_for_a_budget_and_shows_the_goal(terminal: Open, project: Path) -> None:
    opened = terminal(*MODEL, "--approve", "edits")
    opened.until("? for help")
    opened.type("/goal write it", "Enter")
    opened.until("What may the goal cost", "answer:")
    opened.type("3", "Enter")
    opened.until("at most $10 and 20 rounds", "met (1 of 20 rounds, $0.04 of $10.00): proved by c2")
    assert (project / "done.txt").read_text() == "text\n"
    opened.type("/goal", "Enter")
    opened.until("Goal: write it")
