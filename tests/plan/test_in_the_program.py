"""Plans, questions and lists through the command line, without a terminal and in a real one of tmux."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..running.program import Run
from ..running.terminals import Open

MODEL = ("--plugin", str(Path(__file__).with_name("planning.py")), "--model", "planning/words")
HEADLESS = ("--approve", "plan", *MODEL)


def test_a_plan_without_a_terminal_is_printed_and_nothing_changes(cli: Run, project: Path) -> None:
    ran = cli(*HEADLESS, "plan it")
    assert (ran.returncode, ran.stdout) == (0, "# The plan\n\n1. Write new.txt\n")
    told = json.loads(cli(*HEADLESS, "--output", "json", "plan it").stdout)
    assert told["exit"] == 0 and told["answer"].startswith("# The plan")
    assert not (project / "new.txt").exists()


def test_no_rule_lets_a_call_run_that_changes_something(cli: Run, project: Path, environ: dict[str, str]) -> None:
    config = Path(environ["XDG_CONFIG_HOME"]) / "inarch"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[[rules]]\ntool = "write_file"\ndecision = "allow"\n')
    ran = cli(*HEADLESS, "write it")
    assert "the approval mode is plan" in ran.stdout and not (project / "new.txt").exists()


@pytest.mark.once
def test_a_conversation_plans_asks_and_keeps_a_list(terminal: Open, project: Path) -> None:
    opened = terminal(*MODEL)
    opened.until("? for help")
    opened.type("todo", "Enter")
    opened.until("☑ Find the year", "▸ Change it", "☐ Run the tests", "The answer.")
    opened.type("", "BTab")
    opened.until("The approval mode is edits.")
    opened.type("/approve ask", "Enter")
    opened.until("The approval mode is ask.")
    opened.type("/plan", "Enter")
    opened.until("Plan mode: nothing changes")
    opened.type("/plan", "Enter")
    opened.until("Plan mode is off; the approval mode is ask.")
    opened.type("/plan plan it", "Enter")
    opened.until("1. Write new.txt", "? more")
    opened.type("w")
    opened.until("the approval mode is edits", "? more")
    opened.type("a")
    opened.until("✓ Write", "The answer.")
    assert (project / "new.txt").read_text() == "text\n"
    opened.type("question me", "Enter")
    opened.until("Which fruit?", "answer:")
    opened.type("1", "Enter")
    opened.until("How many?", "answer:")
    opened.type("three", "Enter")
    opened.until('"answer":"apples"', '"answer":"three"')
