"""A folder in which `execute_command` runs, through the scheduler."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from inarch.contract.records import PluginContext
from inarch.plugins.registration import Bound
from inarch_plugins.sandbox_fs.commands.tool import ExecuteCommand

GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nowhere"}


class Shell:
    """Runs commands through the scheduler in a folder of its own."""

    def __init__(self, files: Any, grants: Any) -> None:
        self.files = files
        self.folder: Path = files.folder
        tool = ExecuteCommand(str(files.folder), grants)
        context = PluginContext("sandbox-fs", str(files.folder), files.settings, grants)
        files.scheduler.tools[tool.name] = Bound("sandbox-fs", tool, context)
        self.live: list[str] = []
        files.scheduler.journal.listeners.append(self._heard)

    def _heard(self, event: Any) -> None:
        if event.kind == "call.output":
            self.live.append(event.data["text"])

    def __call__(self, command: str, **more: Any) -> Any:
        """Run a command that must be started, and return its data."""
        return self.files.data("execute_command", command=command, **more)

    def error(self, command: str, **more: Any) -> Any:
        """Run a command that must fail, and return the error."""
        return self.files.error("execute_command", command=command, **more)

    def git(self, *words: str) -> None:
        """Run git as the repository's owner would."""
        identity = ("-c", "user.name=A", "-c", "user.email=a@b.invalid")
        subprocess.run(("git", *identity, *words), cwd=self.folder, env={**os.environ, **GIT}, check=True,
                       capture_output=True)  # fmt: skip
