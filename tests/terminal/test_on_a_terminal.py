"""What somebody at a terminal sees: the tree, the question, the conversation; in a real terminal of tmux."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ..running.program import Run
from ..running.terminals import Flags, Open

pytestmark = pytest.mark.once


def test_a_turn_is_the_work_then_the_answer_then_what_it_took(terminal: Open, slowly: Flags) -> None:
    screen = terminal("read something", *slowly, fork=False).until("code=0")
    lines = [line.rstrip() for line in screen.splitlines() if line.strip()]
    assert lines[0] == "● slowly/words"
    assert lines[1].startswith("  ✓ Read README.md")
    bad = next(i for i, line in enumerate(lines) if line.startswith("  ✗ Read nowhere/to/be/found.md"))
    assert lines[bad + 1].startswith("    there is no")
    assert lines[4] == "The answer."
    assert re.match(r"  about [\d,]+ in, [\d,]+ out · cost unknown · ", lines[5])  # not every reply has a report
    assert lines[6] == "code=0"


def test_colours_unless_they_are_not_wanted(terminal: Open, slowly: Flags) -> None:
    coloured = terminal("read something", *slowly)
    coloured.until("code=0")
    assert "\x1b[32m" in coloured.screen(colours=True)
    for words, extra in ((("--no-color",), {}), ((), {"NO_COLOR": "1"})):
        plain = terminal("read something", *slowly, *words, **extra)
        plain.until("code=0")
        assert "\x1b[3" not in plain.screen(colours=True)


BYPASSED = "inarch: bypass: commands run without the sandbox and without questions"


def test_bypass_is_said_in_red(terminal: Open, slowly: Flags, cli: Run) -> None:
    for words, extra, red in (((), {}, True), (("--no-color",), {}, False), ((), {"NO_COLOR": "1"}, False)):
        opened = terminal("read something", *slowly, "--yolo", *words, **extra)
        opened.until(BYPASSED, "code=0")
        assert (f"\x1b[31m{BYPASSED}" in opened.screen(colours=True)) is red
    for output in ("text", "json"):
        done = cli("read something", *slowly, "--yolo", "--output", output)
        assert done.stderr.splitlines().count(BYPASSED) == 1 and "\x1b" not in done.stderr
    assert BYPASSED not in cli("read something", *slowly, "--approve", "all").stderr
    talk = terminal(*slowly, "--yolo")
    talk.until(BYPASSED.removeprefix("inarch: "), "? for help", ">")
    assert re.search(rf"\x1b\[31m(\x1b\[49m)?{BYPASSED.removeprefix('inarch: ')}", talk.screen(colours=True))
    talk.type("", "C-d")
    talk.until("code=0")


def test_ctrl_c_at_the_question_cancels_the_turn(terminal: Open, slowly: Flags, project: Path) -> None:
    opened = terminal("write a file", *slowly)
    opened.until("[d]")
    opened.type("", "C-c")
    opened.until("cancelled", "code=130")
    assert not (project / "new.txt").exists()


def test_the_same_error_is_reported_in_each_turn_and_by_each_command(terminal: Open, slowly: Flags) -> None:
    for dumb in (True, False):
        opened = terminal(*slowly, "--plugin", str(Path(__file__).parents[1] / "running" / "parts.py"), dumb=dumb)
        opened.until("? for help", ">")
        opened.type("please fail", "Enter")
        opened.until("the key was refused")
        opened.type("please fail", "Enter")
        opened.until("the key was refused", times=2)
        opened.type("/spoil", "Enter")
        opened.until("spoilt milk")
        opened.type("/spoil", "Enter")
        opened.until("spoilt milk", times=2)
        opened.type("/quit", "Enter")
        opened.until("code=0")
