"""The tools of git keep the contract, in a repository with commits and changes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from inarch import PluginContext
from inarch.testing import ToolContract
from inarch_plugins.git import inarch_tools

CASES: dict[str, Mapping[str, Any]] = {
    "git_status": {"valid": ({},)},
    "git_log": {"valid": ({}, {"paths": ["b.txt"], "limit": 1})},
    "git_blame": {"valid": ({"file_path": "a.txt"},), "failing": ({"file_path": "missing.txt"},)},
    "git_diff": {"valid": ({}, {"paths": ["b.txt"], "staged": True})},
    "git_show": {"valid": ({"revision": "HEAD"},), "failing": ({"revision": "no-such-commit"},)},
    "git_changes": {
        "valid": ({}, {"uncommitted": True}, {"commit": "HEAD"}, {"base": "main"}, {"after": 1, "offset": 9}),
        "failing": ({"base": "no-such-branch"}, {"base": "main", "commit": "HEAD"}),
    },
    "git_commit": {
        "valid": ({"paths": ["a.txt"], "message": "Zwölf\n\nMore."},),
        "failing": ({"paths": ["missing.txt"], "message": "x"},),
    },
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A commit, a change that is staged and one that isn't."""
    folder = tmp_path_factory.mktemp("repository")

    def git(*argv: str) -> None:
        subprocess.run(["git", *argv], cwd=folder, check=True, capture_output=True)

    git("init", "-q", "-b", "main", "--template=")
    git("config", "user.name", "A Tester")
    git("config", "user.email", "tester@example.org")
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("one\ntwo\n")
        git("add", name)
    git("commit", "-q", "-m", "first")
    (folder / "b.txt").write_text("one\ntwo\nthree\n")
    git("add", "b.txt")
    (folder / "a.txt").write_text("one\nzwei\n")
    return folder


@pytest.mark.once
@pytest.mark.parametrize("name", CASES)
@pytest.mark.needs("git")
class TestGitTools(ToolContract):
    tool: Any
    repository: Path

    @pytest.fixture(autouse=True)
    def case(self, name: str, tmp_path: Path, repository: Path) -> None:
        context = PluginContext("git", str(tmp_path / "workspace"))
        (self.tool,) = (tool for tool in inarch_tools(context) if tool.name == name)
        self.repository = repository
        vars(self).update(CASES[name])

    def make(self) -> Any:
        return self.tool

    def prepare(self, folder: Path) -> None:
        shutil.copytree(self.repository, folder, dirs_exist_ok=True)
