"""Tool that finds deferred tools of servers, which requests leave out because they are many.

The definitions are in its result, at the end of the conversation, so that its beginning stays cached. The model then
calls them as tools that came late, through `call_tool`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from attrs import define

import inarch
from inarch_lib.schemas.model_schemas import told_schema
from inarch_mcp.definitions import shown
from inarch_mcp.server_tools import OwnTool, ServerTool

SEARCH = "tool_search"
MOST_OFFERED = 40
"""Largest number of servers' tools in requests.

Choice suffers beyond 30 to 50 tools (code.claude.com/docs/en/agent-sdk/tool-search, read 2026-11).
"""
MOST_FOUND = 8
MOST_SELECTED = 30
LONGEST_INDEX = 16_000
_LINES_BELOW = 6_000
LARGEST_RESULT = 50_000
_WORD = re.compile(r"[a-z0-9]+")
_CALL = "Call a tool through call_tool, or by its name if you have no call_tool."


class HasTools(Protocol):
    """The catalog. Models with less room than `below` tokens see none of the tools that could be deferred."""

    below: int | None

    @property
    def tools(self) -> Sequence[ServerTool]:
        """Return the servers' tools."""


@define(eq=False, repr=False)
class ToolSearch(OwnTool):
    """The tool `tool_search`.

    Args:
        catalog: Has the servers' tools, which may become more.
    """

    catalog: HasTools
    name: str = SEARCH
    title: str = "Look for tools of MCP servers"
    known_as: tuple[str, ...] = ("ToolSearch",)
    timeout_s: float = 30.0

    @property
    def tools(self) -> Sequence[ServerTool]:
        """Return the servers' tools."""
        return self.catalog.tools

    @property
    def below_window(self) -> int | None:
        """Return the room from which on models do not need it, None if all do."""
        return None if any(tool.is_deferred for tool in self.tools) else self.catalog.below

    @property
    def description(self) -> str:
        """Return what it finds: the servers, with the numbers of their tools."""
        servers: dict[str, int] = {}
        for tool in self._left_out():
            servers[tool.server] = servers.get(tool.server, 0) + 1
        listed = inarch.shorten(", ".join(f"{name} ({count})" for name, count in servers.items()), 500)
        return f"Load tools of MCP servers that are not in your list: {listed}. Give words to search, or exact names."

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """Return the schema: words to search, or names."""
        return {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Words that the tool's name or description has"},
                "select": {"type": "array", "items": {"type": "string"}, "maxItems": MOST_SELECTED},
            },
            "additionalProperties": False,
        }

    def offered(self, model: str) -> bool:
        """Return whether requests leave out any tool."""
        return self.catalog.below is not None or any(tool.is_deferred for tool in self.tools)

    def effects(self, arguments: Mapping[str, Any]) -> inarch.Effects:
        """Return no effects."""
        return inarch.Effects()

    def run(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> Any:
        """Return the definitions of the tools that were selected or found.

        Raises:
            ToolFailed: Neither words nor names were given, or no name is known.
        """
        names, query = arguments.get("select") or (), str(arguments.get("query") or "").strip()
        if query.startswith("select:"):  # as in Claude Code
            names = [*names, *query.removeprefix("select:").split(",")]
        if names:
            found, missing = self._selected(names)
        elif query:
            found, missing = self._matching(query), []
        else:
            raise inarch.ToolFailed("validation", "neither query nor select is given", "give one of them")
        if not found:
            from difflib import get_close_matches

            what = f"there is no tool {', '.join(missing)}" if missing else f"no tool matches {shown(query)!r}"
            near = get_close_matches(missing[0] if missing else query[:80], [tool.name for tool in self.tools], 3, 0.4)
            raise inarch.ToolFailed("not_found", what, f"the nearest: {', '.join(near)}" if near else "try other words")
        return {**_definitions(found), **({"not found": missing} if missing else {})}

    def _left_out(self) -> list[ServerTool]:
        return [tool for tool in self.tools if tool.is_deferred or tool.least_window is not None]

    def _selected(self, names: Iterable[str]) -> tuple[list[ServerTool], list[str]]:
        known = {name: tool for tool in self.tools for name in (tool.definition.tool, *tool.known_as, tool.name)}
        wanted = [name.strip() for name in names]
        found = {known[name].name: known[name] for name in wanted if name in known}
        return list(found.values()), [shown(name) for name in wanted if name not in known]

    def _matching(self, query: str) -> list[ServerTool]:
        """Return the best matches. A word counts more if few tools have it, and if it is in the name."""
        words = set(_WORD.findall(query.lower()))
        texts = [(tool.name.lower(), _text(tool)) for tool in self.tools]
        rarity = {word: 1 / (1 + sum(word in text for _, text in texts)) for word in words}
        scores = [
            sum(rarity[word] * (3 if word in name else 1) for word in words if word in text) for name, text in texts
        ]
        ranked = sorted(zip(scores, range(len(scores)), strict=True), key=lambda pair: (-pair[0], pair[1]))
        return [self.tools[at] for score, at in ranked[:MOST_FOUND] if score > 0]


def _text(tool: ServerTool) -> str:
    arguments = tool.input_schema.get("properties") or {}
    return " ".join((tool.name, tool.definition.description, *arguments)).lower()


def _definitions(tools: Sequence[ServerTool]) -> dict[str, Any]:
    room, told, left = LARGEST_RESULT, list[dict[str, Any]](), list[str]()
    for tool in tools:
        one = {"name": tool.name, "description": tool.description, "arguments": told_schema(tool.input_schema)}
        room -= len(json.dumps(one))
        told.append(one) if room >= 0 or not told else left.append(tool.name)
    more = f" There are more, which are left out here: {', '.join(left)}." if left else ""
    return {"tools": told, "note": f"{_CALL}{more}"}


def index(tools: Sequence[ServerTool]) -> str:
    """List deferred tools, a line each; with names only, or counts, if that is too long."""
    if not tools:
        return ""
    lines = [f"- {tool.name}: {inarch.shorten(tool.definition.description.split(chr(10))[0], 80)}" for tool in tools]
    if sum(map(len, lines)) > _LINES_BELOW:
        lines = [", ".join(tool.name for tool in tools)]
    if sum(map(len, lines)) > LONGEST_INDEX:
        servers = dict.fromkeys(tool.server for tool in tools)
        lines = [f"- {server}: {sum(tool.server == server for tool in tools)} tools" for server in servers]
    return "\n".join((f"# Tools of MCP servers\nTo use one of these, load it with {SEARCH}:", *lines))


def whole(tools: Sequence[ServerTool]) -> str:
    """Describe deferred tools for a session that cannot search."""
    found = _definitions(tools)
    definitions = [json.dumps(one, ensure_ascii=False) for one in found["tools"]]
    return "\n".join((f"# Tools of MCP servers\n{found['note']}", *definitions)) if tools else ""
