"""A conversation in a copy: what changed can be seen meanwhile, and the person decides at its end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..running.terminals import Open
from .conftest import MODEL, command

pytestmark = pytest.mark.once


@pytest.mark.parametrize(("key", "said"), [("a", "applied 1 path"), ("x", "discarded"), ("q", "waits")])
def test_the_person_decides_at_the_end(terminal: Open, repository: Path, key: str, said: str) -> None:
    opened = terminal(*MODEL, "--approve", "review", fork=False)
    opened.until("? for help")
    opened.type(json.dumps([command("sed -i s/2/two/ lines.txt")]), "Enter")
    opened.until("Done.")
    opened.type("/changes", "Enter")
    opened.until("change lines.txt  +1 −1", "by execute_command")
    opened.type("/changes lines.txt", "Enter")
    opened.until("+two")
    assert "two" not in (repository / "lines.txt").read_text()
    opened.type("", "C-d")
    opened.until("[a] apply all", seconds=15)
    opened.type("d", "Enter")
    opened.until("hunk 1")
    opened.type(key, "Enter")
    opened.until(said, "code=0")
    assert ("two" in (repository / "lines.txt").read_text()) == (key == "a")
