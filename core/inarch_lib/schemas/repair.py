"""Repair of arguments as models really send them, to the form that a tool's schema requires.

Only slips whose meaning is plain are repaired; anything else is left for validation to refuse.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_WRAPPERS = ("parameters", "arguments")
_INTEGER = r"[+-]?[0-9]{1,18}"
_NUMBER = r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?"
_BOOLEANS = {"true": True, "false": False}


def repair_arguments(arguments: Any, schema: Mapping[str, Any]) -> Any:
    """Return `arguments` repaired for `schema`; arguments that cannot be repaired are unchanged.

    >>> schema = {"properties": {"file_path": {"type": "string"}, "limit": {"type": "integer"}}}
    >>> repair_arguments({"path": "a.py", "limit": "5"}, schema)
    {'limit': 5, 'file_path': 'a.py'}
    """
    return repair_and_tell(arguments, schema)[0]


def repair_and_tell(arguments: Any, schema: Mapping[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """Return the repaired arguments and one short line for each thing that was repaired."""
    told: list[str] = []
    if isinstance(arguments, str):
        arguments = _parsed(arguments, told)
    if not isinstance(arguments, Mapping):
        return arguments, tuple(told)
    known = _properties(schema)
    result = _unwrapped(dict(arguments), schema, known, told)
    if "path" in result and "file_path" in known and "path" not in known:
        _read_path(result, told)
    _drop_nulls(result, schema, known, told)
    for name, value in result.items():
        if name in known:
            result[name] = _coerced(value, known[name], name, told)
    return result, tuple(told)


def read_relative(arguments: dict[str, Any], names: Iterable[str], root: str, shown: str = "") -> tuple[str, ...]:
    """Read absolute paths below the root under these names as relative to it, and return the names that had one.

    `shown` is the root's name in these paths, if it differs.

    >>> arguments = {"file_path": "/shop/a.py"}
    >>> read_relative(arguments, ["file_path"], "/shop"), arguments
    (('file_path',), {'file_path': 'a.py'})
    """
    told: list[str] = []
    for name in names:
        value = arguments.get(name)
        given = value if isinstance(value, list) else [value]
        read = [_below(one, root, shown) if isinstance(one, str) else one for one in given]
        if read != given:
            arguments[name] = read if isinstance(value, list) else read[0]
            told.append(name)
    return tuple(told)


def _below(path: str, root: str, shown: str) -> str:
    """Return an absolute path below the root, as spelled, relative to it; any other unchanged."""
    parts, above = ([part for part in one.split("/") if part not in ("", ".")] for one in (path, root))
    if path[:1] != "/" or not root or ".." in parts or parts[: len(above)] != above:
        return path
    return "/".join([*filter(None, (shown,)), *parts[len(above) :]]) or "."


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    known = schema.get("properties")
    return known if isinstance(known, Mapping) else {}


def _parsed(text: str, told: list[str]) -> Any:
    try:
        value = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return text
    if not isinstance(value, dict):
        return text
    told.append("arguments parsed from JSON text")
    return value


def _unwrapped(
    result: dict[str, Any], schema: Mapping[str, Any], known: Mapping[str, Any], told: list[str]
) -> dict[str, Any]:
    """Lift the entries of a nested `parameters` or `arguments` object; existing outer names take precedence."""
    if not known or schema.get("additionalProperties"):
        return result
    for wrapper in _WRAPPERS:
        inner = result.get(wrapper)
        if wrapper in known or inner is None:
            continue
        if isinstance(inner, str):
            inner = _parsed(inner, [])
        if isinstance(inner, Mapping):
            del result[wrapper]
            result = {**inner, **result}
            told.append(f"nested {wrapper} flattened")
    return result


def _read_path(result: dict[str, Any], told: list[str]) -> None:
    if result.get("file_path") in (None, result["path"]):
        result["file_path"] = result.pop("path")
        told.append("path read as file_path")


def _drop_nulls(result: dict[str, Any], schema: Mapping[str, Any], known: Mapping[str, Any], told: list[str]) -> None:
    """Remove a null if the argument is optional and null is not one of its types: it means "the default".

    A null under an unknown name means that the model does not use it.
    """
    required, takes_more = schema.get("required") or (), not known or schema.get("additionalProperties")
    for name in [name for name, value in result.items() if value is None]:
        types = _types(known.get(name, True))
        unknown = name not in known and not takes_more
        if unknown or (name not in required and types and "null" not in types):
            del result[name]
            told.append(f"{name}: null left out")


def _types(schema: Any) -> frozenset[str]:
    """Return the types that a schema names; empty when it names none or constrains more than types."""
    if not isinstance(schema, Mapping) or "enum" in schema or "const" in schema:
        return frozenset()
    branches = schema.get("anyOf")
    if "type" not in schema and isinstance(branches, list):
        parts = [_types(branch) for branch in branches]
        return frozenset().union(*parts) if all(parts) else frozenset()
    named = schema.get("type")
    if isinstance(named, str):
        return frozenset((named,))
    return frozenset(name for name in named if isinstance(name, str)) if isinstance(named, list) else frozenset()


def _coerced(value: Any, schema: Any, where: str, told: list[str]) -> Any:
    types = _types(schema)
    if isinstance(value, str) and types and "string" not in types:
        for name, read in _READERS.items():
            if name in types and (found := read(value)) is not None:
                told.append(f"{where}: text read as {name}")
                return _coerced(found, schema, where, []) if name in ("array", "object") else found
        return value
    if isinstance(value, float) and "integer" in types and "number" not in types and value.is_integer():
        told.append(f"{where}: {value} read as integer")
        return int(value)
    return _coerced_inside(value, schema, where, told)


def _coerced_inside(value: Any, schema: Any, where: str, told: list[str]) -> Any:
    if not isinstance(schema, Mapping):
        return value
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, Mapping):
        return [_coerced(item, items, f"{where}[{index}]", told) for index, item in enumerate(value)]
    known = _properties(schema)
    if isinstance(value, Mapping) and known:
        return {
            name: _coerced(item, known[name], f"{where}.{name}", told) if name in known else item
            for name, item in value.items()
        }
    return value


def _integer(text: str) -> int | None:
    return int(text) if re.fullmatch(_INTEGER, text.strip()) else None


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(_NUMBER, text.strip()) else None


def _boolean(text: str) -> bool | None:
    return _BOOLEANS.get(text.strip().lower())


def _json_of(kind: type) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return value if isinstance(value, kind) else None

    return read


# In this order: an integer is also a number, so it is tried first.
_READERS: dict[str, Callable[[str], Any]] = {
    "boolean": _boolean,
    "integer": _integer,
    "number": _number,
    "array": _json_of(list),
    "object": _json_of(dict),
}
