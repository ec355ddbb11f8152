"""References in a JSON Schema: each has to lead to something in the schema itself, and the schema to an end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

DEEPEST = 100
"""Levels of lists and objects in each other."""
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_LEADING = frozenset({*_REFERENCES, "$anchor", "$dynamicAnchor"})
_NESTED = (dict, Mapping, list, tuple)
_VALUES = frozenset({"const", "enum", "default", "example", "examples"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})


def reference_fault(schema: Mapping[str, Any]) -> str:
    """Say what in a schema refers to a file, an address or nothing, or is nested too deeply; "" if all is within it.

    What values are compared with is no schema: a property may be called `$ref`, and a constant may have one.
    """
    own = schema.get("$id")
    anchors: set[Any] = set()
    parts: set[int] = set()
    found: list[Any] = []
    for depth, one in _parts(schema):
        if depth > DEEPEST:
            return f"is nested deeper than {DEEPEST} levels"
        if one is not schema and isinstance(one.get("$id"), str):
            return f"has a part with an $id of its own, {_shown(one['$id'])}"
        parts.add(id(one))
        for key in one.keys() & _LEADING:
            if key in _REFERENCES:
                found.append(one[key])
            elif isinstance(one[key], str):
                anchors.add(one[key])
    for reference in found:
        if not isinstance(reference, str):
            return f"has a reference that is no text: {_shown(reference)}"
        if own and isinstance(own, str):
            reference = reference.removeprefix(own.rstrip("#"))
        if reference and not reference.startswith("#"):
            return f"refers to {_shown(reference)}, which is outside of it"
        if not _leads(schema, reference[1:], anchors, parts):
            return f"refers to {_shown(reference)}, which is not in it"
    return ""


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield every schema in a schema, with its depth; one that contains itself ends by its depth."""
    waiting: list[tuple[int, Any, bool]] = [(0, schema, True)]
    while waiting:
        depth, value, is_schema = waiting.pop()
        if isinstance(value, Mapping):
            if is_schema:
                yield depth, value
            for key, inner in value.items():
                if isinstance(inner, _NESTED) and not (is_schema and key in _VALUES):
                    waiting.append((depth + 1, inner, not (is_schema and key in _NAMED)))
        else:
            waiting += [(depth + 1, inner, True) for inner in value if isinstance(inner, _NESTED)]


def _leads(schema: Any, fragment: str, anchors: set[Any], parts: set[int]) -> bool:
    """Whether a fragment is a JSON pointer to a schema in the schema, or an anchor of it."""
    if fragment and not fragment.startswith("/"):
        return fragment in anchors
    from urllib.parse import unquote

    for step in fragment.split("/")[1:]:
        step = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(schema, Mapping) and step in schema:
            schema = schema[step]
        elif isinstance(schema, (list, tuple)) and step.isdecimal() and int(step) < len(schema):
            schema = schema[int(step)]
        else:
            return False
    return isinstance(schema, bool) or id(schema) in parts


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"
