"""Narrow terminals, resizing, no colours, dumb terminals, other front ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...running.terminals import Flags, Open
from .conftest import READY, Talk

pytestmark = pytest.mark.once


def test_it_works_at_forty_columns(ask: Talk, project: Path) -> None:
    opened = ask(columns=40)
    opened.type("a line of more words than fit in such a terminal", "Enter")
    opened.until("The answer.")
    opened.type("/help", "Enter")
    opened.until("the prompt.\n")
    opened.type("write a file", "Enter")
    opened.until("? more")
    opened.type("a")
    opened.until("> write a file", "The answer.")
    assert max(map(len, opened.screen().splitlines())) <= 40
    assert (project / "new.txt").exists()


def test_another_size_redraws_the_picture_and_keeps_the_scrollback(talk: Talk) -> None:
    opened = talk(columns=90, lines=24)
    opened.type("slow one", "Enter")
    opened.until("Slowly")
    line = "this is a line that is long enough to be folded in a terminal that is narrow"
    opened.type(line)
    opened.until(line)
    for columns in (40, 100, 60):
        opened.tmux("resize-window", "-t", "main", "-x", str(columns), "-y", "24")
        first, rest = line[: columns - 2].rstrip(), line[columns - 2 :].lstrip()
        # Indented by the conversation: what tmux folds by itself is not drawn anew yet, and another size would race it.
        opened.until(f"> {first}\n" + (f"  {rest}\n" if rest else ""))
    opened.type("", "Escape")
    screen = opened.until("cancelled ·", "narrow\n")
    assert screen.count("Slowly") == 1
    assert screen.count("> slow one") == 1
    assert screen.count("> this is a line") == 1


def test_a_dumb_terminal_has_the_plain_line_and_the_same_commands(terminal: Open, slowly: Flags) -> None:
    opened = terminal(*slowly, dumb=True)
    opened.until(READY, ">")
    opened.type("read something", "Enter")
    opened.until("The answer.", "cost unknown")
    opened.type("/stats", "Enter")
    opened.until("1 turn")
    opened.type("/model slowly/none", "Enter")
    opened.until("slowly has no model 'none'")
    opened.type("!cat README.md", "Enter")
    opened.until("Sells apples", "the model sees this with your next prompt")
    opened.type("/retry", "Enter")
    opened.until("> /retry", "The answer.", times=1)
    opened.type("/quit", "Enter")
    assert "\x1b" not in opened.until("code=0")


def test_lines_of_a_paste_are_not_typed_at_a_dumb_terminal(terminal: Open, slowly: Flags, project: Path) -> None:
    opened = terminal(*slowly, dumb=True)
    opened.until(READY, ">")
    lines = ("read something", "!touch pasted.txt", "read it")
    keys = [key for line in lines for key in [*(char.replace(" ", "Space") for char in line), "Enter"]]
    opened.tmux("send-keys", "-t", "main", *keys)  # all at once, as a paste comes
    opened.until("Run touch pasted.txt", "? more")
    opened.type("d", "Enter")
    opened.until("denied", "\n>\n")  # what comes before the prompt counts as pasted
    opened.type("!touch typed.txt", "Enter")
    opened.until("touch typed.txt", "the model sees this")
    assert (project / "typed.txt").exists() and not (project / "pasted.txt").exists()


def test_what_was_left_out_is_told_and_what_went_before_is_shown(talk: Talk, project: Path) -> None:
    (project / ".inarch").mkdir()
    (project / ".inarch" / "config.toml").write_text('[profiles.default]\nmodel = "offline"\n')
    opened = talk()
    opened.until("note:", "this project is not trusted")
    opened.type("hello", "Enter")
    opened.until("said hello", "100 in")
    opened.type("", "C-d")
    opened.until("code=0")
    again = talk("--continue")
    again.until("> hello\n  Heard 1 lines")


def test_text_that_could_mislead_a_terminal_is_shown_as_codes(ask: Talk) -> None:
    opened = ask()
    opened.type("say control", "Enter")
    opened.until("The answer\\x1b[2J\\u202e.", "> say control")
    opened.type(r"!printf \033[2J", "Enter")
    opened.until(r"\x1b[2J", "exit 0")
