"""Inarch's tools as the protocol describes tools: schemas, hints and results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mcp import types

import inarch
from inarch.capabilities import ForModes, ForWatchers, able

_READING = frozenset({"search", "nav", "trace"})
_SAMPLES: Mapping[str, Any] = {
    "string": "x", "integer": 1, "number": 1.0, "boolean": False, "array": [], "object": {}, "null": None,
}  # fmt: skip


def described(tool: inarch.Tool) -> types.Tool:
    """Return a tool as another agent is told it."""
    reads = reads_only(tool)
    hints = types.ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=None if reads else True,
        open_world_hint=tool.category in ("command", "other"),
    )
    schema = {key: value for key, value in tool.input_schema.items() if key != "$comment"}
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=schema,
        output_schema=_output_schema(tool),
        annotations=hints,
    )


def reads_only(tool: inarch.Tool) -> bool:
    """Whether no call of a tool changes anything, as far as a sample of its arguments shows."""
    if tool.category in _READING:
        return True
    if tool.category == "command":  # what a command does depends on its words
        return False
    return changes_nothing(tool, _samples(tool))


def is_for(tool: inarch.Tool, mode: str) -> bool:
    """Whether there is such a tool in an approve mode, which does more than show something to who watches a session."""
    chosen, shown = able(tool, ForModes), able(tool, ForWatchers)
    is_there = chosen is None or not chosen.modes or mode in chosen.modes
    return is_there and not (shown is not None and shown.for_a_watcher)


def wants_a_person(tool: inarch.Tool, policies: Iterable[inarch.Policy]) -> bool:
    """Whether a call is a question to the person: it does nothing else, and only their own answer lets it run."""
    call = inarch.ToolCall("", "", "", tool.name, _samples(tool))
    if tool.category in _READING or not changes_nothing(tool, call.arguments):
        return False  # then the person may have answered with a rule
    return any(_judged(policy, call, tool) for policy in policies)


def _judged(policy: inarch.Policy, call: inarch.ToolCall, tool: inarch.Tool) -> bool:
    try:
        verdict = policy.judge(call, tool)
    except Exception:  # noqa: BLE001 - a plugin's code: one that fails at a sample says nothing of real calls
        return False
    return verdict.decision == "ask" and verdict.person


def _samples(tool: inarch.Tool) -> dict[str, Any]:
    properties = tool.input_schema.get("properties") or {}
    return {name: _sample(properties.get(name)) for name in tool.input_schema.get("required") or ()}


def changes_nothing(tool: inarch.Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether a call with these arguments changes nothing; one that can't be judged may change anything."""
    try:
        effects = tool.effects(arguments)
        return tool.category in _READING or not (effects.writes or effects.exclusive)
    except (inarch.InarchError, LookupError, TypeError, ValueError, AttributeError):
        return False


def answer(tool: inarch.Tool | None, result: inarch.ToolResult) -> types.CallToolResult:
    """Return a result as the protocol has it: as text and as structured content."""
    text = types.TextContent(type="text", text=inarch.result_text(result))
    if result.error is not None:
        error = inarch.to_data(result.error)
        return types.CallToolResult(content=[text], structured_content={"error": error}, is_error=True)
    data = result.data
    if tool is None or not _is_object(tool.output_schema):
        data = data if isinstance(data, dict) and (tool is None or tool.output_schema is None) else {"result": data}
    return types.CallToolResult(content=[text], structured_content=data)


def _output_schema(tool: inarch.Tool) -> dict[str, Any] | None:
    """Return the schema of structured content, which is always an object: anything else stands under `result`."""
    schema = tool.output_schema
    if schema is None:
        return None
    if _is_object(schema):
        return dict(schema)
    inner = {key: value for key, value in schema.items() if key != "$defs"}
    shared = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {"type": "object", "properties": {"result": inner}, "required": ["result"], **shared}


def _is_object(schema: Mapping[str, Any] | None) -> bool:
    return schema is not None and schema.get("type") == "object"


def _sample(schema: Any) -> Any:
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    if isinstance(schema, Mapping) and schema.get("enum"):
        return schema["enum"][0]
    return _SAMPLES.get(kind if isinstance(kind, str) else "string", "x")
