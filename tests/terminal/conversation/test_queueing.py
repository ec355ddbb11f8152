"""What is typed while a turn runs."""

from __future__ import annotations

import pytest

from .conftest import Talk

pytestmark = pytest.mark.once


def test_prompts_wait_in_line_and_can_be_taken_back(talk: Talk) -> None:
    opened = talk()
    opened.type("slow one", "Enter")
    opened.until("Slowly")
    opened.type("second", "Enter")
    opened.type("third", "Enter")
    opened.until("queued: second", "queued: third")
    opened.type("", "Up")
    screen = opened.until("> third")
    assert "queued: third" not in screen
    opened.type(" and more", "Enter")
    opened.until("queued: third and more")
    opened.type("", "Escape")
    opened.until("cancelled", "queued: second", "Enter sends what is queued")
    opened.type("", "Enter")
    screen = opened.until("said second", "said third and more", "cost unknown")
    assert screen.index("said second") < screen.index("said third and more")
    assert "queued:" not in screen


def test_a_new_prompt_passes_what_a_cancel_holds_back(talk: Talk) -> None:
    opened = talk()
    opened.type("slow one", "Enter")
    opened.until("Slowly")
    opened.type("second", "Enter")
    opened.until("queued: second")
    opened.type("", "C-c")
    opened.until("cancelled", "Enter sends what is queued")
    opened.type("instead", "Enter")
    screen = opened.until("said instead", "queued: second", "Enter sends what is queued")
    assert "said second" not in screen
    opened.type("", "Up")
    opened.until("> second")
    opened.type("", "C-c")
    opened.until("\n>\n")
    opened.type("last", "Enter")
    screen = opened.until("said last", "100 in, 10 out")
    assert "said second" not in screen


def test_a_command_that_only_tells_does_not_wait(talk: Talk) -> None:
    opened = talk()
    opened.type("slow one", "Enter")
    opened.until("Slowly")
    opened.type("/stats", "Enter")
    opened.until("> /stats", "session ")
    opened.type("/clear", "Enter")
    opened.until("queued: /clear")
