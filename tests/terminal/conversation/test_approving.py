"""The question before a call, answered with single keys."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

from .conftest import Talk

pytestmark = pytest.mark.once

KEYS = "a approve · A always · d deny · e edit · m more · ? help"


def test_a_lets_a_call_run_once(ask: Talk, project: Path) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    screen = opened.until(f"Run it? {KEYS}")
    assert "+++ new.txt (a new file)" in screen and "+one" in screen
    assert not (project / "new.txt").exists()
    opened.type("a")
    opened.until("✓ Write new.txt", "The answer.")
    assert (project / "new.txt").read_text() == "one\ntwo\n"
    (project / "new.txt").unlink()
    opened.type("write a file", "Enter")
    opened.until("Run it?")


def test_deny_asks_why_and_the_reason_goes_to_the_model(ask: Talk, project: Path) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    opened.until("Run it?")
    opened.type("d")
    opened.until("why not (Enter: no reason):")
    opened.type("", "Escape")
    opened.until("Run it?")
    opened.type("d")
    opened.until("why not (Enter: no reason):")
    opened.type("not that one", "Enter")
    opened.until("⊘ Write", "not that one", "The answer.")
    assert not (project / "new.txt").exists()


def test_a_word_that_begins_with_a_key_for_no_is_read_whole(ask: Talk, project: Path) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    opened.until("Run it?")
    opened.type("do it")
    opened.until("why not (Enter: no reason):")
    opened.type("", "Enter")
    opened.until("not an answer", "Run it?")
    time.sleep(0.6)  # a key counts only after a moment in which none was pressed
    opened.type("d")
    opened.until("why not (Enter: no reason):")
    opened.type("on't write there", "Enter")
    opened.until("⊘ Write", "don't write there", "The answer.")
    assert not (project / "new.txt").exists()


def test_more_takes_a_line_and_numbers_answer_calls_of_a_batch(ask: Talk, project: Path) -> None:
    opened = ask()
    opened.type("both files", "Enter")
    opened.until("1. write_file", "2. write_file", "Run them?")
    opened.type("m")
    opened.until("answer:")
    opened.type("perhaps", "Enter")
    opened.until("not an answer", "Run them?")
    opened.type("2")
    opened.until("answer: 2")
    opened.type(" a; 1 d no thanks", "Enter")
    opened.until("no thanks", "The answer.")
    assert not (project / "one.txt").exists()
    assert (project / "two.txt").read_text() == "2"


def test_a_change_in_the_editor_is_asked_about_again(ask: Talk, project: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor.sh"
    editor.write_text('stty raw -echo < /dev/tty; sed -i s/two/three/ "$1"\n')
    opened = ask(EDITOR=f"sh {editor}")
    opened.type("write a file", "Enter")
    opened.until("Run it?")
    opened.type("e")
    opened.until("+three", "Run it?")
    opened.type("a")
    opened.until("✓ Write new.txt", "The answer.")
    assert (project / "new.txt").read_text() == "one\nthree\n"
    opened.type("what now", "Enter")
    opened.until("> what now", "The answer.", times=1)


def test_a_plain_yes_is_an_answer_and_no_prompt(ask: Talk, project: Path) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    opened.until("Run it?", "+++ new.txt")
    time.sleep(0.6)  # a key counts only after a moment in which none was pressed
    opened.type("yes", "Enter")
    opened.until("✓ Write new.txt", "The answer.")
    assert (project / "new.txt").exists()
    time.sleep(0.6)
    opened.type("yes sir", "Enter")
    screen = opened.until("> yes sir", "The answer.", times=1)
    assert "\n> es" not in screen


def test_what_is_too_long_for_a_glance_can_be_viewed(talk: Talk, project: Path, tmp_path: Path) -> None:
    (project / "read_me.sh").write_text("x\n" * 50)
    opened = talk(lines=24)
    opened.type("run: make " + " ".join(f"target{number}" for number in range(40)), "Enter")
    opened.until("v view all", "more lines (v shows them)")
    opened.type("v")
    screen = opened.until("40  target39", "Run it?")
    assert "v view all" not in screen
    opened.type("d")
    opened.until("why not")
    opened.type("", "Enter")
    opened.until("⊘ Run")


def test_a_yes_to_a_long_diff_shows_all_of_it_first(talk: Talk, project: Path) -> None:
    opened = talk(lines=20)
    opened.type("write 60: long.txt", "Enter")
    assert "line 60" not in opened.until("more lines (v shows them)", "v view all")
    opened.type("a")
    opened.until("+line 60", "Answer again.", "Run it?")
    assert not (project / "long.txt").exists()
    time.sleep(0.6)  # a key counts only after a moment in which none was pressed
    opened.type("a")
    assert "more lines" not in opened.until("✓ Write long.txt · +60", "Heard"), "the question has shown them"
    assert len((project / "long.txt").read_text().splitlines()) == 60


def test_a_line_that_is_typed_at_the_question_answers_nothing(ask: Talk, project: Path) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    opened.until("Run it?")
    opened.type("!python3 says yAd")
    opened.until("? explains the keys")
    opened.type("?")
    opened.until("approve, this once", "Run it?")
    assert not (project / "new.txt").exists()
    opened.type("a")
    opened.until("✓ Write new.txt", "The answer.")


@pytest.mark.parametrize("words", ["and add a test", "yet another file"])
def test_a_line_that_begins_with_a_key_that_answers_answers_nothing(ask: Talk, project: Path, words: str) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    opened.until("Run it?")
    time.sleep(0.6)  # a key counts only after a moment in which none was pressed
    opened.type(words)
    opened.until("? explains the keys")
    opened.type("?")
    opened.until("approve, this once", "Run it?")
    assert not (project / "new.txt").exists()
    time.sleep(0.6)
    opened.type("a", "Enter")
    opened.until("✓ Write new.txt", "The answer.")


def _why_no_trials(project: Path) -> str:
    workspace = FolderWorkspace.open(str(project))
    try:
        return workspace.trial_problem()
    finally:
        workspace.close()


def test_t_tries_a_command_and_a_applies_what_was_seen(talk: Talk, project: Path) -> None:
    if problem := _why_no_trials(project):
        pytest.skip(problem)
    opened = talk()
    opened.type("run: touch made.txt", "Enter")
    opened.until("t try")
    opened.type("t")
    opened.until("would add 1, exit 0", "add    made.txt")
    assert not (project / "made.txt").exists()
    time.sleep(0.6)  # a key counts only after a moment in which none was pressed
    opened.type("a")
    opened.until("✓ Run")
    assert (project / "made.txt").exists()
