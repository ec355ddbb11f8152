"""Small positive checker for JSON Schema: it accepts only certainly valid values and leaves the rest to jsonschema.

Importing jsonschema costs 60 to 100 ms of CPU. Nearly all calls are valid and use a handful of keywords. `checker`
compiles those keywords to closures. It never accepts a value that Draft 2020-12 refuses, but it may not recognize a
valid one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]

_SAYS_NOTHING = frozenset(
    {"title", "description", "default", "examples", "$schema", "$comment", "$defs", "deprecated", "format",
     "readOnly", "writeOnly"}
)  # fmt: skip
_TYPES: dict[str, frozenset[type]] = {
    "string": frozenset({str}),
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
    "boolean": frozenset({bool}),
    "null": frozenset({type(None)}),
    "array": frozenset({list}),
    "object": frozenset({dict}),
}
_JSON_TYPES = frozenset({str, int, float, bool, type(None), list, dict})
_SCALARS = frozenset({str, int, float, bool, type(None)})


class _Doubt(Exception):
    """Error for a schema with a keyword that is not checked here."""


def checker(schema: Any) -> Check | None:
    """Return a function that is true only for valid values, or None if the schema has other keywords."""
    try:
        return _compile(schema)
    except _Doubt:
        return None


def _compile(schema: Any) -> Check:
    if schema is True:
        return _is_json
    if schema is False:
        return _never
    if not isinstance(schema, Mapping):
        raise _Doubt
    checks: list[Check] = []
    for keyword, value in schema.items():
        if keyword in _SAYS_NOTHING or keyword in ("required", "additionalProperties", "properties"):
            continue
        make = _KEYWORDS.get(keyword)
        if make is None:
            raise _Doubt
        checks.append(make(value))
    if not schema.keys().isdisjoint(("required", "additionalProperties", "properties")):
        checks.append(_object(schema))
    if not checks:
        return _is_json
    if len(checks) == 1:
        return checks[0]
    first, *rest = checks
    if len(rest) == 1:
        second = rest[0]
        return lambda value: first(value) and second(value)
    return lambda value: all(check(value) for check in checks)


def _is_json(value: Any) -> bool:
    return type(value) in _JSON_TYPES


def _never(value: Any) -> bool:
    return False


def _type(named: Any) -> Check:
    names = [named] if isinstance(named, str) else named
    if not isinstance(names, list) or not all(isinstance(name, str) and name in _TYPES for name in names):
        raise _Doubt
    accepted = frozenset().union(*(_TYPES[name] for name in names))
    return lambda value: type(value) in accepted


def _enum(values: Any) -> Check:
    if not isinstance(values, (list, tuple)):
        raise _Doubt
    # 1, 1.0 and True are equal in Python but differ in JSON: the type decides with the value.
    accepted = frozenset((type(value), value) for value in values if type(value) in _SCALARS and value == value)
    return lambda value: type(value) in _SCALARS and (type(value), value) in accepted


def _const(value: Any) -> Check:
    return _enum([value])


def _bound(holds: Callable[[Any, Any], bool], applies: frozenset[type]) -> Callable[[Any], Check]:
    others = _JSON_TYPES - applies

    def make(limit: Any) -> Check:
        if type(limit) not in (int, float):
            raise _Doubt

        def check(value: Any) -> bool:
            kind = type(value)
            return holds(value, limit) if kind in applies else kind in others

        return check

    return make


def _items(schema: Any) -> Check:
    check = _compile(schema)

    def all_items(value: Any) -> bool:
        return all(map(check, value)) if type(value) is list else type(value) in _JSON_TYPES

    return all_items


def _any_of(branches: Any) -> Check:
    checks = _branches(branches)
    return lambda value: any(check(value) for check in checks)


def _all_of(branches: Any) -> Check:
    checks = _branches(branches)
    return lambda value: all(check(value) for check in checks)


def _branches(branches: Any) -> list[Check]:
    if not isinstance(branches, (list, tuple)) or not branches:
        raise _Doubt
    return [_compile(branch) for branch in branches]


def _object(schema: Mapping[str, Any]) -> Check:
    properties, required = schema.get("properties", {}), schema.get("required", ())
    if not isinstance(properties, Mapping) or not isinstance(required, (list, tuple)):
        raise _Doubt
    if not all(isinstance(name, str) for name in required):
        raise _Doubt
    known = {name: _compile(member) for name, member in properties.items()}
    other = _compile(schema.get("additionalProperties", True))

    def check(value: Any) -> bool:
        if type(value) is not dict:
            return type(value) in _JSON_TYPES
        for name in required:
            if name not in value:
                return False
        for name, item in value.items():
            member = known.get(name)
            if not (other(item) if member is None else member(item)):
                return False
        return True

    return check


_NUMBERS = frozenset({int, float})
_KEYWORDS: dict[str, Callable[[Any], Check]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _bound(lambda value, limit: value >= limit, _NUMBERS),
    "maximum": _bound(lambda value, limit: value <= limit, _NUMBERS),
    "exclusiveMinimum": _bound(lambda value, limit: value > limit, _NUMBERS),
    "exclusiveMaximum": _bound(lambda value, limit: value < limit, _NUMBERS),
    "minLength": _bound(lambda value, limit: len(value) >= limit, frozenset({str})),
    "maxLength": _bound(lambda value, limit: len(value) <= limit, frozenset({str})),
    "minItems": _bound(lambda value, limit: len(value) >= limit, frozenset({list})),
    "maxItems": _bound(lambda value, limit: len(value) <= limit, frozenset({list})),
    "items": _items,
    "anyOf": _any_of,
    "allOf": _all_of,
}
