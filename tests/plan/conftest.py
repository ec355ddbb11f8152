"""The program and its surroundings as tests of the command line have them, and a desk at which a person answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

import inarch
from inarch.testing import ScriptedModel, Step, scripted_app

from ..running.program import cli, environ, passes, probed, project, terminal

__all__ = ["cli", "environ", "passes", "probed", "project", "terminal"]
Answer = Callable[[inarch.ApprovalRequest], inarch.Approval]


@define(eq=False)
class Person:
    """A front end: answers each question by the name of its tool, the same one again and again in order."""

    answers: dict[str, list[Answer]] = field(factory=dict)
    asked: list[inarch.ApprovalRequest] = field(factory=list)
    name: str = "person"

    def show(self, event: inarch.Event) -> None:
        """Look away."""

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Answer."""
        self.asked += batch
        return [self.answers[request.call.name].pop(0)(request) for request in batch]

    def close(self) -> None:
        """Do nothing."""


def yes(*rights: str, **values: tuple[str, ...]) -> Answer:
    """Return a yes with rights: names alone, or names with values."""
    chosen = {**dict.fromkeys(rights, ()), **values}
    return lambda request: inarch.Approval(request.call.id, "approve", rights=chosen or None)


def no(reason: str = "") -> Answer:
    """Return a no."""
    return lambda request: inarch.Approval(request.call.id, "deny", reason=reason)


def edited(**arguments: Any) -> Answer:
    """Return a change of the arguments."""
    return lambda request: inarch.Approval(request.call.id, "modify", arguments=arguments)


@define(eq=False)
class Desk:
    """A project, and a conversation there with what it left."""

    root: Path
    events: list[inarch.Event] = field(factory=list)
    requests: list[inarch.ModelRequest] = field(factory=list)
    seen: list[str] = field(factory=list)
    person: Person | None = None
    session_id: str = ""

    def talk(
        self, script: Sequence[Step], *prompts: str, answers: dict[str, list[Answer]] | None = None, **options: Any
    ) -> inarch.Turn:
        """Run prompts and return the last turn; without answers nobody is there."""

        async def go() -> inarch.Turn:
            app, model = scripted_app(ScriptedModel(script), self.root, **options)
            assert not app.composition.refused
            if answers is not None:
                app.front_end = self.person = Person(answers)
            session = app.session()
            self.session_id = session.id
            session.state.journal.listeners.append(self.events.append)
            for prompt in prompts or ("go",):
                turn = await session.run(prompt)
            parts = [part for message in model.requests[-1].messages for part in message.parts]
            self.seen = [inarch.result_text(part.result) for part in parts if isinstance(part, inarch.ResultPart)]
            self.requests = model.requests
            await app.aclose()
            return turn

        return asyncio.run(go())

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of the events of a kind."""
        return [dict(event.data) for event in self.events if event.kind == kind]

    def offered(self, request: int) -> set[str]:
        """Return the names of the tools of a request."""
        return {tool.name for tool in self.requests[request].tools}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A project with a file."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    return Desk(root)
