"""Lists of tools in agent files: the tools that they grant, and the limits of each call.

The forms are those of code.claude.com/docs/en/sub-agents and of its permission rules, read 2026-11: `Read`,
`Bash(git log:*)`, `Agent(name)`, `mcp__server__tool`, `mcp__server__*`, `*`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import NamedTuple

from attrs import frozen

import inarch

_ENTRY = re.compile(r"[\s,]*([^\s,()]+)(?:\(([^()]*)\))?(?=[\s,]|$)")
_TOOL = re.compile(r"[a-z][a-z0-9_]*")
_RUNS, _TASK = frozenset({"Bash", "execute_command"}), frozenset({"Agent", "Task", "task"})
_MARKED = r"(_[0-9a-f]{8})?"  # the end of an ambiguous name of a server's tool


class Entry(NamedTuple):
    """A tool of a list, by its name in Inarch or Claude Code, and the pattern in parentheses after it."""

    name: str
    within: str = ""

    def __str__(self) -> str:
        return f"{self.name}({self.within})" if self.within else self.name

    @property
    def is_limited(self) -> bool:
        """Whether the name alone does not say which calls it covers."""
        return self.name.startswith("mcp__") or (bool(self.within) and self.within != "*")

    def tools(self, there: Collection[str] | None) -> list[str]:
        """Return the available tools that it grants, at least in part; of unknown ones those without limits."""
        if there is None:
            ours = inarch.granted_tools(self.name)
            return [name for name in ours if _TOOL.fullmatch(name)] if not self.is_limited else []
        if not self.name.startswith("mcp__"):
            ours = inarch.granted_tools(self.name) if not self.is_limited or self.name in _RUNS | _TASK else ()
            return [name for name in ours if name in there]
        words = [re.sub(r"[^A-Za-z0-9_*]", "_", word) for word in self.name.split("__")[1:]]
        wanted = "_".join([*words, *["*"][len(words) - 1 :]]).replace("*", ".*") + _MARKED
        return [name for name in there if re.fullmatch(wanted, name)]

    def covers(self, call: inarch.ToolCall, names: Iterable[str]) -> bool:
        """Return whether a call of a tool with these names may be meant; of commands, any in the line."""
        pattern = f"{self.name}__*" if re.fullmatch(r"mcp__[^_]+(_[^_]+)*", self.name) else self.name
        if not any(_fits(pattern.casefold(), name.casefold()) for name in names):
            return False
        if self.within and self.name in _TASK:
            return str(call.arguments.get("agent")) in re.split(r"[\s,]+", self.within)
        return any(_runs([self.within], call) or [True]) if self.within and self.name in _RUNS else True


def _fits(pattern: str, text: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), text, re.DOTALL) is not None


def _runs(patterns: Sequence[str], call: inarch.ToolCall) -> list[bool]:
    """Return whether each command of a line fits one of the patterns; nothing if only a shell can read the line."""
    from inarch.command_lines import split_line  # only a pattern needs it, and each start reads this module

    try:
        lines = [" ".join(part.words) for part in split_line(str(call.arguments.get("command"))).parts]
    except inarch.ToolFailed:
        return []
    whole = [pattern[:-2] for pattern in patterns if pattern.endswith((":*", " *"))]
    patterns = [*whole, *(f"{start} *" for start in whole), *patterns]
    return [any(_fits(pattern, line) for pattern in patterns) for line in lines]


def read_entries(given: object) -> tuple[list[Entry], list[str]]:
    """Return the entries of a file's list or text, and the parts that are none."""
    texts = given if isinstance(given, list) else [given]
    found: list[Entry] = []
    bad = [repr(text)[:60] for text in texts if text is not None and not isinstance(text, str)]
    for text in (text.strip(" \t\n[]\"'") for text in texts if isinstance(text, str)):
        at = 0
        while at < len(text) and (one := _ENTRY.match(text, at)) is not None:
            found.append(Entry(one[1].strip("\"'"), (one[2] or "").strip()))
            at = one.end()
        bad += [text[at:][:60]] if text[at:].strip(" ,") else []
    return [entry for entry in found if entry.name], bad


def granted(entries: Sequence[Entry], there: Collection[str] | None) -> tuple[list[str], list[str]]:
    """Return the tools that a list grants of those there, None for unknown ones, and its entries that grant none."""
    tools = {str(entry): entry.tools(there) for entry in entries}
    found = {name: None for names in tools.values() for name in names}
    if {"write_file", "patch_source_file"} <= found.keys() and (there is None or "apply_patch" in there):
        found["apply_patch"] = None  # some models edit with it alone
    return [*found], [entry for entry, names in tools.items() if not names]


@frozen
class Limit:
    """Limit of an agent's calls that the names of its tools do not express."""

    agent: str
    grants: Sequence[Entry] | None = None
    denies: Sequence[Entry] = ()

    @property
    def is_needed(self) -> bool:
        """Whether it differs from a list of names."""
        return bool(self.denies) or any(entry.is_limited for entry in self.grants or ())

    def forbids(self, call: inarch.ToolCall, tool: inarch.Tool) -> bool:
        """Return whether the agent may not make a call."""
        names = inarch.guarding_names(tool, tool.effects(call.arguments))
        if any(entry.covers(call, names) for entry in self.denies):
            return True
        if self.grants is None or call.name in granted([one for one in self.grants if not one.is_limited], None)[0]:
            return False
        limited = [entry for entry in self.grants if entry.is_limited]
        if call.name in inarch.granted_tools("Bash"):
            fit = _runs([entry.within for entry in limited if entry.name in _RUNS], call)
            return not fit or not all(fit)
        return not any(entry.covers(call, names) for entry in limited)


limits: ContextVar[tuple[Limit, ...]] = ContextVar("inarch_agents_limits", default=())
"""Limits of the running task and of those that called it. A task's turn runs in the context of its call."""


@frozen
class Limits:
    """Rewriter that denies calls beyond the limits of the running task."""

    name: str = "agent-tools"

    async def rewrite(
        self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext
    ) -> inarch.Rewrite | None:
        """Deny a call that an agent's file forbids or does not grant."""
        agent = next((limit.agent for limit in limits.get() if limit.forbids(call, tool)), "")
        if not agent:
            return None
        return inarch.Rewrite(decision="deny", reason=f"the tools of the agent {agent} do not allow this call")


def unknown(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield the entries that neither name a tool of Claude Code with a counterpart nor may name another tool."""
    for entry in entries:
        ours = inarch.granted_tools(entry.name)
        if entry.name.startswith("mcp__") or entry.name == "*":
            continue
        if not any(map(_TOOL.fullmatch, ours)) or not entry.tools(ours):
            yield str(entry)
