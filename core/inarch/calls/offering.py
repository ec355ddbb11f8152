"""Which tools there are in an approve mode. Every start asks; what judges calls is loaded with the first call."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from inarch.contract.capabilities import ForModes, able
from inarch.contract.ports import Tool
from inarch.contract.records import ToolSpec

GATEWAY = ToolSpec(
    "call_tool",
    "Call a tool that a later message introduced.",
    {
        "type": "object",
        "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    },
)
"""Reaches tools that came after the conversation began: its list of tools stays what it was."""


def modes_of(tool: Tool) -> Collection[str]:
    """Return the approve modes in which there is such a tool; empty for all."""
    chosen = able(tool, ForModes)
    return () if chosen is None else chosen.modes


def is_offered(tool: Tool, mode: str) -> bool:
    """Whether there is such a tool in an approve mode."""
    modes = modes_of(tool)
    return not modes or mode in modes


def called(name: str, arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return name and arguments of the tool that a call means: for one of the gateway, those that it carries."""
    if name == GATEWAY.name and set(arguments) == {"name", "arguments"} and isinstance(arguments["name"], str):
        within = arguments["arguments"]
        return arguments["name"], within if isinstance(within, Mapping) else {"": within}
    return name, arguments
