"""Commands that a project's own files suggest: how it is tested, built and linted, as `[commands.NAME]` to grant."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from inarch.host import Unreadable, read_project_file

_VENVS = (".venv", "venv", "env")
_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn"}
_NPM_PLACEHOLDER = "no test specified"


@frozen
class Proposal:
    """One `[commands.NAME]` that a project suggests, and where that was seen."""

    name: str
    argv: tuple[str, ...]
    seen: str

    @property
    def toml(self) -> str:
        """The table, after a comment that says why."""
        return f"# {self.seen}\n[commands.{self.name}]\nargv = {json.dumps(list(self.argv), ensure_ascii=False)}\n"


def proposals(root: str) -> tuple[Proposal, ...]:
    """Return what a project suggests, by looking at its files; nothing is run. Names are made unique."""
    project = _Project(root)
    taken: set[str] = set()
    found = []
    for look in (_python, _node, _cargo, _go, _make, _java):
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
        """Return a file's text, empty where there is none; no link leads out of the project."""
        try:
            data = read_project_file(self.root, path)
        except Unreadable:
            return ""
        return (data or b"").decode("utf-8", "replace")

    def has(self, *paths: str) -> str:
        """Return the first of the paths that is there, else nothing."""
        return next((path for path in paths if Path(self.root, path).exists()), "")

    def toml(self, path: str) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text(path))
        except (ValueError, RecursionError):
            return {}

    def json(self, path: str) -> Any:
        try:
            return json.loads(self.text(path) or "{}")
        except (ValueError, RecursionError):
            return {}

    def test_files(self) -> Iterator[str]:
        """Yield the texts of some test files."""
        for folder in ("tests", "test", "."):
            names = sorted(path.name for path in Path(self.root, folder).glob("test*.py"))[:20]
            yield from (self.text(f"{folder}/{name}") for name in names)


def _python(project: _Project) -> Iterator[Proposal]:
    tool = project.toml("pyproject.toml").get("tool", {})
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
    """Return where a project says that it uses pytest."""
    if "pytest" in tool:
        return "pyproject.toml"
    if found := project.has("pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"):
        return found
    if "[pytest]" in project.text("tox.ini"):
        return "tox.ini"
    if "[tool:pytest]" in project.text("setup.cfg"):
        return "setup.cfg"
    plain = re.compile(r"^(?:import pytest|from pytest|def test_|async def test_)", re.M)
    return "its test files" if any(plain.search(text) for text in project.test_files()) else ""


def _using(program: str) -> str:
    return f", run by {program}" if program else ""


def _node(project: _Project) -> Iterator[Proposal]:
    package = project.json("package.json")
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict):
        return
    manager = _LOCKS.get(project.has(*_LOCKS), "npm")
    for name in ("test", "build", "lint"):
        script = scripts.get(name)
        if isinstance(script, str) and script.strip() and _NPM_PLACEHOLDER not in script:
            yield Proposal(name, (manager, "run", name), f"{manager}: scripts.{name} of package.json")


def _cargo(project: _Project) -> Iterator[Proposal]:
    if project.has("Cargo.toml"):
        yield Proposal("test", ("cargo", "test", "*"), "cargo: Cargo.toml")
        yield Proposal("build", ("cargo", "build", "*"), "cargo: Cargo.toml")


def _go(project: _Project) -> Iterator[Proposal]:
    if project.has("go.mod"):
        yield Proposal("test", ("go", "test", "*"), "go: go.mod")
        yield Proposal("build", ("go", "build", "*"), "go: go.mod")


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
