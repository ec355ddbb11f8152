"""A trusted project, and conversations there through the command line, whose model plays a script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MODEL = '''
import json
import time

import inarch
from inarch.testing import ScriptedModel, calls, says

@inarch.tool(effects=lambda arguments: inarch.Effects())
def pause(seconds: float) -> str:
    """Wait."""
    time.sleep(seconds)
    return "waited"


@inarch.hookimpl
def inarch_tools(context):
    return [pause]


steps = [calls(*map(tuple, step)) if step else says("done") for step in json.loads({script!r})]

@inarch.hookimpl
def inarch_models(context):
    return [ScriptedModel(steps, "played")]
'''

FAKE = Path(__file__).with_name("lsp_fake_server.py")


class Desk:
    """A project of a user's."""

    def __init__(self, home: Path) -> None:
        self.home, self.root = home, home / "root"
        self.config, self.tools = home / "config" / "inarch", home / "tools"
        for folder in (self.root, self.config, self.tools):
            folder.mkdir(parents=True)
        (self.root / "AGENTS.md").write_text("Be brief.\n")
        self.path = [str(self.tools), "/usr/bin", "/bin"]
        self.settings: dict[str, Any] = {}

    @property
    def environ(self) -> dict[str, str]:
        """The variables of the user's."""
        places = {f"XDG_{name}_HOME": str(self.home / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
        return {"HOME": str(self.home), "PATH": os.pathsep.join(self.path), **places}

    def write(self, name: str, text: str) -> None:
        """Write a file of the project."""
        (self.root / name).write_text(text)

    def server(self, mode: str, *words: str) -> None:
        """Have a server of the user's that behaves in some way, for files that end in `.txt`."""
        program = self.tools / "fake-server"
        program.write_text(f"#!{sys.executable}\n{FAKE.read_text()}")
        program.chmod(0o755)
        server = {"command": "fake-server", "args": [mode, *words], "languages": {".txt": "text"}}
        self.settings = {"wait_s": 10.0, "servers": {"plain": server}}

    def trust(self) -> None:
        """Trust the project as it stands."""
        assert self.run("config", "trust", "--yes").returncode == 0

    def command(self, *words: str) -> list[str]:
        """Return a command line of Inarch."""
        return [sys.executable, "-P", "-m", "inarch", *words]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run Inarch to its end."""
        return subprocess.run(
            self.command(*words), cwd=self.root, env=self.environ, capture_output=True, text=True, timeout=120
        )

    def playing(self, steps: Sequence[Sequence[tuple[str, dict[str, Any]]]]) -> list[str]:
        """Return the command line of a turn whose model plays steps: calls, and an answer for a step without."""
        (self.home / "played.py").write_text(MODEL.format(script=json.dumps([*steps, []])))
        plain = {key: value for key, value in self.settings.items() if key != "servers"}
        lines = ['[profiles.default]\nplugins = ["...", "lsp"]\n[plugins.lsp]\n']
        lines += [f"{key} = {json.dumps(value)}\n" for key, value in plain.items()]
        for name, server in self.settings.get("servers", {}).items():
            lines.append(f"[plugins.lsp.servers.{name}]\n")
            lines += [f"{key} = {_toml(value)}\n" for key, value in server.items()]
        (self.config / "config.toml").write_text("".join(lines))
        options = ["--plugin", str(self.home / "played.py"), "--model", "played/script", "--approve", "all"]
        return self.command(*options, "--output", "jsonl", "go")

    def talk(self, *steps: Sequence[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
        """Have a turn and return its events."""
        done = subprocess.run(
            self.playing(steps), cwd=self.root, env=self.environ, capture_output=True, text=True, timeout=180
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(key)} = {json.dumps(one)}' for key, one in value.items())}}}"
    return json.dumps(value)


def said(events: Sequence[dict[str, Any]]) -> list[str]:
    """Return what the plugin added to results."""
    return [event["data"]["text"] for event in events if event["kind"] == "call.reviewed"]


def edit(path: str, old: str, new: str) -> tuple[str, dict[str, Any]]:
    """Return a call that changes a file."""
    return "patch_source_file", {"file_path": path, "search": old, "replace": new, "description": "a test"}


def read(path: str) -> tuple[str, dict[str, Any]]:
    """Return a call that reads a file, as an edit wants it."""
    return "read_file", {"file_path": path}
