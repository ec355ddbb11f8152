"""What other tools have: servers, agents, commands, skills, hooks, permissions and instructions.

Places and formats, seen in November 2026: code.claude.com/docs/en/mcp and /settings, cursor.com/docs/context/mcp,
code.visualstudio.com/docs/agents/reference/mcp-configuration, and codex-rs/config/src/mcp_types.rs of openai/codex.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

import inarch
from inarch_lib.toml import loads

_MOST_BYTES = 50_000_000
_NOT_JSON = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])')
_TABLES = ("mcpServers", "servers", "mcp_servers")
_OF_PROJECTS = (".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".codex/config.toml")
_USERS = (
    ".cursor/mcp.json",
    ".config/Code/User/mcp.json",
    "Library/Application Support/Code/User/mcp.json",
    ".config/Claude/claude_desktop_config.json",
    "Library/Application Support/Claude/claude_desktop_config.json",
)


@frozen
class Item:
    """One thing of another tool.

    Args:
        kind: `mcp`, `agents`, `commands`, `skills`, `instructions`, `hooks` or `permissions`.
        name: Its name among those of its kind.
        source: The file, as shown.
        place: The file, or a skill's folder.
        content: A server's table, or the value of `hooks` or `permissions`.
        inputs: Values that a server's file asks for, by id.
        project: The root of the project that has it; empty for the user's own.
    """

    kind: str
    name: str
    source: str
    place: Path
    content: Mapping[str, Any] = field(factory=dict)
    inputs: Mapping[str, Any] = field(factory=dict)
    project: str = ""

    @property
    def label(self) -> str:
        """The words that select it."""
        return f"{self.kind}:{self.name}"


def find_items(context: inarch.PluginContext, told: list[str]) -> list[Item]:
    """Return what can be imported, the user's own first; unreadable files are appended to `told`."""
    home = Path(context.environ.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111 - raises nothing without a home
    claude, codex = home / ".claude", Path(context.environ.get("CODEX_HOME") or home / ".codex")
    found = [*_servers(home / ".claude.json", context.root, told), *_servers(codex / "config.toml", "", told)]
    for name in _USERS:
        found += _servers(home / name, "", told)
    found += _files("agents", claude / "agents")
    found += [*_files("commands", claude / "commands"), *_files("commands", codex / "prompts")]
    for folder in (claude / "skills", codex / "skills"):
        found += [
            Item("skills", one.parent.name, shown(one.parent), one.parent) for one in _globbed(folder, "*/SKILL.md")
        ]
    found += [
        Item("instructions", place.name, shown(place), place)
        for place in (claude / "CLAUDE.md", codex / "AGENTS.md")
        if place.is_file()
    ]
    settings = read_table(claude / "settings.json", told)
    for kind in ("hooks", "permissions"):
        if isinstance(content := settings.get(kind), dict) and content:
            found.append(Item(kind, "claude", shown(claude / "settings.json"), claude / "settings.json", content))
    for name in _OF_PROJECTS:
        found += servers_of(Path(context.root, name), told, context.root)
    return found


def servers_of(path: Path, told: list[str], project: str = "") -> list[Item]:
    """Return the servers of a file; one that is missing has none."""
    data = read_table(path, told)
    inputs = {one["id"]: one for one in data.get("inputs") or () if isinstance(one, dict) and "id" in one}
    return [
        Item("mcp", name, shown(path), path, entry, inputs, project)
        for table in _TABLES
        if isinstance(entries := data.get(table), dict)
        for name, entry in entries.items()
        if isinstance(entry, dict)
    ]


def _servers(path: Path, root: str, told: list[str]) -> Iterator[Item]:
    yield from servers_of(path, told)
    projects = read_table(path, []).get("projects") if root else None  # Claude Code's local scope
    own = projects.get(root) if isinstance(projects, dict) else None
    for name, entry in (own.get("mcpServers") or {}).items() if isinstance(own, dict) else ():
        if isinstance(entry, dict):
            yield Item("mcp", name, shown(path), path, entry)


def read_table(path: Path, told: list[str]) -> dict[str, Any]:
    """Return the table of a TOML file, or of a JSON file with comments; empty if it is missing or unreadable."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError(f"it is larger than {_MOST_BYTES:,} bytes")
        text = path.read_text("utf-8-sig")
        found = loads(text) if path.suffix == ".toml" else _loads_json(text)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        told.append(f"{shown(path)} can't be read: {getattr(error, 'strerror', None) or error}")
        return {}
    return found if isinstance(found, dict) else {}


def _loads_json(text: str) -> Any:
    """Return the value of JSON that may have comments and last commas."""
    for pattern in (_NOT_JSON, _LAST_COMMA):
        text = pattern.sub(lambda found: found[0] if found[0][0] == '"' else "", text)
    return json.loads(text or "null")


def _files(kind: str, folder: Path) -> list[Item]:
    places = _globbed(folder, "**/*.md")
    return [Item(kind, one.relative_to(folder).as_posix().removesuffix(".md"), shown(one), one) for one in places]


def _globbed(folder: Path, pattern: str) -> list[Path]:
    return sorted(one for one in folder.glob(pattern) if one.is_file())


def shown(path: Path) -> str:
    """Return a path with `~` for the home folder."""
    home = os.path.expanduser("~")  # noqa: PTH111 - raises nothing without a home
    text = str(path)
    return f"~{text.removeprefix(home)}" if text.startswith(f"{home}/") else text
