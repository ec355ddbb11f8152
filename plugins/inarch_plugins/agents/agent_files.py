"""Agent files: Markdown with front matter, of a trusted project and of the user, and the built-in agent."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

import inarch
from inarch_lib.bundles import enabled
from inarch_lib.foreign_models import means_model_in_use
from inarch_plugins.agents.agents import EXPLORE, READS, Agent, settings_of
from inarch_plugins.agents.tool_lists import Entry, granted, read_entries, unknown

PROJECTS = (".agents/agents", ".claude/agents")
_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_LONGEST_DESCRIPTION = 1_024
_MOST_BYTES = 200_000
_UNUSED = ("background", "initialPrompt", "mcpServers", "memory", "skills")
"""Keys of Claude Code that change how an agent works there (code.claude.com/docs/en/sub-agents, read 2026-11)."""
_ABOUT_TOOLS = re.compile(r"\s+[\"']?(dis)?(allowed)?[-_]?tools\W?\s*:", re.IGNORECASE)


def read_agents(context: inarch.PluginContext) -> dict[str, Agent]:
    """Return the agents by name. If several share a name, the first wins, a project's before the user's."""
    found: dict[str, Agent] = {}
    for source, data in _files(context):
        agent = _agent(source, data)
        first = found.get(agent.name)
        found[agent.name] = agent if first is None else evolve(first, hides=(*first.hides, source))
    for bundle in enabled(context.state_dir, context.brought):
        for path in (one for one in bundle.names("agents") if one.endswith(".md")):
            kept = bundle.read(path)
            agent = _agent(bundle.place(path), "has changed since the bundle was added" if kept is None else kept)
            found.setdefault(name := f"{bundle.name}:{agent.name}", evolve(agent, name=name))
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
        text, remarks = data.decode(), list[str]()
        keys, body = inarch.split_front_matter(text, remarks)
        agent = _parsed(source, stem, keys, body.strip(), remarks)
        lines = text[: len(text) - len(body)].splitlines() if remarks and agent.grants is None else ()
        if any(map(_ABOUT_TOOLS.match, lines)):  # it may be meant as the list
            return evolve(agent, grants=(), remarks=(*remarks, "an indented line is about tools, so it has none"))
        return evolve(agent, remarks=tuple(remarks))
    except UnicodeDecodeError:
        fault = "is not UTF-8 text"
    except inarch.ToolFailed as error:
        fault = f"{error.message}: {error.remedy}" if error.remedy else error.message
    return Agent(stem, "", "", source=source, fault=f"{source}: {fault}")


def _parsed(source: str, stem: str, keys: Mapping[str, Any], body: str, remarks: list[str]) -> Agent:
    """Make an agent from a file's keys. Ignored values that would have a meaning are appended to `remarks`."""
    name, description = _name(keys, stem, remarks), " ".join(_said(keys, "description").split())
    if not description:
        raise _wrong("no description", "describe when to use it")
    if len(description) > _LONGEST_DESCRIPTION:
        remarks.append(f"the description is cut after {_LONGEST_DESCRIPTION:,} characters")
    isolation = _text(keys, "isolation")
    if isolation not in ("", "worktree"):
        raise _wrong(f"isolation is {isolation!r}, so the agent would change the project itself", "write worktree")
    grants, denies = _lists(keys, remarks)
    model, mode, most = _text(keys, "model"), _text(keys, "permissionMode"), keys.get("maxTurns")
    if most is not None and (type(most) is not int or most < 1):
        raise _wrong(f"maxTurns is {most!r}", "write a number above 0")
    is_callers = means_model_in_use(model)
    remarks += [f"the model {model} is its caller's here"] if is_callers and "-" in model else []
    ignored = [key for key in _UNUSED if keys.get(key)] + ["permissionMode"] * (mode not in ("", "default", "plan"))
    remarks += [f"{', '.join(ignored)}: ignored"] if ignored else []
    plain = grants is not None and not any(entry.is_limited for entry in grants)
    reads = plain and READS.issuperset(granted(grants or (), None)[0])
    return Agent(
        name, description[:_LONGEST_DESCRIPTION], body, grants, "" if is_callers else model,
        mode == "plan" or reads, most, _text(keys, "effort"), source, has_tree=isolation == "worktree", denies=denies,
        keys=keys,
    )  # fmt: skip


def _name(keys: Mapping[str, Any], stem: str, remarks: list[str]) -> str:
    given = _said(keys, "name") or stem
    if re.fullmatch(_NAME, given) is not None:
        return given
    for one in (given, stem):
        plain = unicodedata.normalize("NFKD", one.casefold()).encode("ascii", "ignore").decode()
        if name := re.sub(r"[^a-z0-9_]+", "-", plain).strip("-_")[:64]:
            remarks.append(f"the name {given[:80]!r} is {name} here")
            return name
    raise _wrong(f"{given!r:.80} is not a valid name", "use up to 64 letters, digits, - and _")


def _said(keys: Mapping[str, Any], name: str) -> str:
    """Return a text for people; one that YAML reads as a number or a list as it was written, about."""
    value = keys.get(name)
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return "" if value is None else str(value).strip()


def _text(keys: Mapping[str, Any], name: str) -> str:
    value = keys.get(name)
    if value is not None and not isinstance(value, str):
        raise _wrong(f"{name} is {value!r:.60}", "write a string")
    return (value or "").strip()


def _lists(keys: Mapping[str, Any], remarks: list[str]) -> tuple[tuple[Entry, ...] | None, tuple[Entry, ...]]:
    """Return the tools that an agent may use, None for all, and those that it may not; none if a list is unreadable."""
    grants: tuple[Entry, ...] | None = None
    denies: tuple[Entry, ...] = ()
    for key, given in keys.items():
        plain = re.sub("[-_]", "", key.casefold())
        if plain not in ("tools", "allowedtools", "disallowedtools"):
            if "tool" in plain and given:
                raise _wrong(f"unknown key {key}", "list the allowed tools in `tools`")
            continue
        found, bad = read_entries(given)
        remarks += [f"{key}: {', '.join(bad)[:200]} can't be read"] if bad else []
        if plain == "disallowedtools":
            denies += tuple(found)
            grants = () if bad or _all(found) else grants
            continue
        missing = [*unknown(found)]
        remarks += [f"{key}: Inarch has no {', '.join(missing)[:500]}"] if missing else []
        if not _all(found):
            grants = tuple(one for one in found if grants is None or one in grants)
    return grants, denies


def _all(entries: Iterable[Entry]) -> bool:
    return any(entry.name == "*" for entry in entries)


def _wrong(message: str, remedy: str) -> inarch.ToolFailed:
    return inarch.ToolFailed("validation", message, remedy)
