"""Conversations about goals with a scripted model and judge, a project to work in, and the program."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import ScriptedModel, Step, says, scripted_app

from ..running.program import cli, environ, passes, probed, project, terminal

__all__ = ["cli", "environ", "passes", "probed", "project", "terminal"]

CHECK = f"{sys.executable} check.py"
"""Succeeds once `a.txt` says what `tests/test_a.txt` says."""
GRANTS = {"check": {"argv": CHECK.split()}, "sleep": {"argv": ["sleep", "*"]}}


def judge(met: str, evidence: str = "", then: str = "go on") -> Step:
    """Return a judge's answer."""
    return says(json.dumps({"met": met, "evidence": evidence, "next": then}))


class Desk:
    """A project, and conversations there with what they left."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.events: list[inarch.Event] = []
        self.shown: list[str] = []
        self.model = ScriptedModel([])
        self.session_id: str | None = None
        self.turn: inarch.Turn | None = None
        self.beside: inarch.App | None = None

    def talk(
        self, script: Sequence[Step], *lines: str, front_end: inarch.FrontEnd | None = None, **flags: Any
    ) -> inarch.Turn:
        """Run lines as the program runs a prompt, in the session so far, and return the last turn."""

        async def go() -> None:
            options: dict[str, Any] = {"config": {"commands": GRANTS}, "flags": flags, "front_end": front_end}
            app, self.model = scripted_app(ScriptedModel(script), self.root, journal=True, **options)
            assert not app.composition.refused
            self.app, self.session = app, app.session(self.session_id)
            self.session_id = self.session.id
            self.session.state.journal.listeners.append(self.events.append)
            try:
                for line in lines:
                    for prompt in await app.command(self.session, line, self.shown.append):
                        self.turn = await self.session.run(prompt)
            finally:
                await app.aclose()

        self.events.clear()
        self.shown.clear()
        asyncio.run(go())
        assert self.turn is not None
        return self.turn

    def meanwhile(self, line: str, step: Step) -> Step:
        """Return a reply before which the user types a line."""

        def reply(request: inarch.ModelRequest) -> Step:
            self.typed = asyncio.ensure_future(self.app.command(self.session, line, self.shown.append))
            assert not callable(step)
            return [0.2, *step]

        return reply

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of the events of a kind."""
        return [dict(event.data) for event in self.events if event.kind == kind]

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What the judge was given."""
        requests = [one for one in self.model.requests if one.purpose == "decision"]
        return [json.loads(one.messages[-1].text) for one in requests]

    @property
    def ended(self) -> tuple[str, int]:
        """How the goal ended, after how many rounds."""
        (ended,) = self.of("goal.ended")
        return ended["status"], ended["turns"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A project whose check fails."""
    root = tmp_path / "root"
    (root / "tests").mkdir(parents=True)
    (root / "a.txt").write_text("one\n")
    (root / "tests" / "test_a.txt").write_text("two\n")
    wanted = 'open("tests/test_a.txt").read()'
    (root / "check.py").write_text(f'import sys\nsys.exit(open("a.txt").read() != {wanted})\n')
    return Desk(root)
