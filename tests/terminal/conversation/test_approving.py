"""The question before a call, answered with single keys."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

from .conftest import Talk

pytestmark = pytest.mark.once

KEYS = "a yes, once  A all session: new.txt  d no…  e edit  ? more"


def test_a_lets_a_call_run_once(ask: Talk, project: Path) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    screen = opened.until(KEYS)
    assert "Create new.txt" in screen and "  1 + one" in screen
    assert not (project / "new.txt").exists()
    opened.type("a")
    opened.until("✓ Write new.txt", "The answer.")
    assert (project / "new.txt").read_text() == "one\ntwo\n"
    (project / "new.txt").unlink()
    opened.type("write a file", "Enter")
    opened.until("? more")


def test_deny_asks_why_and_the_reason_goes_to_the_model(ask: Talk, project: Path) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    opened.until("? more")
    opened.type("d")
    opened.until("why not (Enter: no reason):")
    opened.type("", "Escape")
    opened.until("? more")
    opened.type("d")
    opened.until("why not (Enter: no reason):")
    opened.type("not that one", "Enter")
    opened.until("⊘ Write", "not that one", "The answer.")
    assert not (project / "new.txt").exists()


def test_a_word_that_begins_with_a_key_for_no_is_read_whole(ask: Talk, project: Path) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    opened.until("? more")
    opened.type("do it")
    opened.until("why not (Enter: no reason):")
    opened.type("", "Enter")
    opened.until("not an answer", "? more")
    time.sleep(0.6)  # a key counts only after a moment in which none was pressed
    opened.type("d")
    opened.until("why not (Enter: no reason):")
    opened.type("on't write there", "Enter")
    opened.until("⊘ Write", "don't write there", "The answer.")
    assert not (project / "new.txt").exists()


def test_more_takes_a_line_and_numbers_answer_calls_of_a_batch(ask: Talk, project: Path) -> None:
    opened = ask()
    opened.type("both files", "Enter")
    opened.until("1. Create one.txt", "2. Create two.txt", "yes to all")
    opened.type("m")
    opened.until("answer:")
    opened.type("perhaps", "Enter")
    opened.until("not an answer", "yes to all")
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
    opened.until("? more")
    opened.type("e")
    opened.until("+ three", "? more")
    opened.type("a")
    opened.until("✓ Write new.txt", "The answer.")
    assert (project / "new.txt").read_text() == "one\nthree\n"
    opened.type("what now", "Enter")
    opened.until("> what now", "The answer.", times=1)


def test_a_plain_yes_is_an_answer_and_no_prompt(ask: Talk, project: Path) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    opened.until("? more", "Create new.txt")
    time.sleep(0.6)  # a key counts only after a moment in which none was pressed
    opened.type("yes", "Enter")
    opened.until("✓ Write new.txt", "The answer.")
    assert (project / "new.txt").exists()
    time.sleep(0.6)
    opened.type("yes sir", "Enter")
    screen = opened.until("> yes sir", "The answer.", times=1)
    assert "\n> es" not in screen


def test_what_is_too_long_for_the_screen_scrolls(talk: Talk, project: Path) -> None:
    opened = talk(lines=24)
    opened.type("write 60: long.txt", "Enter")
    screen = opened.until("Create long.txt", "+60", "a yes, with 43 lines unseen", "space and b turn pages")
    assert "17 + line 17" in screen and "line 18" not in screen
    for keys, first, last in (("j", 1, 18), (" ", 18, 35), ("k", 17, 34), ("G", 43, 60), ("b", 26, 43), ("g", 1, 17)):
        opened.type(keys)
        opened.until(f"{first} + line {first}\n", f"{last} + line {last}\n")
    opened.until("a yes, once  A all session")
    time.sleep(0.6)  # a key counts only after a moment in which none was pressed
    opened.type("a")
    opened.until("61 of 61 lines", "Heard")
    assert len((project / "long.txt").read_text().splitlines()) == 60


def test_one_press_approves_what_has_lines_below_but_never_for_ever(talk: Talk, project: Path) -> None:
    opened = talk(lines=24)
    opened.type("write 60: long.txt", "Enter")
    opened.until("a yes, with 43 lines unseen", "A all session: long.txt")
    opened.type("A")
    opened.until("not shown yet", "18 + line 18", "a yes, with 25 lines unseen")
    assert not (project / "long.txt").exists()
    time.sleep(0.6)
    opened.type("a")
    opened.until("36 of 61 lines", "Heard")
    assert len((project / "long.txt").read_text().splitlines()) == 60
    opened.type("write 60: AGENTS.md", "Enter")
    opened.until("a yes after the other")
    opened.type("a")
    opened.until("not shown yet")
    assert not (project / "AGENTS.md").exists()
    time.sleep(0.6)
    opened.type("v")
    opened.until("60 + line 60", "a yes, once  A all session")
    time.sleep(0.6)
    opened.type("a")
    opened.until("60 + line 60", "Heard 1 lines")
    assert (project / "AGENTS.md").exists()


def test_a_line_that_is_typed_at_the_question_answers_nothing(ask: Talk, project: Path) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    opened.until("? more")
    opened.type("!python3 says yAd")
    opened.until("? explains the keys")
    opened.type("?")
    opened.until("yes, this once", "? more")
    assert not (project / "new.txt").exists()
    opened.type("a")
    opened.until("✓ Write new.txt", "The answer.")


@pytest.mark.parametrize("words", ["and add a test", "yet another file"])
def test_a_line_that_begins_with_a_key_that_answers_answers_nothing(ask: Talk, project: Path, words: str) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    opened.until("? more")
    time.sleep(0.6)  # a key counts only after a moment in which none was pressed
    opened.type(words)
    opened.until("? explains the keys")
    opened.type("?")
    opened.until("yes, this once", "? more")
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
