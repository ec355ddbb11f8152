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


def test_what_a_person_typed_replays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inarch_plugins.terminal.user_commands import run_command

    home = tmp_path / "home"
    root = project(home / "proj")
    monkeypatch.setenv("HOME", str(home))

    async def play(session: Any, app: Any) -> None:
        await run_command(session, "touch made.txt", lambda text: None, is_typed=True)
        await session.run("go on")

    config = {"rules": [{"tool": "execute_command", "decision": "allow", "match": {"command": "touch *"}}]}
    recorded = record(root, [says("hello"), says("Done.")], "hello", play=play, config=config)
    assert (root / "made.txt").exists()
    assert_same(recorded.replay())
