"""A project, a user's configuration folder and conversations there, and the program as other tests have it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import ScriptedModel, Step, scripted_app

from ..running.program import cli, environ, passes, probed, project

__all__ = ["cli", "environ", "passes", "probed", "project"]


class Desk:
    """A project and a user's configuration folder, and conversations there."""

    def __init__(self, home: Path) -> None:
        self.root, self.config = home / "root", home / "config" / "inarch"
        for folder in (self.root, self.config):
            folder.mkdir(parents=True)
        (self.root / "a.txt").write_text("one\n")
        self.environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
        self.environ |= {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
        self.events: list[inarch.Event] = []
        self.seen: list[str] = []
        self.requests: list[inarch.ModelRequest] = []

    def users(self, hooks: dict[str, Any], **keys: Any) -> None:
        """Write the user's hooks."""
        (self.config / "hooks.json").write_text(json.dumps({**keys, "hooks": hooks}))

    def script(self, name: str, text: str) -> str:
        """Write a program beside the user's hooks and return its name."""
        path = self.config / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return f"./{name}"

    def talk(
        self,
        script: Sequence[Step],
        *prompts: str,
        config: dict[str, Any] | None = None,
        front_end: inarch.FrontEnd | None = None,
        **flags: Any,
    ) -> inarch.Turn:
        """Have a conversation and return its last turn."""

        async def go() -> inarch.Turn:
            options: dict[str, Any] = {"config": config or {}, "environ": self.environ, "flags": flags, "journal": True}
            options["front_end"] = front_end
            app, model = scripted_app(ScriptedModel(script), self.root, **options)
            assert "hooks" not in {one.name for one in app.composition.refused}
            session = app.session()
            session.state.journal.listeners.append(self.events.append)
            for prompt in prompts or ("go",):
                turn = await session.run(prompt)
            parts = [part for request in model.requests[-1:] for message in request.messages for part in message.parts]
            self.seen = [inarch.result_text(part.result) for part in parts if isinstance(part, inarch.ResultPart)]
            self.requests = model.requests
            await app.aclose()
            return turn

        return asyncio.run(go())

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of the events of a kind."""
        return [dict(event.data) for event in self.events if event.kind == kind]

    def trust(self) -> None:
        """Trust the project as it stands."""
        from inarch.host import Trust

        state = Path(self.environ["XDG_STATE_HOME"]) / "inarch"
        Trust(str(self.root), state).grant(Trust(str(self.root), state).standing(True, self.config).files)


def one(command: str, matcher: str | None = None, **more: Any) -> list[dict[str, Any]]:
    """Return the groups of an event with one command."""
    group: dict[str, Any] = {"hooks": [{"type": "command", "command": command, **more}]}
    return [group if matcher is None else {"matcher": matcher, **group}]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A project and a user."""
    return Desk(tmp_path)
