"""Rights that were chosen in a question replay as they were chosen, whatever the home folder has by then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inarch.testing import calls, says

from ..sandbox_fs.persons import Person, rights
from .recording import assert_same, project, record

pytestmark = pytest.mark.needs("git")


def test_chosen_rights_and_those_that_could_not_be_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    root = project(home / "proj")
    monkeypatch.setenv("HOME", str(home))
    (home / ".npmrc").write_text("x=1\n")
    command = ("execute_command", {"command": "touch made.txt"})
    person: Any = Person(
        [rights(network=()), rights(files=("nothing",)), rights(files=("~/.npmrc",)), ("approve", {"scope": "shape"})]
    )
    recorded = record(root, [calls(command), calls(command), says("Done.")], "make it", front_end=person)
    assert len(person.seen) == 4 and (root / "made.txt").exists()
    (home / ".npmrc").unlink()
    assert_same(recorded.replay())
