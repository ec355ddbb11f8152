"""The tool `task` keeps the contract of tools that have children, and of all tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inarch.sessions.app import App
from inarch.testing import ChildContract, ToolContract
from inarch_testing.apps import write_files

pytest_plugins = ["inarch.testing"]
ASKED = {"agent": "looker", "prompt": "Where is what?"}
LOOKER = "---\nname: looker\ndescription: Looks.\ntools: Read\n---\nYou look.\n"


class Made:
    tool: Any

    @pytest.fixture(autouse=True)
    def made(self, composition: Callable[..., App], tmp_path: Path) -> None:
        write_files(tmp_path / "home", {".agents/agents/looker.md": LOOKER})
        self.tool = composition(["agents"]).composition.tools["task"].value

    def make(self) -> Any:
        return self.tool


class TestTask(Made, ToolContract):
    valid = (ASKED,)
    invalid = ({**ASKED, "agent": "nobody"}, {**ASKED, "prompt": ""})
    failing = ({**ASKED, "session": "none-of-this-id"},)


class TestTaskOfASession(Made, ChildContract):
    arguments = ASKED
