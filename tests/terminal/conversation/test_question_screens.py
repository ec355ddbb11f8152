"""Questions on a real terminal of 40, 80 and 200 columns."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from .conftest import Talk

pytestmark = pytest.mark.once


class Case(NamedTuple):
    """A prompt of the talking model, and what its question says at once."""

    prompt: str
    said: tuple[str, ...]
    never: tuple[str, ...] = ()
    rows: int = 40


CASES = {
    "edit": Case("edit: a.py", ("Edit a.py", "+1  −1", "2 -     return 1", "2 +     return 2")),
    "create": Case(
        "write 31: notes.md", ("Create notes.md", "31 + line 31", "a yes, once  A all session"), ("unseen",)
    ),
    "long": Case("write 60: notes.md", ("Create notes.md", "a yes, with", "unseen", "space and b"), ("line 60",)),
    "command": Case(
        "run: pytest -q", ("Run pytest -q", "no network, no home folder", "project's own code."), ("$ pytest",)
    ),
    "install": Case(
        "run: cargo build", ("Run cargo build", "It needs network to", "i yes, with network  a yes, without")
    ),
    "batch": Case("three", ("1. Create one.txt", "2. Create two.txt", "3. Run pytest -q", "a yes to all")),
}


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("case", CASES)
def test_a_question_says_what_happens_and_what_can_be_answered(
    talk: Talk, project: Path, columns: int, case: str
) -> None:
    (project / "a.py").write_text("def f():\n    return 1\n")
    (project / "Cargo.toml").write_text("")
    one = CASES[case]
    opened = talk(columns=columns, lines=one.rows)
    opened.type(one.prompt, "Enter")
    screen = opened.until("? more")
    opened.until(*(said[: columns - 12] for said in one.said))
    assert not any(words in screen for words in ("it changes", "not known beforehand", "tier", *one.never))
    (choices,) = (line for line in screen.splitlines() if "a yes" in line) if columns >= 80 else (screen,)
    assert "d no…" in choices and "? more" in choices
    question = screen[screen.rindex(one.said[0]) :].splitlines()
    head = [line for line in question if line.strip() and not line.lstrip()[:1].isdigit() and " + " not in line]
    assert len(head) <= 11 if case == "batch" else len(head) <= 9
    assert not (project / "notes.md").exists()
