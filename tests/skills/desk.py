"""A project and a user's folders, conversations there by a scripted model, and runs of the program itself."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import inarch
from inarch.testing import HttpServer, ScriptedModel, Step, scripted_app, sse_reply


class Desk:
    """A project and a user."""

    def __init__(self, home: Path) -> None:
        self.home, self.root, self.config = home, home / "root", home / "config" / "inarch"
        for folder in (self.root, self.config):
            folder.mkdir(parents=True)
        (self.root / "a.txt").write_text("one\n")
        self.environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
        self.environ |= {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
        self.events: list[inarch.Event] = []
        self.requests: list[inarch.ModelRequest] = []
        self.seen: list[str] = []
        self.said: list[str] = []

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file below the home folder."""
        place = self.home / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
        return place

    def trust(self) -> None:
        """Trust the project as it stands."""
        from inarch.host import Trust

        state = self.home / "state" / "inarch"
        Trust(str(self.root), state).grant(Trust(str(self.root), state).standing(whole=True).files)

    def talk(self, script: Sequence[Step], *lines: str, session: str | None = None, **options: Any) -> inarch.Turn:
        """Have a conversation of prompts and slash commands, and return its last turn."""

        async def go() -> inarch.Turn:
            given: dict[str, Any] = {"config": {}, "environ": self.environ, "journal": True, **options}
            app, model = scripted_app(ScriptedModel(script), self.root, **given)
            assert not {"skills", "hooks"} & {one.name for one in app.composition.refused}
            self.tools = set(app.composition.tools)
            one = self.now = app.session(session)
            one.state.journal.listeners.append(self.events.append)
            prompts = list(lines or ("go",))
            while prompts:
                line = prompts.pop(0)
                if inarch.split_slash_command(line) is not None:
                    prompts = [*await app.command(one, line, self.said.append), *prompts]
                    continue
                turn = await one.run(line)
            self.session = one.id
            self.requests = list(model.requests)
            parts = [part for last in model.requests[-1:] for message in last.messages for part in message.parts]
            self.seen = [inarch.result_text(part.result) for part in parts if isinstance(part, inarch.ResultPart)]
            await app.aclose()
            return turn

        return asyncio.run(go())

    def command(self, line: str) -> str:
        """Run a slash command and return what it shows."""

        async def go() -> None:
            app, _ = scripted_app([], self.root, config={}, environ=self.environ)
            await app.command(app.session(), line, self.said.append)
            await app.aclose()

        self.said.clear()
        asyncio.run(go())
        return "\n".join(self.said)

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of the events of a kind."""
        return [dict(event.data) for event in self.events if event.kind == kind]

    def notes(self) -> str:
        """Return what the user was told."""
        return "\n".join(note["text"] for note in self.of("note"))

    def program(self, *words: str, replies: Sequence[dict[str, Any]] = ()) -> tuple[str, list[dict[str, Any]]]:
        """Run the program with a server in the place of a model; return what it wrote and what it asked."""
        answers = [sse_reply([{"choices": [{"index": 0, "delta": one, "finish_reason": "stop"}]}]) for one in replies]
        with HttpServer(answers) as server:
            table = f'[plugins.openai-compatible]\nbase_url = "{server.url}"\nmodel = "m"\n'
            self.write("config/inarch/config.toml", table)
            command = [sys.executable, "-P", "-m", "inarch", *words]
            ran = subprocess.run(command, cwd=self.root, env=self.environ, capture_output=True, text=True, input="")
        self.exit_code = ran.returncode
        return ran.stdout + ran.stderr, [json.loads(one.body) for one in server.requests]


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """Return a reply of a chat completion that calls a tool."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}
