"""Tools of a session: those of an approval mode, and those shown to a model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any

from attrs import define, field

from inarch.contract.capabilities import Choosy, ForLittleRoom, ForModes, NeedsRoom, able
from inarch.contract.errors import PluginError
from inarch.contract.guard import guarded
from inarch.contract.ports import Tool
from inarch.contract.records import ToolSpec
from inarch.plugins.registration import Bound

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
"""Gateway to tools that arrived after the conversation began, whose own tool list stays unchanged."""


def modes_of(tool: Tool) -> Collection[str]:
    """Return the approval modes that offer a tool; empty for all."""
    chosen = able(tool, ForModes)
    return () if chosen is None else chosen.modes


def is_offered(tool: Tool, mode: str) -> bool:
    """Return whether an approval mode offers a tool."""
    modes = modes_of(tool)
    return not modes or mode in modes


def called(name: str, arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return name and arguments of the tool that a call means; for the gateway, those that it carries."""
    if name == GATEWAY.name and set(arguments) == {"name", "arguments"} and isinstance(arguments["name"], str):
        within = arguments["arguments"]
        return arguments["name"], within if isinstance(within, Mapping) else {"": within}
    return name, arguments


@define(eq=False, repr=False)
class OfferedTools:
    """Available tools of a session.

    `now` are those of the present approval mode. `find_late` also returns tools added since; None if none can be added.
    With a gateway, tools may be called that requests do not list.
    """

    now: tuple[ToolSpec, ...]
    find: Callable[[str | None], tuple[ToolSpec, ...]]
    find_late: Callable[[], Mapping[str, Bound[Tool]]] | None
    by_name: Mapping[str, Bound[Tool]]
    has_gateway: bool = True
    _told: dict[tuple[str, int | None], tuple[ToolSpec, ...]] = field(init=False, factory=dict)

    def enter_mode(self, mode: str) -> None:
        """Switch to the tools of an approval mode."""
        self.now = self.find(mode)

    def take_late(self) -> Mapping[str, Bound[Tool]]:
        """Return the tools added since the last call.

        Raises:
            PluginError: A plugin failed to list them, or returned something else.
        """
        found = {} if self.find_late is None else self.find_late()
        new = {name: bound for name, bound in found.items() if name not in self.by_name}
        if new:
            self.by_name = found
            self._told.clear()
        return new

    def for_model(self, model: str, window: int | None) -> tuple[ToolSpec, ...]:
        """Return the tools for a model, given its full name and its context window in tokens.

        They include the tools of all approval modes, because the mode is checked when a tool is called. A tool that
        fails to say whether it fits the model is included.
        """
        told = self._told.get((model, window))
        if told is None:
            found = self.find(None)
            told = tuple(spec for spec in found if self._is_offered(spec.name, model, window))
            # A plugin's tool of the same name replaces this one.
            if found and GATEWAY.name not in self.by_name and self.has_gateway:
                told = (*told, GATEWAY)
            self._told[model, window] = told
        return told

    def _is_offered(self, name: str, model: str, window: int | None) -> bool:
        tool = self.by_name.get(name)
        if tool is None:  # the composition has added it since
            return True
        with suppress(PluginError), guarded(tool.plugin, "tool", passes=()):
            roomy, choosy = able(tool.value, NeedsRoom), able(tool.value, Choosy)
            if window is not None and roomy is not None and window < roomy.least_window:
                return False
            if (little := able(tool.value, ForLittleRoom)) and (window is None or window >= little.below_window):
                return False
            return choosy is None or bool(choosy.offered(model))
        return True
