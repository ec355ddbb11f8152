"""Who takes part beside the keyboard has a line, keys and prompts of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Talk

pytestmark = pytest.mark.once

PLUGIN = str(Path(__file__).with_name("accompanied.py"))
FLAGS = ("--plugin", PLUGIN, "--output", "accompanied")


def test_its_prompts_are_turns_of_the_conversation(talk: Talk) -> None:
    opened = talk(*FLAGS, columns=80)
    opened.until("takes part in a session", "beside 80 columns: is ready")
    opened.type("", "Space")
    opened.until("> slow words from beside", "Slowly", "is in a turn")
    opened.type("typed meanwhile", "Enter")
    opened.until("queued: typed meanwhile")
    opened.type("", "Space")
    opened.type("", "Escape")
    screen = opened.until("> words from beside", "said words from beside", "has had a turn")
    assert "sk-ant" not in screen, "what is said beside is shown without secrets"
    assert "said typed" not in screen, "a cancel holds back what was typed, and not what is said beside"
    opened.type("", "Enter")
    opened.until("said typed meanwhile")
