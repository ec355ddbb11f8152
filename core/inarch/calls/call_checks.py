"""Checks before a call is judged: known tool, repaired and valid arguments, declared effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch.calls.attempt import broke_contract, from_error
from inarch.calls.offered_tools import GATEWAY, modes_of
from inarch.calls.rules import PATH_ARGUMENTS
from inarch.contract.errors import InarchError, PluginError, ToolFailed
from inarch.contract.guard import guarded
from inarch.contract.ports import Tool
from inarch.contract.records import Effects, ToolError
from inarch_lib.schemas.repair import read_relative, repair_and_tell
from inarch_lib.schemas.validation import BrokenSchema, Schema, expected
from inarch_sdk.bounds import fault_of
from inarch_sdk.result_text import READ_AS_ADDED, READ_AS_RELATIVE

if TYPE_CHECKING:
    from inarch.calls.live_call import LiveCall
    from inarch.plugins.registration import Bound


_OF_THE_WORKSPACE = ("file", "search", "git", "trace")
"""Categories of tools whose paths belong to the workspace; paths of other tools may be anywhere."""


@define(eq=False, repr=False)
class Preparation:
    """Repair and validation of calls against the tools of a composition; schemas are compiled once."""

    tools: Mapping[str, Bound[Tool]]
    root: str
    added: Sequence[str] = ()
    _schemas: dict[str, Schema] = field(init=False, factory=dict)

    def repaired(self, bound: Bound[Tool] | None, arguments: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return a call's arguments in the form the tool expects, and what was repaired.

        Arguments that are not an object after repair, or cannot be recorded, go under the key `""`, which validation
        refuses.
        """
        told: tuple[str, ...] = ()
        if not (fault := fault_of(arguments)):
            if bound is not None:
                arguments, told = repair_and_tell(arguments, bound.value.input_schema)
            fault = fault_of(arguments)  # texts may have been parsed into lists and objects
        if fault:
            return {"": f"left out: {fault}"}, ()
        arguments = dict(arguments) if isinstance(arguments, Mapping) else {"": arguments}
        if bound is not None and bound.value.category in _OF_THE_WORKSPACE:
            absolute = read_relative(arguments, PATH_ARGUMENTS, self.root)
            told += tuple(f"{name}: {READ_AS_RELATIVE}" for name in absolute)
            for folder in self.added:
                absolute = read_relative(arguments, PATH_ARGUMENTS, folder, f"+{folder}")
                told += tuple(f"{name}: {READ_AS_ADDED}" for name in absolute)
        return arguments, told

    def checked(self, live: LiveCall) -> ToolError | None:
        """Set the call's effects; return why it cannot run, or None if it can."""
        if live.bound is None:
            return self._unknown(live.call.name)
        tool, arguments = live.bound.value, live.call.arguments
        # So `repaired` marks arguments that are not an object.
        if list(arguments) == [""]:
            shown = repr(arguments[""])[:200]
            return ToolError("validation", f"{tool.name}: the arguments are not a JSON object: {shown}")
        schema = self._schemas.get(tool.name)
        if schema is None:
            schema = self._schemas[tool.name] = Schema(tool.input_schema)
        try:
            if faults := schema.faults(arguments):
                how = f"expected {expected(tool.name, schema.source)}"
                return ToolError("validation", f"{tool.name}: {'; '.join(faults)}", how)
            live.effects = declared_effects(live.bound, arguments)
        except BrokenSchema as error:
            return broke_contract(live.bound.plugin, tool.name, f"has a broken input schema: {error}").error
        except InarchError as error:
            return from_error(error, live.bound.plugin, tool.name).error
        return None

    def _unknown(self, name: str) -> ToolError:
        if name == GATEWAY.name:
            return ToolError("validation", f"{name} takes `name` and `arguments`", "give it these two and nothing else")
        if (bound := self.tools.get(name)) is not None:
            return ToolError(
                "not_found", f"{name} is offered in the approval mode {', '.join(modes_of(bound.value))} only"
            )
        from inarch_sdk.suggestions import closest

        near = closest(name, self.tools)
        nearest = f"did you mean {near!r}? " if near else ""
        some = ", ".join(sorted(self.tools)[:40]) or "none"
        return ToolError("not_found", f"there is no tool {name!r}", f"{nearest}tools: {some}")


def declared_effects(bound: Bound[Tool], arguments: Mapping[str, Any]) -> Effects:
    """Return what a call declares to read and write.

    Raises:
        ToolFailed: The tool refused the arguments.
        PluginError: The tool's `effects` raised something else, or returned no `Effects`.
    """
    with guarded(bound.plugin, "tool", passes=(ToolFailed,)):
        effects = bound.value.effects(arguments)
        if not isinstance(effects, Effects):
            what = f"declared effects that are not an Effects: {effects!r}"
            raise PluginError(f"tool {bound.value.name!r} of plugin {bound.plugin!r} {what}", plugin=bound.plugin)
    return effects
