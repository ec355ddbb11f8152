"""The workspace, each way to open files, and the tools of files and commands keep the contract."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from inarch import PluginContext, Workspace
from inarch.testing import ToolContract, WorkspaceContract
from inarch_plugins.sandbox_fs import inarch_tools
from inarch_plugins.sandbox_fs.safe_open import walking_open
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace


class TestWorkspace(WorkspaceContract):
    def make(self, path: str) -> Workspace:
        return FolderWorkspace.open(path, Settings())


class TestPortableWorkspace(WorkspaceContract):
    """Where the kernel has no `openat2` and no program searches."""

    def make(self, path: str) -> Workspace:
        return FolderWorkspace.open(path, Settings(search_engine="python"), walking_open)


MISSING = {"file_path": "missing.txt"}
CASES: dict[str, Mapping[str, Any]] = {
    "list_directory": {"valid": ({}, {"directory": "src"}), "failing": ({"directory": "missing"},)},
    "read_file": {"valid": ({"file_path": "a.txt"},), "failing": (MISSING, {"file_path": "../a.txt"})},
    "search_files": {"valid": ({"pattern": "o"}, {"pattern": "ü", "path": "src"}), "failing": ({"pattern": "("},)},
    "write_file": {"valid": ({"file_path": "a.txt", "content": "ü"}, {"file_path": "new/b", "content": ""})},
    "create_file": {
        "valid": ({"file_path": "new/b.txt", "content": "ü"},),
        "failing": ({"file_path": "a.txt", "content": "x"},),
    },
    "patch_source_file": {
        "valid": ({"file_path": "a.txt", "search": "one", "replace": "ü"},),
        "failing": ({"file_path": "a.txt", "search": "three", "replace": "x"},),
    },
    "move_file": {
        "valid": ({"file_path": "a.txt", "new_path": "new/b.txt"},),
        "failing": ({"file_path": "a.txt", "new_path": "src/b.py"},),
    },
    "delete_file": {"valid": ({"file_path": "a.txt"},), "failing": (MISSING,)},
}


class Tools(ToolContract):
    files = {"a.txt": "one\ntwo\n", "src/b.py": "print('zwölf')\n", "src/c.py": ""}  # noqa: RUF012 - read only
    cases = CASES
    repeatable = True
    tool: Any

    @pytest.fixture(autouse=True)
    def case(self, name: str, tmp_path: Path) -> None:
        context = PluginContext("sandbox-fs", str(tmp_path / "workspace"))
        (self.tool,) = (tool for tool in inarch_tools(context) if tool.name == name)
        vars(self).update(self.cases[name])

    def make(self) -> Any:
        return self.tool


@pytest.mark.parametrize("name", CASES)
class TestFileTools(Tools):
    """Each test for each tool that reads, searches or changes one file or folder."""


MANY: dict[str, Mapping[str, Any]] = {
    "list_files": {"valid": ({}, {"pattern": "src/**", "limit": 1})},
    "read_multiple_files": {"valid": ({"file_paths": ["a.txt", "src/b.py"]}, {"file_paths": ["missing.txt"]})},
}


@pytest.mark.once
@pytest.mark.parametrize("name", MANY)
class TestToolsOfManyFiles(Tools):
    cases = MANY


COMMAND: dict[str, Mapping[str, Any]] = {
    "execute_command": {
        "valid": ({"command": "cat a.txt"}, {"command": "grep -n two a.txt"}),
        "failing": ({"command": "no-such-program-at-all"},),
        "repeatable": False,
    }
}


@pytest.mark.once
@pytest.mark.parametrize("name", COMMAND)
class TestCommand(Tools):
    cases = COMMAND
