"""Prompt for the decision model, and parsing of its reply."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from inarch import DispatchReply, ToolSpec, to_data
from inarch_lib.schemas.repair import repair_arguments

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

REPLY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "requires_tool_call": {"type": "boolean"},
        "tool_name": {"type": ["string", "null"]},
        "arguments": {"type": "object"},
        "reasoning": {"type": "string"},
    },
    "required": ["requires_tool_call"],
}

INSTRUCTIONS = """\
You decide how a coding agent begins. Given a person's request, say whether one of the tools below should run first, \
and with which arguments. Choose a tool only when its result is surely needed; otherwise set requires_tool_call to \
false. Use the argument names exactly as they are given. Paths are relative to the repository's root. Reply with one \
JSON object: requires_tool_call, tool_name, arguments, reasoning (one sentence).

Tools:
{tools}"""


_SAID = frozenset({"title", "description", "default", "examples", "$schema", "$comment"})
"""Schema keys that the instructions already cover."""


def reply_schema(tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """Return the schema of a reply with the tools' names and each tool's parameters."""
    names = [tool.name for tool in tools]
    shapes = [_parameters(tool.input_schema) for tool in tools]
    unique = [shape for place, shape in enumerate(shapes) if shape not in shapes[:place]]
    members = {
        **REPLY_SCHEMA["properties"],
        "tool_name": {"type": ["string", "null"], "enum": [*names, None]},
        "arguments": unique[0] if len(unique) == 1 else {"anyOf": unique},
    }
    return {**REPLY_SCHEMA, "properties": members}


def _parameters(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's parameters, or any object if they are not allowed within another schema."""
    if "$ref" in json.dumps(to_data(schema)):
        return {"type": "object"}
    bare = {key: value for key, value in schema.items() if key not in _SAID}
    members = schema.get("properties") or {}
    bare["properties"] = {
        name: {key: value for key, value in member.items() if key not in _SAID}
        if isinstance(member, Mapping)
        else member
        for name, member in members.items()
    }
    return {"type": "object", "additionalProperties": False, **bare}


def decision_prompt(tools: Sequence[ToolSpec]) -> str:
    """Return the instructions with every tool of the profile."""
    return INSTRUCTIONS.format(tools="\n".join(map(_describe, tools)))


def _describe(tool: ToolSpec) -> str:
    properties = tool.input_schema.get("properties", {})
    required = set(tool.input_schema.get("required", ()))
    arguments = ", ".join(
        f"{name}{'' if name in required else '?'}: {schema.get('type', 'any')}" for name, schema in properties.items()
    )
    return f"- {tool.name}({arguments}): {tool.description}"


def read_reply(text: str, tools: Mapping[str, ToolSpec]) -> DispatchReply:
    """Return the decision in a reply, repaired if that is safe.

    Raises:
        ValueError: It is not JSON, has the wrong shape, names an unknown tool or has arguments that the tool refuses.
    """
    data = json.loads(_inner_json(text))
    if not isinstance(data, dict):
        raise ValueError("the reply is not a JSON object")
    data = repair_arguments(data, REPLY_SCHEMA)
    _check(data, json.dumps(REPLY_SCHEMA), "the reply")
    reasoning = str(data.get("reasoning", ""))
    if not data["requires_tool_call"]:
        return DispatchReply(False, None, {}, reasoning)
    tool = tools.get(data.get("tool_name") or "")
    if tool is None:
        raise ValueError(f"the reply names an unknown tool: {data.get('tool_name')!r}")
    known = tool.input_schema.get("properties") or {}
    # A flat reply has the keys of all tools side by side, null for those of other tools.
    stray = {key: value for key, value in data.items() if key in {*known, "path"} - REPLY_SCHEMA["properties"].keys()}
    arguments = repair_arguments({**stray, **(data.get("arguments") or {})}, tool.input_schema)
    what = f"the arguments of {tool.name}"
    _check(arguments, json.dumps(tool.input_schema, sort_keys=True), what)
    unknown = [key for key in arguments if key not in known]
    if unknown and not tool.input_schema.get("additionalProperties"):
        raise ValueError(f"{what}: it takes no {', '.join(unknown)}")
    return DispatchReply(True, tool.name, arguments, reasoning)


def _inner_json(text: str) -> str:
    """Return the object in a reply that wraps it in a fence or in text."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _check(data: Any, schema: str, what: str) -> None:
    error = next(_validator(schema).iter_errors(data), None)
    if error is not None:
        raise ValueError(f"{what}: {error.message}")


@cache
def _validator(schema: str) -> Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema))
