"""What a plugin registered, as plain data: the child describes its objects, the kernel makes proxies of that."""

from __future__ import annotations

import inspect
from typing import Any

from inarch import Effects, FunctionTool, to_data
from inarch.host import OPTIONAL, Offered, guarded, patience_of
from inarch_sdk.settings_schema import table_schema

TOOL_MEMBERS = (
    "name", "description", "category", "input_schema", "output_schema", "timeout_s", "max_retries",
    "requires_confirmation", "receives_secrets",
)  # fmt: skip
TOOL_EXTRAS = ("modes", "text", "least_window", "for_a_watcher", "known_as")
MODEL_MEMBERS = ("name", "default_model", "default_decision_model")


def described(plugin: str, offered: Offered) -> dict[str, Any]:
    """Return everything about a plugin that the kernel needs to know."""
    offers = {kind: [_object(kind, value) for value in values] for kind, values in offered.offers.items()}
    settings = None
    if offered.settings is not None:
        with guarded(plugin, "settings"):
            schema = table_schema(type(offered.settings))
        settings = {"schema": schema, "values": _values(offered.settings)}
    return {"op": "ready", "hooks": list(offered.hooks), "offers": offers, "settings": settings}


def _object(kind: str, value: Any) -> dict[str, Any]:
    data: dict[str, Any] = {"name": str(value.name)}
    if kind == "tools":
        data = {member: to_data(getattr(value, member)) for member in TOOL_MEMBERS}
        data["effects"] = _constant_effects(value)
        data["plain"] = {name: to_data(getattr(value, name)) for name in TOOL_EXTRAS if hasattr(value, name)}
    elif kind == "models":
        data = {member: getattr(value, member) for member in MODEL_MEMBERS}
    elif kind == "slash_commands":
        data |= {member: getattr(value, member) for member in ("help", "words", "at_once", "asks")}
    elif kind == "events":
        data |= {"help": value.help, "schema": to_data(value.schema)}
    elif kind in ("rewriters", "reviewers", "end_guards"):
        data["timeout_s"] = patience_of(value)
    data["offers"] = [name for name in OPTIONAL.get(kind, ()) if _has(value, name)]
    return data


def _has(value: Any, name: str) -> bool:
    if name == "shape" and isinstance(value, FunctionTool):
        return value.shape_rule is not None
    if name == "offered" and isinstance(value, FunctionTool):
        return value.offered_rule is not None
    if name == "preview" and isinstance(value, FunctionTool):
        return value.preview_rule is not None
    return callable(getattr(value, name, None))


def _constant_effects(tool: Any) -> Any:
    """Return the effects that every call has, where that is known without asking."""
    if isinstance(tool, FunctionTool) and isinstance(tool.effects_rule, Effects):
        return to_data(tool.effects_rule)
    return None


def _values(settings: Any) -> dict[str, Any]:
    values = {}
    for item in getattr(type(settings), "__attrs_attrs__", ()):
        try:
            values[item.name] = to_data(getattr(settings, item.name))
        except TypeError:  # of no concern to the kernel, which only looks for names of variables
            values[item.name] = None
    return values


IN_THREADS = ("tools", "rewriters", "reviewers")
"""Kinds of objects whose methods run in threads where they are no coroutines."""


def runs_on_loop(value: Any, method: str) -> bool:
    """Whether calling a method of one of these gives a coroutine; any other is called in a thread."""
    own = getattr(value, "function", None)
    return inspect.iscoroutinefunction(own) or inspect.iscoroutinefunction(getattr(value, method, None))
