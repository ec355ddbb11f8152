"""A person who answers questions by a script, in front of a real application with a home folder and a repository."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from attrs import define, field

import inarch

Answer = tuple[str, Mapping[str, Any]]
YES: Answer = ("approve", {})
NO: Answer = ("deny", {})
ALWAYS: Answer = ("approve", {"scope": "shape"})
FOR_THE_PROJECT: Answer = ("approve", {"scope": "project"})
TOKEN = "made-up-token-of-a-registry-0123456789"


def rights(**chosen: Sequence[str]) -> Answer:
    """Return the answer that chooses rights; then the question comes again."""
    return ("modify", {"rights": {name: tuple(values) for name, values in chosen.items()}})


@define(eq=False)
class Person:
    """Gives the next answer of a script to each question, and no once it is at its end."""

    script: list[Answer] = field(factory=list)
    seen: list[inarch.ApprovalRequest] = field(factory=list)
    name: str = "person"

    def show(self, event: inarch.Event) -> None:
        """Look away."""

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Answer as the script says."""
        self.seen += batch
        given = [self.script.pop(0) if self.script else NO for _ in batch]
        return [inarch.Approval(one.call.id, kind, **more) for one, (kind, more) in zip(batch, given, strict=True)]

    def close(self) -> None:
        """Do nothing."""


@define(eq=False)
class House:
    """A home folder with a workspace in it; opened as often as wanted."""

    home: Path
    root: Path
    environ: dict[str, str]
    app: inarch.App | None = None

    @classmethod
    def make(cls, folder: Path) -> House:
        """Make a repository with a remote beside its files, and credentials in the home folder."""
        home, root = folder / "home", folder / "home" / "project"
        root.mkdir(parents=True)
        (home / ".npmrc").write_text(f"//registry.invalid/:_authToken={TOKEN}\n")
        (home / ".gitconfig").write_text("[user]\n\tname = Ann\n\temail = ann@example.org\n")
        house = cls(home, root, {"HOME": str(home), "PATH": os.environ["PATH"], "XDG_STATE_HOME": str(home / "state")})
        (root / "a.txt").write_text("one\ntwo\n")
        (root / "main.py").write_text("import os\nprint('hello', os.environ.get('FOO', 'nothing'))\n")
        (root / "package.json").write_text('{"name": "x", "version": "1.0.0", "scripts": {"hi": "echo hi"}}\n')
        house.git("init", "--quiet", "--initial-branch=main")
        house.git("add", ".")
        house.git("commit", "--quiet", "--message=first")
        house.git("init", "--quiet", "--bare", "remote")
        house.git("remote", "add", "origin", "./remote")
        return house

    def git(self, *words: str) -> str:
        """Run git as the person does."""
        env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *words], cwd=self.root, env=env, check=True, capture_output=True, text=True
        ).stdout

    def run(
        self, command: str, *script: Answer, approve: str = "ask", nobody: bool = False, config: Any = None
    ) -> tuple[inarch.ToolResult, Person]:
        """Run one command line in a session of its own, with a person who answers."""
        results, person = self.run_all([command], script, approve=approve, nobody=nobody, config=config)
        return results[0], person

    def run_all(
        self, commands: Sequence[str], script: Sequence[Answer], *, approve: str = "ask", nobody: bool = False,
        config: Any = None,
    ) -> tuple[list[inarch.ToolResult], Person]:  # fmt: skip
        """Run several command lines, one after the other, in one session."""
        person = Person(list(script))
        with mock.patch.dict(os.environ, {"HOME": str(self.home)}):
            return asyncio.run(self._run(commands, person, approve, nobody, config or {})), person

    async def _run(
        self, commands: Sequence[str], person: Person, approve: str, nobody: bool, config: Any
    ) -> list[inarch.ToolResult]:
        app = inarch.compose(
            root=self.root, config=config, flags={"approve": approve}, journal=False, environ=self.environ
        )
        try:
            scheduler = app.session(None).state.scheduler
            scheduler.front_end = None if nobody else person
            found = []
            for command in commands:
                (call,) = await scheduler.run("", [inarch.PlannedCall("execute_command", {"command": command})], "user")
                assert call.result is not None
                found.append(call.result)
            return found
        finally:
            await app.aclose()
