"""The agents: how each offers reading, changing and running to a model, how it is configured, and how it is started."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import frozen
from script import Want

PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
"""Where programs are looked for: `python3` is that of the benchmark, never a shim, which may need the caller's home."""
Called = tuple[str, dict[str, Any]]

_REPLACE = """python3 - <<'END'
import pathlib
file = pathlib.Path({path!r})
file.write_text(file.read_text().replace({old!r}, {new!r}))
END"""


@frozen
class Agent:
    """An agent that is measured.

    Args:
        name: What the table calls it.
        program: What is on the PATH.
        source: Where it comes from, for whoever hasn't it.
        called: A want as the name and the arguments of one of the agent's tools; None where it is plain text.
        prepare: Writes the configuration in a home folder, for a server.
        argv: The program's arguments for a prompt.
        env: What it needs in the environment, by the home and the server.
    """

    name: str
    program: str
    source: str
    called: Callable[[Want], Called | None]
    prepare: Callable[[Path, str], None]
    argv: Callable[[str], list[str]]
    env: Callable[[str], dict[str, str]] = lambda url: {}

    @property
    def place(self) -> str | None:
        """Where the program is."""
        return shutil.which(self.program, path=PATH)


def _by_tools(
    read: tuple[str, str], edit: tuple[str, Callable[[Want], dict[str, Any]]], run: tuple[str, str]
) -> Callable[[Want], Called | None]:
    """Return what makes calls of an agent's tools: by name, with an argument's name or what makes all."""

    def called(want: Want) -> Called | None:
        match want.kind:
            case "read":
                return read[0], {read[1]: want.path}
            case "edit":
                return edit[0], edit[1](want)
            case "run":
                return run[0], {run[1]: want.text}
        return None

    return called


_INARCH = _by_tools(
    ("read_file", "file_path"),
    ("patch_source_file", lambda want: {"file_path": want.path, "search": want.old, "replace": want.new}),
    ("execute_command", "command"),
)
_PI = _by_tools(
    ("read", "path"),
    ("edit", lambda want: {"path": want.path, "edits": [{"oldText": want.old, "newText": want.new}]}),
    ("bash", "command"),
)
_VIBE = _by_tools(
    ("read_file", "path"),
    ("edit", lambda want: {"file_path": want.path, "old_string": want.old, "new_string": want.new}),
    ("bash", "command"),
)


def _bash(want: Want) -> Called:
    """Everything by a shell, the last words too: that is all mini-swe-agent has."""
    commands = {
        "read": f"cat {want.path}",
        "edit": _REPLACE.format(path=want.path, old=want.old, new=want.new),
        "run": want.text,
        "say": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
    }
    return "bash", {"command": commands[want.kind]}


def _inarch_home(home: Path, url: str) -> None:
    place = home / ".config" / "inarch"
    place.mkdir(parents=True)
    (place / "config.toml").write_text(
        '[profiles.default]\nmodel = "openai-compatible/scripted"\n'
        f'[plugins.openai-compatible]\nbase_url = "{url}"\ncontext_tokens = 128000\n'
    )


def _pi_home(home: Path, url: str) -> None:
    model = {"id": "scripted", "name": "scripted", "input": ["text"], "contextWindow": 128_000, "maxTokens": 8_000,
             "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}  # fmt: skip
    provider = {"baseUrl": url, "api": "openai-completions", "apiKey": "none", "models": [model]}
    place = home / ".pi" / "agent"
    place.mkdir(parents=True)
    (place / "models.json").write_text(json.dumps({"providers": {"bench": provider}}))


def _vibe_home(home: Path, url: str) -> None:
    place = home / ".vibe"
    place.mkdir(parents=True)
    (place / "config.toml").write_text(
        'active_model = "scripted"\nenable_telemetry = false\nenable_update_checks = false\n'
        f'[[providers]]\nname = "bench"\napi_base = "{url}"\napi_key_env_var = "OPENAI_API_KEY"\nbackend = "generic"\n'
        '[[models]]\nname = "scripted"\nprovider = "bench"\nalias = "scripted"\n'
    )


AGENTS = {
    agent.name: agent
    for agent in (
        Agent("inarch", "inarch", "this checkout", _INARCH, _inarch_home,
              lambda prompt: ["--quiet", "--approve", "all", prompt]),
        Agent("mini-swe-agent", "mini", "pip install mini-swe-agent", _bash, lambda home, url: None,
              lambda prompt: ["-y", "--exit-immediately", "-l", "0", "-m", "openai/scripted", "-t", prompt],
              lambda url: {"OPENAI_API_BASE": url, "MSWEA_CONFIGURED": "true",
                           "MSWEA_COST_TRACKING": "ignore_errors", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}),
        Agent("pi", "pi", "npm install -g @mariozechner/pi-coding-agent", _PI, _pi_home,
              lambda prompt: ["-p", "--offline", "--provider", "bench", "--model", "scripted", prompt]),
        Agent("vibe", "vibe", "pip install mistral-vibe", _VIBE, _vibe_home,
              lambda prompt: ["--trust", "--auto-approve", "--output", "text", "-p", prompt]),
    )
}  # fmt: skip


def environment(agent: Agent, home: Path, url: str) -> dict[str, str]:
    """Return the environment of an agent: a home of its own, no key but a made-up one, no trace of the caller's."""
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "PATH": PATH,
        "HOME": str(home),
        "OPENAI_API_KEY": "none",
        "PYTHONDONTWRITEBYTECODE": "1",
        **agent.env(url),
    }
