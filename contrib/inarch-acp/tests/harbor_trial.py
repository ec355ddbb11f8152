"""A trial of Harbor's agent in an environment that is a folder of this machine; Harbor's own Python runs it.

    harbor-python harbor_trial.py FOLDER ROOT PROGRAM MODEL INSTRUCTION

Absolute paths of the environment lie in FOLDER. It is an image in which packages and uv are installed already.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from harbor.agents.installed.acp import AcpAgent
from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.models.agent.context import AgentContext
from harbor.models.task.config import EnvironmentConfig
from harbor.models.trial.paths import TrialPaths

OWN = re.compile(r"(?<![\w.-])/(?=(installed-agent|logs|opt/harbor-acp))")
ENTRY = {"id": "inarch", "name": "Inarch", "version": "0", "description": "Inarch",
         "distribution": {"uvx": {"package": "inarch-acp"}}}  # fmt: skip


class FolderEnvironment(BaseEnvironment):
    """An environment that is a folder."""

    folder: Path
    root: Path

    @staticmethod
    def type() -> str:
        return "folder"

    def _validate_definition(self) -> None:
        pass

    def own(self, text: str) -> str:
        """Return a text in which the environment's absolute paths lie in the folder."""
        return OWN.sub(f"{self.folder}/", text)

    async def start(self, force_build: bool) -> None:
        for name, line in {
            "opt/harbor-acp-venv/bin/python": f'exec {sys.executable} "$@"',
            "opt/harbor-acp-venv/bin/uvx": f'shift; exec {sys.argv[3]} "$@"',
            "opt/harbor-acp-tools/uv": "exit 1",
            "bin/apt-get": "exit 0",
        }.items():
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"#!/bin/sh\n{line}\n")
            place.chmod(0o755)
        (self.folder / "opt/harbor-acp-python").mkdir()
        (self.folder / "logs/agent").mkdir(parents=True)

    async def stop(self, delete: bool) -> None:
        pass

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        place = Path(self.own(str(target_path)))
        place.parent.mkdir(parents=True, exist_ok=True)
        await asyncio.to_thread(place.write_text, self.own(Path(source_path).read_text()))  # noqa: ASYNC240

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        shutil.copytree(source_dir, self.own(str(target_dir)), dirs_exist_ok=True)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        shutil.copy(self.own(str(source_path)), target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        shutil.copytree(self.own(str(source_dir)), target_dir, dirs_exist_ok=True)

    async def exec(
        self, command: str, cwd: str | None = None, env: dict[str, str] | None = None,
        timeout_sec: int | None = None, user: str | int | None = None, **more: Any,
    ) -> ExecResult:  # fmt: skip
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        process = await asyncio.create_subprocess_exec(
            "bash", "-c", self.own(command), cwd=cwd or self.root, env=os.environ | (env or {}) | {"PATH": path},
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await asyncio.wait_for(process.communicate(), timeout_sec or 180)
        return ExecResult(stdout=out.decode(), stderr=err.decode(), return_code=process.returncode or 0)


async def main(folder: Path, root: Path, model: str, instruction: str) -> AgentContext:
    """Set the agent up, run it, and return what Harbor makes of it."""
    paths = TrialPaths(folder / "trial")
    paths.agent_dir.mkdir(parents=True)
    FolderEnvironment.folder, FolderEnvironment.root = folder / "machine", root
    environment = FolderEnvironment(root, "shop", "shop__1__env", paths, EnvironmentConfig(), logging.getLogger())
    await environment.start(force_build=False)
    agent = AcpAgent(
        logs_dir=paths.agent_dir, model_name=model, registry_entry=ENTRY, skip_model_parsing=True
    )  # fmt: skip
    context = AgentContext()
    await agent.setup(environment)
    await agent.run(instruction, environment, context)
    await environment.download_dir("/logs/agent", paths.agent_dir)
    agent.populate_context_post_run(context)
    await environment.stop(delete=True)
    return context


if __name__ == "__main__":
    found = asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[4:]))
    sys.stdout.write(f"{found.model_dump_json()}\n")
