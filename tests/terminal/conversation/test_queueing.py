"""What is typed while a turn runs."""

from __future__ import annotations

import pytest

from .conftest import Talk

pytestmark = pytest.mark.once


def test_what_is_typed_goes_in_before_the_next_request(talk: Talk) -> None:
    opened = talk()
    opened.type("run: sleep 4", "Enter")
    opened.until("? more")
    opened.type("a")
    opened.until("Run sleep 4 · 1")  # it has run for a second
    opened.type("not that one", "Enter")
    opened.type("and hurry", "Enter")
    opened.until("goes in: not that one", "goes in: and hurry")
    screen = opened.until("you: not that one", "you: and hurry", "said not that one", "cost unknown")
    assert screen.index("you: not that one") < screen.index("you: and hurry") < screen.index("said not that one")
    assert "goes in:" not in screen and "queued:" not in screen


def test_what_waits_can_be_taken_back_and_put_after_the_turn(talk: Talk) -> None:
    opened = talk()
    opened.type("slow one", "Enter")
    opened.until("Slowly")
    opened.type("second", "Enter")
    opened.type("third", "Enter")
    opened.until("goes in: second", "goes in: third")
    opened.type("", "Up")
    screen = opened.until("> third")
    assert "goes in: third" not in screen
    opened.type(" and more", "Enter")
    opened.until("goes in: third and more")
    opened.type("", "Enter")
    screen = opened.until("queued: second", "queued: third and more")
    assert "goes in:" not in screen
    opened.type("", "Escape")
    opened.until("cancelled", "queued: second", "Enter sends what is queued")
    opened.type("", "Enter")
    screen = opened.until("said second", "said third and more", "cost unknown")
    assert screen.index("said second") < screen.index("said third and more")
    assert "queued:" not in screen


def test_after_a_cancel_nothing_is_sent_until_enter_and_then_all_of_it_is_one_prompt(talk: Talk) -> None:
    opened = talk()
    opened.type("slow one", "Enter")
    opened.until("Slowly")
    opened.type("second", "Enter")
    opened.type("third", "Enter")
    opened.until("goes in: third")
    opened.type("", "C-c")
    opened.until("cancelled", "goes in: second", "Enter sends what is queued")
    opened.type("", "Enter")
    screen = opened.until("Heard 3 lines", "said second", "said third", "cost unknown")
    assert "goes in:" not in screen


def test_words_of_a_plugin_wake_the_conversation(talk: Talk) -> None:
    opened = talk()
    opened.type("remind: it has ended", "Enter")
    opened.until("said remind: it has ended", "cost unknown")
    screen = opened.until("> [From the plugin talking, not from the person]", "Heard 2 lines", "said it has ended")
    assert screen.index("> [From the plugin") < screen.index("said it has ended")
