"""Description of a tool for people: its arguments with their members and values, and its reads and writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from inarch.contract.errors import InarchError
from inarch.contract.guard import guarded
from inarch.contract.ports import Tool
from inarch.contract.records import Effects

MOST_VALUES = 12
"""Maximum values of an enum that are listed."""
DEEPEST = 6
"""Maximum levels of nested members that are shown; a schema may contain itself."""
MOST_LINES = 200


def argument_lines(schema: Mapping[str, Any]) -> list[str]:
    """Return a line for each argument, with indented lines for members of nested objects."""
    lines = list(islice(_members(schema, schema, ""), MOST_LINES + 1))
    return [*lines[:MOST_LINES], "… (--json shows all)"] if len(lines) > MOST_LINES else lines or ["none"]


def _members(schema: Mapping[str, Any], whole: Mapping[str, Any], margin: str) -> Iterator[str]:
    required = _listed(schema, "required")
    for name, given in _properties(schema).items():
        about = _resolved(given, whole)
        default = "required" if name in required else "optional"
        if "default" in about:
            default = f"default {json.dumps(about['default'], ensure_ascii=False)}"
        said = f"  {about['description']}" if about.get("description") else ""
        yield f"{margin}{name}: {_kind(about, whole)}, {default}{said}"
        if len(margin) < 2 * DEEPEST:
            for inner in _objects(about, whole):
                yield from _members(inner, whole, f"{margin}  ")


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def _listed(schema: Mapping[str, Any], key: str) -> list[Any]:
    found = schema.get(key)
    return [*found] if isinstance(found, (list, tuple)) else []


def _resolved(schema: Any, whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema, or the target of its reference merged with its other members."""
    for _ in range(DEEPEST):
        place = schema.get("$ref") if isinstance(schema, Mapping) else None
        if not isinstance(place, str) or not place.startswith("#/"):
            break
        found: Any = whole
        for part in place[2:].split("/"):
            found = found.get(part) if isinstance(found, Mapping) else None
        schema = {**(found if isinstance(found, Mapping) else {}), **{k: v for k, v in schema.items() if k != "$ref"}}
    return schema if isinstance(schema, Mapping) else {}


def _branches(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [_resolved(branch, whole) for branch in _listed(schema, "anyOf") + _listed(schema, "oneOf")]


def _kind(schema: Mapping[str, Any], whole: Mapping[str, Any], depth: int = 0) -> str:
    """Describe a type: `"a" | "b"`, `array of string`, `object | null`."""
    if values := [schema["const"]] if "const" in schema else _listed(schema, "enum"):
        more = [f"{len(values) - MOST_VALUES} more"] if len(values) > MOST_VALUES else []
        return " | ".join([*(json.dumps(one, ensure_ascii=False) for one in values[:MOST_VALUES]), *more])
    if depth < DEEPEST and (branches := _branches(schema, whole)):
        return " | ".join(dict.fromkeys(_kind(branch, whole, depth + 1) for branch in branches))
    kinds = [str(one) for one in _listed(schema, "type")] or [str(schema.get("type") or "any")]
    items = _resolved(schema.get("items"), whole)
    if items and depth < DEEPEST:
        inner = _kind(items, whole, depth + 1)
        kinds = [f"array of {f'({inner})' if ' | ' in inner else inner}" if one == "array" else one for one in kinds]
    return " | ".join(kinds)


def _objects(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the object schemas with members that a value of the schema may be or contain."""
    if _properties(schema):
        yield schema
    for inner in [*_branches(schema, whole), _resolved(schema.get("items"), whole)]:
        items = _resolved(inner.get("items"), whole)
        yield from (one for one in (inner, items) if _properties(one))


def effect_lines(plugin: str, tool: Tool) -> list[str]:
    """Return what a call reads and writes; `<file_path>` is a placeholder for the argument of that name."""
    arguments = {
        name: _sample(name, _resolved(about, tool.input_schema))
        for name, about in _properties(tool.input_schema).items()
        if name in _listed(tool.input_schema, "required")
    }
    try:
        with guarded(plugin, "tool", passes=(InarchError,)):
            effects = tool.effects(arguments)
    except InarchError:
        return ["depend on the arguments"]
    return list(_told(effects)) if isinstance(effects, Effects) else ["are not declared as they should be"]


def _sample(name: str, schema: Mapping[str, Any]) -> Any:
    kind = next((one for one in _listed(schema, "type") if one != "null"), schema.get("type"))
    if kind == "array":
        return [f"<{name}>"]
    values = {"integer": 1, "number": 1, "boolean": False, "object": {}, "null": None}
    return values.get(str(kind), f"<{name}>")


def _told(effects: Effects) -> Iterator[str]:
    for does, paths in (("reads", effects.reads), ("removes" if effects.removes else "writes", effects.writes)):
        if paths:
            yield f"{does} {', '.join(sorted(path or 'the whole workspace' for path in paths))}"
    if effects.programs:
        yield "runs programs"
    if effects.exclusive:
        yield "runs alone: its changes are not known beforehand"
    if effects == Effects():
        yield "none: it touches no file of the workspace"
