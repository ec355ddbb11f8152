"""Real repositories, a home folder of their own, and the whole application to call the tools through."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

import inarch


@define(eq=False)
class Place:
    """A workspace in which git is at work; everything is approved."""

    root: Path
    app: inarch.App | None = None
    closing: list[inarch.App] = field(factory=list)

    def git(self, *argv: str | bytes, stdin: bytes = b"", fails: bool = False) -> str:
        """Run the user's own git, with the user's own configuration."""
        done = subprocess.run(["git", *argv], cwd=self.root, input=stdin, capture_output=True)
        assert fails or done.returncode == 0, (argv, done.stderr)
        return done.stdout.decode("utf-8", "surrogateescape")

    def init(self, *options: str) -> Place:
        """Make a repository with one commit."""
        self.git("init", "-q", "-b", "main", *options)
        self.put("a.txt", "one\ntwo\n")
        self.git("add", "a.txt")
        self.git("commit", "-q", "-m", "first")
        return self

    def put(self, path: str | bytes, content: str | bytes = "") -> Path:
        """Make a file."""
        file = Path(os.fsdecode(os.path.join(os.fsencode(self.root), os.fsencode(path))))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def at(self, folder: str | Path) -> Place:
        """Return the same for another folder."""
        return Place(self.root / folder, closing=self.closing)

    def call(self, name: str, **arguments: Any) -> inarch.ToolResult:
        """Call one tool and return its result."""
        if self.app is None:
            self.app = inarch.compose(root=self.root, config={}, flags={"approve": "all"}, journal=False)
            self.closing.append(self.app)
        return asyncio.run(self.app.call_tool(name, arguments))

    def data(self, name: str, **arguments: Any) -> Any:
        """Call one tool and return its data; it must succeed."""
        result = self.call(name, **arguments)
        assert result.success, result.error
        return result.data

    def error(self, name: str, **arguments: Any) -> inarch.ToolError:
        """Call one tool and return its error; it must fail."""
        result = self.call(name, **arguments)
        assert result.error is not None, result.data
        return result.error

    def commit(self, *paths: str, message: str = "a message") -> Any:
        """Call git_commit, which must succeed."""
        return self.data("git_commit", paths=list(paths), message=message)

    def index(self) -> str:
        """Return what is in the index, to the last byte that counts."""
        return self.git("ls-files", "--stage", "--debug", "-v")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, whose configuration says who the user is; nothing else of the machine's counts."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_")) or name == "EMAIL"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (folder / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.com\n")
    return folder


@pytest.fixture
def empty(part: Callable[[str], str], home: Path) -> Iterator[Place]:
    """A folder below the home, without a repository."""
    part("git")
    root = home / "work"
    root.mkdir()
    place = Place(root)
    yield place
    for app in place.closing:
        app.close()


@pytest.fixture
def repo(empty: Place) -> Place:
    """A repository with one commit."""
    return empty.init()


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Return a function that gives the path of a program; at the end none of them may have run."""
    folder = tmp_path / "programs"
    folder.mkdir()

    def program(name: str) -> str:
        path = folder / f"{name}.sh"
        path.write_text(f"#!/bin/sh\necho ran > {folder}/{name}.ran\ncat\n")
        path.chmod(0o755)
        return str(path)

    yield program
    assert not [file.name for file in folder.glob("*.ran")]
