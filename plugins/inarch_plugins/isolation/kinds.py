"""Objects of a plugin in its own process: their descriptions, and the calls of their methods."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from inarch import Effects, FunctionTool, ToolError, ToolFailed, ToolResult, capabilities, to_data
from inarch.host import Offered, guarded
from inarch_plugins.isolation.line import Running
from inarch_plugins.isolation.methods import MEMBERS, METHODS, TOOL_EXTRAS, data_of
from inarch_plugins.isolation.stand_ins import borrowed
from inarch_sdk.port_checks import opened_fault

if TYPE_CHECKING:
    from inarch_plugins.isolation.child import Child

_PAGE = 1 << 22
"""Bytes of events that a store's `scan` sends at once."""
_IN_THREADS = ("tools", "rewriters", "reviewers")
_RULES = {"shape": "shape_rule", "offered": "offered_rule", "preview": "preview_rule"}


def described(plugin: str, offered: Offered) -> dict[str, Any]:
    """Return the description of a plugin for the kernel."""
    offers = {kind: [_object(kind, value) for value in values] for kind, values in offered.offers.items()}
    settings = None
    if offered.settings is not None:
        from inarch_sdk.settings_schema import table_schema

        with guarded(plugin, "settings"):
            schema = table_schema(type(offered.settings))
        settings = {"schema": schema, "values": _values(offered.settings)}
    return {"op": "ready", "hooks": list(offered.hooks), "offers": offers, "settings": settings}


def _object(kind: str, value: Any) -> dict[str, Any]:
    data = {member: to_data(getattr(value, member)) for member in MEMBERS.get(kind, ("name",))}
    if kind == "tools":
        constant = value.effects_rule if isinstance(value, FunctionTool) else None
        data["effects"] = to_data(constant) if isinstance(constant, Effects) else None
        data["plain"] = {name: to_data(getattr(value, name)) for name in TOOL_EXTRAS if hasattr(value, name)}
    elif kind in ("rewriters", "reviewers", "end_guards"):
        patient = capabilities.able(value, capabilities.Patient)
        data["timeout_s"] = None if patient is None else to_data(patient.timeout_s)
    data["offers"] = [name for name in capabilities.optional(kind) if _has(value, name)]
    return data


def _has(value: Any, name: str) -> bool:
    if isinstance(value, FunctionTool) and name in _RULES:
        return getattr(value, _RULES[name]) is not None
    return callable(getattr(value, name, None))


def _values(settings: Any) -> dict[str, Any]:
    values = {}
    for item in getattr(type(settings), "__attrs_attrs__", ()):
        try:
            values[item.name] = to_data(getattr(settings, item.name))
        except TypeError:  # irrelevant to the kernel, which only looks for names of variables
            values[item.name] = None
    return values


def runs_in_thread(kind: str, value: Any, method: str) -> bool:
    """Return whether a method runs in a thread: its kind may take time, and it is not a coroutine."""
    own = getattr(value, "function", None)
    is_async = inspect.iscoroutinefunction(own) or inspect.iscoroutinefunction(getattr(value, method, None))
    return kind in _IN_THREADS and not is_async


def called(child: Child, kind: str, target: Any, method: str, args: Any, call: Running) -> Any:
    """Call a method of an object; the caller may have to await the result."""
    member = METHODS[kind][method]
    given = [borrowed(cls, data, child, call) for cls, data in zip(member.takes.values(), args, strict=True)]
    special = _SPECIAL.get((kind, method))
    if special is not None:
        return special(child, target, call, *given)
    found = getattr(target, method)
    return found if member.is_value else found(*given)


def result_data(value: Any, tool: str, plugin: str) -> dict[str, Any]:
    """Return a tool's result as plain data.

    Raises:
        ToolFailed: It has no JSON form.
    """
    try:
        if not isinstance(value, ToolResult):
            return {"data": to_data(value)}
        data = {"success": value.success, "data": to_data(value.data), "metadata": to_data(value.metadata)}
        data["images"] = to_data(value.images)
        error = value.error
        data["error"] = to_data(error) if isinstance(error, ToolError) else str(error) if error else None
    except (TypeError, ValueError, RecursionError) as error:
        text = f"tool {tool!r} of plugin {plugin!r} returned something that is not JSON data: {error}"
        raise ToolFailed("execution", text, "report it to the plugin's author") from None
    return data


async def _answer(child: Child, model: Any, call: Running, request: Any) -> None:
    async for delta in model.answer(request):
        await child.line.ask_async(call, "piece", {"type": type(delta).__name__, "delta": to_data(delta)})


async def _find_default(_: Child, model: Any, __: Running) -> Any:
    await model.find_default()
    return model.default_model


def _saw(_: Child, tracer: Any, __: Running, events: Any) -> None:
    for event in events:
        tracer.saw(event)


def _open(child: Child, spec: Any, _: Running, path: str) -> Any:
    opened = spec.open(path)
    if fault := opened_fault("store", opened):
        raise TypeError(fault)
    return {
        "number": child.keep(opened),
        "offers": [name for name in capabilities.optional("stores") if hasattr(opened, name)],
    }


def _scan(method: str) -> Callable[..., Any]:
    def scan(_: Child, store: Any, __: Running, *given: Any) -> Any:
        lines, size = [], 0
        for event in getattr(store, method)(*given):
            lines.append(data_of(event))
            size += len(lines[-1])
            if size > _PAGE:
                return {"lines": lines, "more": True}
        return {"lines": lines, "more": False}

    return scan


_SPECIAL: Mapping[tuple[str, str], Callable[..., Any]] = {
    ("models", "answer"): _answer,
    ("models", "find_default"): _find_default,
    ("tracers", "saw"): _saw,
    ("stores", "open"): _open,
    ("opened", "scan"): _scan("scan"),
    ("opened", "scan_kinds"): _scan("scan_kinds"),
}
