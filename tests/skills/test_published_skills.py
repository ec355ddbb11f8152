"""Skill folders that packages of npm ship, as they are."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from inarch.testing import calls, says

from .desk import Desk

pytestmark = pytest.mark.once


def package(program: str) -> Path:
    """Return the folder of the package that brings a program."""
    inner = Path(program).resolve()
    return next(folder for folder in inner.parents if (folder / "package.json").exists())


def test_what_cc_sdd_installs(desk: Desk, part: Callable[[str], str]) -> None:
    part("node")  # it is a script of it
    command = [part("cc-sdd"), "--claude-skills", "--yes"]
    subprocess.run(command, cwd=desk.root, env=desk.environ, check=True, capture_output=True, timeout=120)
    desk.trust()
    told = desk.command("/skills")
    assert "kiro-spec-init (project: .claude/skills/kiro-spec-init" in told and "! " not in told
    assert "kiro-impl (project: .claude/skills/kiro-impl, for people only)" in told
    desk.talk([says("done")], "/skills kiro-spec-init a shop for tea")
    prompt = desk.requests[0].messages[0].text
    assert "a shop for tea" in prompt and "Do what the skill kiro-spec-init says" in prompt


@pytest.mark.parametrize(
    ("program", "folder", "name", "file"),
    [
        ("mcp-excalidraw-server", "skills", "excalidraw-skill", "references/"),
        ("x-skill", "skills", "use-x-chat", "reference"),
        ("x-skill", "skills-zh", "x-markdown", "reference"),
    ],
)
def test_what_packages_bring_beside_their_programs(
    desk: Desk, part: Callable[[str], str], program: str, folder: str, name: str, file: str
) -> None:
    shutil.copytree(package(part(program)) / folder, desk.home / ".agents/skills")
    told = desk.command("/skills")
    assert f"{name} (user: ~/.agents/skills/{name})" in told and "! " not in told
    turn = desk.talk([calls(("activate_skill", {"name": name})), says("done")])
    data = turn.calls[0].result.data
    source = (desk.home / ".agents/skills" / name / "SKILL.md").read_text()
    assert data["instructions"] == source.split("---", 2)[2].strip()
    beside = [one for one in data["files"] if one.startswith(file)]
    turn = desk.talk([calls(("activate_skill", {"name": name, "file": beside[0]})), says("done")])
    assert turn.calls[0].result.data["content"] == (desk.home / ".agents/skills" / name / beside[0]).read_text()
