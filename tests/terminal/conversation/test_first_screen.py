"""What a person sees first, in a turn with calls, and last, at every width; the same in plain text."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarch import width

from ...running.terminals import Open
from .conftest import Talk

pytestmark = pytest.mark.once


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_conversation_from_its_first_line_to_its_last(talk: Talk, columns: int) -> None:
    opened = talk(columns=columns, lines=60)
    first = [line for line in opened.screen().split("\n>")[0].splitlines() if line.strip()]
    assert first[0].startswith("Inarch ") and "talking/words · price unknown" in first
    assert "Reads run; edits and commands ask." in " ".join(first) and any(line.startswith("Try: ") for line in first)
    assert first[-1] == "? for help" and (len(first) <= 6 or columns < 80)
    assert "andlock" not in "".join(first)
    opened.type("?")
    assert "\n>\n" in opened.until("Ctrl-D, /quit", "leave\n")
    opened.type("plan: README.md", "Enter")
    screen = opened.until("said plan", " in, ")
    lines = [line.rstrip() for line in screen.splitlines()]
    turn = lines[lines.index("> plan: README.md") :]
    assert turn[1:4] == ["", "  ☑ look", "  ☐ mend"] and turn[4].startswith("  ✓ Read README.md")
    assert turn[5:7] == ["", "Heard 1 lines, 15 characters."]
    assert "write_todos" not in screen and "├" not in screen and all(width(line) <= columns for line in lines)
    opened.type("hello", "Enter")
    assert opened.until("said hello", " in, ").count("cost unknown") <= 2
    opened.type("", "C-d")
    assert " ".join(opened.until("code=0").split()).count("inarch --continue goes on with this conversation.") == 1


def test_plain_text_has_whole_sentences_and_nothing_moves(terminal: Open) -> None:
    plugin = str(Path(__file__).with_name("talking.py"))
    opened = terminal("--plain", "--plugin", plugin, "--model", "talking/words")
    opened.until("? for help", "\n>")
    opened.type("plan: README.md", "Enter")
    screen = opened.until("Turn: ")
    assert "Done: Read README.md, " in screen and "Note: todos: 1 of 2 done." in screen
    assert not set("✓☐☑●·") & set(screen.partition("> plan")[2]) and "inarch: " not in screen
    opened.type("/quit", "Enter")
    opened.until("inarch --continue", "code=0")
