"""Skill folders that packages of npm ship, as they are."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from inarch.testing import says

from .desk import Desk

pytestmark = pytest.mark.once


def test_what_cc_sdd_installs(desk: Desk, part: Callable[[str], str]) -> None:
    part("node")  # it is a script of it
    command = [part("cc-sdd"), "--claude-skills", "--yes"]
    subprocess.run(command, cwd=desk.root, env=desk.environ, check=True, capture_output=True, timeout=120)
    desk.trust()
    told = desk.command("/skills")
    assert "kiro-spec-init (project: .claude/skills/kiro-spec-init" in told and "! " not in told
    assert "kiro-impl (project: .claude/skills/kiro-impl, for the user only)" in told
    desk.talk([says("done")], "/skills kiro-spec-init a shop for tea")
    prompt = desk.requests[0].messages[0].text
    assert "a shop for tea" in prompt and "Do what the skill kiro-spec-init says" in prompt
