"""Agent files: Markdown with front matter, of a trusted project and of the user, and the built-in agent."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

import inarch
from inarch_plugins.agents.agents import EXPLORE, READS, Agent, settings_of

PROJECTS = (".agents/agents", ".claude/agents")
_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_LONGEST_DESCRIPTION = 1_024
_MOST_BYTES = 200_000
_CALLERS_MODEL = frozenset({"", "inherit", "sonnet", "opus", "haiku"})
"""Values that mean the caller's model. The last three name one provider's models, which the caller may not have."""


def read_agents(context: inarch.PluginContext) -> dict[str, Agent]:
    """Return the agents by name. If several share a name, the first wins, a project's before the user's."""
    found: dict[str, Agent] = {}
    for source, data in _files(context):
        agent = _agent(source, data)
        first = found.get(agent.name)
        found[agent.name] = agent if first is None else evolve(first, hides=(*first.hides, source))
    if settings_of(context).builtin:
        found.setdefault(EXPLORE.name, EXPLORE)
    return found


def _files(context: inarch.PluginContext) -> Iterator[tuple[str, bytes | str]]:
    """Yield the path of every file with its bytes, or with an error."""
    brought = context.brought
    for folder in PROJECTS if brought is not None else ():
        assert brought is not None
        for name in brought.names(folder):
            if name.endswith(".md"):
                data = brought.read(name)
                yield name, "has changed since the project was trusted" if data is None else data
    if context.user is not None:
        for name in context.user.names("agents"):
            if name.endswith(".md"):
                yield _shown(context.user.place(name)), _users(context.user, name)
    home = Path(context.environ.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111 - raises nothing without a home
    own = home / ".agents/agents"
    for path in sorted(own.glob("**/*.md")) if context.user is not None and own.is_dir() else ():
        yield _shown(str(path)), _read(path)


def _users(folder: inarch.KeptFolder, name: str) -> bytes | str:
    try:
        return folder.read(name) or b""
    except inarch.ToolFailed as error:
        return error.message


def _read(path: Path) -> bytes | str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES + 1)
    except OSError as error:
        return f"can't be read: {error.strerror}"


def _shown(path: str) -> str:
    home = os.path.expanduser("~")  # noqa: PTH111 - raises nothing without a home
    return f"~{path.removeprefix(home)}" if path.startswith(f"{home}/") else path


def _agent(source: str, data: bytes | str) -> Agent:
    """Return the agent of a file. If the file is invalid, the agent has a fault and the file's name."""
    stem = Path(source).stem
    try:
        if isinstance(data, str):
            raise inarch.ToolFailed("validation", data)
        if len(data) > _MOST_BYTES:
            raise inarch.ToolFailed("validation", f"has more than {_MOST_BYTES:,} bytes")
        keys, body = inarch.split_front_matter(data.decode())
        return _parsed(source, stem, keys, body)
    except UnicodeDecodeError:
        fault = "is not UTF-8 text"
    except inarch.ToolFailed as error:
        fault = f"{error.message}: {error.remedy}" if error.remedy else error.message
    return Agent(stem, "", "", source=source, fault=f"{source}: {fault}")


def _parsed(source: str, stem: str, keys: Mapping[str, Any], body: str) -> Agent:
    """Make an agent from a file's keys. Unknown keys are ignored, except those that forbid tools.

    Raises:
        ToolFailed: A value is invalid.
    """
    name, description = _text(keys, "name") or stem, _text(keys, "description")
    if re.fullmatch(_NAME, name) is None:
        raise _wrong(f"{name!r} is not a valid name", "use up to 64 letters, digits, - and _")
    if not description or len(description) > _LONGEST_DESCRIPTION:
        raise _wrong("no description" if not description else "the description is too long", "describe when to use it")
    for key in keys:
        if key != "tools" and "tool" in key.casefold() and keys[key]:
            raise _wrong(f"unknown key {key}", "list the allowed tools in `tools`")
    isolation = _text(keys, "isolation")
    if isolation not in ("", "worktree"):
        raise _wrong(f"isolation is {isolation!r}, so the agent would change the project itself", "write worktree")
    tools, model = _tools(keys["tools"]) if "tools" in keys else None, _text(keys, "model")
    most = keys.get("maxTurns")
    if most is not None and (type(most) is not int or most < 1):
        raise _wrong(f"maxTurns is {most!r}", "write a number above 0")
    return Agent(
        name, description, body.strip(), tools, "" if model in _CALLERS_MODEL else model,
        _text(keys, "permissionMode") == "plan" or (tools is not None and READS.issuperset(tools)),
        most, _text(keys, "effort"), source, has_tree=isolation == "worktree",
    )  # fmt: skip


def _text(keys: Mapping[str, Any], name: str) -> str:
    value = keys.get(name)
    if value is not None and not isinstance(value, str):
        raise _wrong(f"{name} is {value!r:.60}", "write a string")
    return (value or "").strip()


def _tools(given: object) -> tuple[str, ...] | None:
    """Return Inarch's names of the tools in a file's list or comma-separated text, or None for all tools."""
    names = [name.strip() for name in given.split(",")] if isinstance(given, str) else given or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _wrong(f"tools is {given!r:.60}", "write names of tools, separated by commas")
    if names == ["*"]:
        return None
    return tuple(dict.fromkeys(ours for name in names if name for ours in inarch.granted_tools(name)))


def _wrong(message: str, remedy: str) -> inarch.ToolFailed:
    return inarch.ToolFailed("validation", message, remedy)
