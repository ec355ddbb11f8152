"""`inarch config init`: a first configuration file, with commands found in the current project."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from attrs import evolve, frozen

from inarch import UsageError
from inarch.commands import ANSWERED, FAILED


def begin(root: str, *, project: bool, force: bool, yes: bool) -> int:
    """Write the user's file, the project's, or both, and print the detected commands; return the exit code."""

    folder = os.path.realpath(root)
    if not Path(folder).is_dir():
        raise UsageError(f"{root} is not a directory")
    found = proposals(folder)
    if project and not found:
        raise UsageError(f"no test or build command was found in {folder}", "write [commands.NAME] with argv by hand")
    if not project:
        _write_own(found, force)
    for proposal in found:
        _say(f"recognised {proposal.seen}")
    if not found:
        return ANSWERED
    return _grant(folder, found, project=project, yes=yes)


def _write_own(found: Sequence[Proposal], force: bool) -> None:
    from inarch.host import user_config_path
    from inarch_plugins.commands.config.starter import write_starter

    path = user_config_path()
    if found and not force and path.exists():
        _say(f"{path} exists and is left unchanged (--force overwrites it)")
        return
    write_starter(path, force=force, found=found)
    _say(f"wrote {path}")


def _grant(folder: str, found: Sequence[Proposal], *, project: bool, yes: bool) -> int:
    """Grant the commands in the project's file if the user agrees; otherwise print what to add."""
    from inarch.host import state_dir
    from inarch_plugins.commands.config.starter import PROJECT_FILE, write_project_config

    path = Path(folder, PROJECT_FILE)
    if os.path.lexists(path):
        granted = _granted(folder, PROJECT_FILE)
        found = [proposal for proposal in found if proposal.argv not in granted]
        if not found:
            _say(f"{path} already grants them")
            return ANSWERED
        _say(f"{path} exists; to grant these commands, add these lines and run inarch config trust:")
        _show_tables(found)
        return ANSWERED
    if not yes:
        here = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
        if not here and project:
            raise UsageError("there is no terminal to ask at", "review the recognised commands and add --yes")
        _say("these commands could run without a question in this project:")
        _show_tables(found)
        if not here:
            _say("to grant them: inarch config init --project")
            return ANSWERED
        if not click.confirm(f"Write them to {path} and trust it?", default=False):
            return FAILED if project else ANSWERED
    trusted = write_project_config(folder, found, state_dir())
    _say(f"wrote {path}")
    if not trusted:
        _say("the project has more files that need trust: review them with inarch config trust")
    return ANSWERED


def _granted(folder: str, file: str) -> list[tuple[str, ...]]:
    """Return the commands in a project's file, trusted or not; empty if it cannot be read."""
    try:
        return [tuple(command["argv"]) for command in _Project(folder).data(file)["commands"].values()]
    except (AttributeError, KeyError, TypeError):
        return []


def _show_tables(found: Sequence[Proposal]) -> None:
    for proposal in found:
        for line in proposal.toml.splitlines():
            _say(f"  {line}")


def _say(text: str) -> None:
    from inarch import escape

    click.echo(escape(text, keep_newlines=False))


_VENVS = (".venv", "venv", "env")
_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn"}
_MOST_BYTES = 1_000_000


@frozen
class Proposal:
    """A `[commands.NAME]` table that a project suggests, with its source."""

    name: str
    argv: tuple[str, ...]
    seen: str

    @property
    def toml(self) -> str:
        """Return the table, after a comment with its source."""
        return f"# {self.seen}\n[commands.{self.name}]\nargv = {json.dumps(list(self.argv), ensure_ascii=False)}\n"


def proposals(root: str) -> tuple[Proposal, ...]:
    """Return the suggestions for a project from its files, with unique names; nothing is run."""
    project = _Project(root)
    taken: set[str] = set()
    found = []
    for look in (_python, _node, _cargo_and_go, _make, _java):
        for proposal in look(project):
            name = proposal.name
            if name in taken:
                name = f"{name}-{Path(proposal.argv[0]).name}"
            if name not in taken:
                taken.add(name)
                found.append(evolve(proposal, name=name))
    return tuple(found)


class _Project:
    def __init__(self, root: str) -> None:
        self.root = root

    def text(self, path: str) -> str:
        """Return the text of a file, empty if it is missing; links out of the project are not followed."""
        place = Path(self.root, path)
        try:
            is_inside = place.is_file() and place.resolve().is_relative_to(Path(self.root).resolve())
            return place.read_text("utf-8", "replace") if is_inside and place.stat().st_size <= _MOST_BYTES else ""
        except OSError:
            return ""

    def has(self, *paths: str) -> str:
        """Return the first path that exists, else an empty text."""
        return next((path for path in paths if Path(self.root, path).exists()), "")

    def data(self, path: str) -> Any:
        """Return the data of a JSON or TOML file, empty if it cannot be read."""
        read = json.loads if path.endswith(".json") else tomllib.loads
        try:
            return read(self.text(path))
        except (ValueError, RecursionError):
            return {}

    def test_files(self) -> Iterator[str]:
        """Yield the texts of some test files."""
        for folder in ("tests", "test", "."):
            names = sorted(path.name for path in Path(self.root, folder).glob("test*.py"))[:20]
            yield from (self.text(f"{folder}/{name}") for name in names)


def _python(project: _Project) -> Iterator[Proposal]:
    tool = project.data("pyproject.toml").get("tool", {})
    tool = tool if isinstance(tool, dict) else {}
    venv = project.has(*(f"{name}/bin/python" for name in _VENVS))
    python = venv or "python3"
    pytest = _pytest(project, tool)
    if pytest:
        yield Proposal("test", (python, "-m", "pytest", "*"), f"pytest: {pytest}{_using(venv)}")
    elif any("import unittest" in text or "from unittest" in text for text in project.test_files()):
        yield Proposal("test", (python, "-m", "unittest", "*"), f"unittest: its test files{_using(venv)}")
    if tox := project.has("tox.ini", "tox.toml") or ("pyproject.toml" if "tox" in tool else ""):
        yield Proposal("tox" if pytest else "test", ("tox", "*"), f"tox: {tox}")
    if project.has("noxfile.py"):
        yield Proposal("nox" if pytest else "test", ("nox", "*"), "nox: noxfile.py")
    ruff = project.has(*(f"{name}/bin/ruff" for name in _VENVS))
    if ruff and ("ruff" in tool or project.has("ruff.toml", ".ruff.toml")):
        yield Proposal("lint", (ruff, "check", "*"), f"ruff{_using(ruff)}")


def _pytest(project: _Project, tool: dict[str, Any]) -> str:
    """Return the file that shows that the project uses pytest."""
    if "pytest" in tool:
        return "pyproject.toml"
    if found := project.has("pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"):
        return found
    for file, section in (("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]")):
        if section in project.text(file):
            return file
    plain = re.compile(r"^(?:import pytest|from pytest|def test_|async def test_)", re.M)
    return "its test files" if any(plain.search(text) for text in project.test_files()) else ""


def _using(program: str) -> str:
    return f", run by {program}" if program else ""


def _node(project: _Project) -> Iterator[Proposal]:
    package = project.data("package.json")
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict):
        return
    manager = _LOCKS.get(project.has(*_LOCKS), "npm")
    for name in ("test", "build", "lint"):
        script = scripts.get(name)
        if isinstance(script, str) and script.strip() and "no test specified" not in script:
            yield Proposal(name, (manager, "run", name), f"{manager}: scripts.{name} of package.json")


def _cargo_and_go(project: _Project) -> Iterator[Proposal]:
    for program, file in (("cargo", "Cargo.toml"), ("go", "go.mod")):
        if project.has(file):
            yield Proposal("test", (program, "test", "*"), f"{program}: {file}")
            yield Proposal("build", (program, "build", "*"), f"{program}: {file}")


def _make(project: _Project) -> Iterator[Proposal]:
    file = project.has("GNUmakefile", "makefile", "Makefile")
    targets = set(re.findall(r"^([A-Za-z0-9_-]+)[ \t]*::?(?!=)", project.text(file), re.M)) if file else set()
    for name in ("test", "build", "lint"):
        if name in targets:
            yield Proposal(name, ("make", name), f"make: the target {name} of {file}")


def _java(project: _Project) -> Iterator[Proposal]:
    if file := project.has("build.gradle", "build.gradle.kts", "gradlew"):
        program = "./gradlew" if project.has("gradlew") else "gradle"
        yield Proposal("test", (program, "test"), f"gradle: {file}")
        yield Proposal("build", (program, "assemble"), f"gradle: {file}")
    if project.has("pom.xml"):
        yield Proposal("test", ("./mvnw" if project.has("mvnw") else "mvn", "test"), "maven: pom.xml")
