"""Conversion of JSON Schema to the function parameters of Gemini's services: a part of OpenAPI's schemas.

The API supports a part of OpenAPI's schema objects and refuses a request with any other keyword. Supported keywords
stay. Keywords with an equivalent are converted (`const`, `oneOf`, `$ref`, a list of types). The rest is added to the
description for the model: the kernel checks arguments against the whole schema anyway.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

_COUNTS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties", "minimum", "maximum")
_FORMATS = {
    "string": {"enum", "date-time"},
    "number": {"float", "double"},
    "integer": {"int32", "int64"},
}
_FOR_TYPE = {
    "string": {"minLength", "maxLength", "format"},
    "number": {"minimum", "maximum", "format"},
    "integer": {"minimum", "maximum", "format"},
    "array": {"minItems", "maxItems"},
    "object": {"minProperties", "maxProperties"},
}
_SAID = (
    "pattern", "format", "const", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "contains",
    "propertyNames", "patternProperties", "dependentRequired", "dependentSchemas", "not", "if", "then", "else",
)  # fmt: skip
"""Keywords whose meaning goes into the description, because the API has no equivalent."""
_ANYTHING = ("string", "number", "boolean", "object")
LONGEST_NOTE = 300
DEEPEST = 24
LARGEST = 500
"""Maximum nesting and number of schemas that are followed; beyond, and in cycles, any object is allowed."""


def openapi_parameters(schema: Schema) -> dict[str, Any] | None:
    """Return a tool's input schema for Gemini's services; None for a function without parameters."""
    cleaner = _Cleaner(schema)
    # The API requires an object with properties here, so alternatives of whole objects become its properties.
    whole = cleaner.target(str(schema["$ref"])) or schema if "$ref" in schema else schema
    cleaned = cleaner.clean({**whole, "type": "object", "properties": whole.get("properties") or {}}, ())
    if not cleaned.get("properties"):
        return None
    cleaned.pop("nullable", None)
    return cleaned


class _Cleaner:
    """Converter of the parts of one document; `root` is the target of `$ref`."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self.left = LARGEST

    def clean(self, schema: Any, path: tuple[str, ...]) -> dict[str, Any]:
        """Return `schema` converted; `path` are the references that lead here."""
        if not isinstance(schema, Mapping):
            return {"anyOf": [{"type": name} for name in _ANYTHING]}
        self.left -= 1
        if len(path) > DEEPEST or self.left < 0:
            return {"type": "object", "description": _described(schema, ["nested further in the same way"])}
        if "$ref" in schema:
            return self._referred(schema, path)
        if schema.get("allOf"):
            return self.clean(_merged(schema, self._resolved(schema["allOf"])), (*path, ""))
        choices = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(choices, list):
            return self._choice(schema, self._resolved(choices), path)
        types = _types(schema)
        named = [name for name in types if name != "null"]
        if len(named) > 1 or not types:
            bare = _without(schema, "description", "title")
            each = [{**bare, "type": name} for name in named or _ANYTHING]
            return self._alternatives(_without(schema, "type"), each, "null" in types, path)
        cleaned = self._plain(schema, named[0] if named else "string", path)
        if "null" in types or schema.get("nullable") is True:
            cleaned["nullable"] = True
        return cleaned

    def _plain(self, schema: Schema, kind: str, path: tuple[str, ...]) -> dict[str, Any]:
        notes: list[str] = []
        cleaned: dict[str, Any] = {"type": kind}
        cleaned |= {key: schema[key] for key in _COUNTS if key in schema and key in _FOR_TYPE.get(kind, ())}
        if cleaned.get("minLength") == 1:  # obvious, and every request would pay for it
            del cleaned["minLength"]
        if schema.get("format") in _FORMATS.get(kind, ()):
            cleaned["format"] = schema["format"]
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if isinstance(values, list):
            self._values(cleaned, values, notes)
        if kind == "array":
            cleaned["items"] = self._items(schema, notes, path)
        elif kind == "object":
            self._members(cleaned, schema, notes, path)
        notes += [_said(key, schema[key]) for key in _SAID if key in schema and key not in cleaned and key != "const"]
        if schema.get("default") is not None:
            notes.append(_said("default", schema["default"]))
        text = _described(schema, notes)
        if text:
            cleaned["description"] = text
        return cleaned

    def _values(self, cleaned: dict[str, Any], values: Sequence[Any], notes: list[str]) -> None:
        """Add the allowed values; the API takes lists of non-empty texts only."""
        rest = [value for value in values if value is not None]
        if len(rest) < len(values):
            cleaned["nullable"] = True
        if cleaned["type"] == "string" and rest and all(isinstance(value, str) and value for value in rest):
            cleaned["enum"] = list(dict.fromkeys(rest))
        elif rest:
            notes.append(_said("one of" if len(rest) > 1 else "always", rest if len(rest) > 1 else rest[0]))

    def _items(self, schema: Schema, notes: list[str], path: tuple[str, ...]) -> dict[str, Any]:
        places = schema.get("prefixItems")
        items = schema.get("items")
        if isinstance(items, list):  # the older form of prefixItems
            places, items = items, schema.get("additionalItems")
        if not isinstance(places, list) or not places:
            return self.clean(items, (*path, ""))
        notes.append(_said("items by place", places))
        further = [items] if isinstance(items, Mapping) else []
        return self.clean({"anyOf": [*places, *further]}, (*path, ""))

    def _members(self, cleaned: dict[str, Any], schema: Schema, notes: list[str], path: tuple[str, ...]) -> None:
        given = schema.get("properties")
        properties = given.items() if isinstance(given, Mapping) else ()
        members = {str(name): self.clean(value, (*path, "")) for name, value in properties if value is not False}
        if members:
            cleaned["properties"] = members
            required = [name for name in schema.get("required") or () if name in members]
            if required:
                cleaned["required"] = required
        further = schema.get("additionalProperties")
        if isinstance(further, Mapping) and further:
            notes.append(_said("keys are free, each value", further))

    def _choice(self, schema: Schema, choices: list[Schema], path: tuple[str, ...]) -> dict[str, Any]:
        """Convert alternatives: of a whole schema, or of the other constraints of an object with its own properties."""
        rest = _without(schema, "anyOf", "oneOf")
        if "properties" in rest or "items" in rest:
            optional = [_without(choice, "required") for choice in choices]
            said = _said("one of these holds", [dict(choice) for choice in choices])
            return self.clean({**_merged(rest, optional), "description": _described(rest, [said])}, (*path, ""))
        real = [choice for choice in choices if _types(choice) != ["null"]]
        outer = _without(rest, "description", "default", "title", "examples")
        return self._alternatives(rest, [{**outer, **choice} for choice in real], len(real) < len(choices), path)

    def _alternatives(
        self, schema: Schema, choices: list[dict[str, Any]], nullable: bool, path: tuple[str, ...]
    ) -> dict[str, Any]:
        """Return alternatives, with `anyOf` as the only keyword: common constraints are in the first."""
        text = _described(schema, [_said("default", schema["default"])] if schema.get("default") is not None else [])
        cleaned = [self.clean(_without(choice, "default"), (*path, "")) for choice in choices]
        flat = [inner for choice in cleaned for inner in choice.get("anyOf", (choice,))]
        different = [choice for index, choice in enumerate(flat) if choice not in flat[:index]] or [{"type": "string"}]
        own = different[0].get("description", "")
        if text and text not in own:
            different[0] = {**different[0], "description": f"{text} {own}".rstrip()}
        if nullable:
            different[0] = {**different[0], "nullable": True}
        return different[0] if len(different) == 1 else {"anyOf": different}

    def _referred(self, schema: Schema, path: tuple[str, ...]) -> dict[str, Any]:
        name = str(schema["$ref"])
        target = self.target(name)
        if name in path or target is None:
            return {"type": "object", "description": _described(schema, [f"as {name.rsplit('/', 1)[-1]}"])}
        return self.clean({**target, **_without(schema, "$ref")}, (*path, name))

    def _resolved(self, schemas: Iterable[Any]) -> list[Schema]:
        """Return schemas with mere references replaced by their targets, if those exist."""
        found = []
        for schema in schemas:
            if not isinstance(schema, Mapping):
                continue
            target = self.target(str(schema["$ref"])) if "$ref" in schema else None
            # One that leads to another reference is left for `clean`, which detects cycles.
            plain = target is not None and "$ref" not in target and not self._circular(target, str(schema["$ref"]))
            found.append({**target, **_without(schema, "$ref")} if plain and target is not None else schema)
        return found

    def _circular(self, target: Schema, name: str) -> bool:
        return name in json.dumps(target, default=str)

    def target(self, name: str) -> Schema | None:
        """Return the target of a reference, None if it is not in this document."""
        place: Any = self.root
        for step in name.removeprefix("#").split("/")[1:] if name.startswith("#") else ("?",):
            step = step.replace("~1", "/").replace("~0", "~")
            place = place.get(step) if isinstance(place, Mapping) else None
        return place if isinstance(place, Mapping) else None


def _types(schema: Schema) -> list[str]:
    given = schema.get("type")
    if isinstance(given, str):
        return [given]
    if isinstance(given, list) and given:
        return list(dict.fromkeys(str(name) for name in given))
    if "properties" in schema or "additionalProperties" in schema:
        return ["object"]
    if "items" in schema or "prefixItems" in schema:
        return ["array"]
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    return list(dict.fromkeys(map(_type_of, values))) if isinstance(values, list) else []


def _type_of(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", type(None): "null"}
    return names.get(type(value), "object")


def _merged(schema: Schema, others: Iterable[Schema]) -> dict[str, Any]:
    """Return one schema that combines all: properties and required ones of each, other keywords of the first."""
    merged = _without(schema, "allOf")
    for other in others:
        for key, value in other.items():
            known = merged.get(key)
            if isinstance(known, Mapping) and isinstance(value, Mapping):
                merged[key] = {**value, **known}
            elif key == "required" and isinstance(known, (list, tuple)):
                merged[key] = list(dict.fromkeys([*known, *value]))
            elif known is None:
                merged[key] = value
    return merged


def _without(schema: Schema, *names: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in names}


def _described(schema: Schema, notes: Sequence[str]) -> str:
    text = schema.get("description") or schema.get("title")
    text = text if isinstance(text, str) else ""
    added = "; ".join(notes)
    return " ".join(part for part in (text, f"({added})" if added else "") if part)


def _said(what: str, value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return f"{what}: {text[:LONGEST_NOTE]}{'…' if len(text) > LONGEST_NOTE else ''}"


_REPLY_WORDS = frozenset({
    "type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems", "minimum",
    "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required", "propertyOrdering", "$defs", "$ref",
    "$id", "$anchor",
})  # fmt: skip


def reply_schema(schema: Any) -> Any:
    """Return a schema for a structured reply with the JSON Schema keywords that the API supports there."""
    if not isinstance(schema, Mapping):
        return schema
    cleaned: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs", "definitions") and isinstance(value, Mapping):
            cleaned[key] = {name: reply_schema(member) for name, member in value.items()}
        elif key not in _REPLY_WORDS:
            continue
        elif isinstance(value, Mapping):
            cleaned[key] = reply_schema(value)
        elif key in ("anyOf", "oneOf", "prefixItems") and isinstance(value, (list, tuple)):
            cleaned[key] = [reply_schema(item) for item in value]
        else:
            cleaned[key] = value
    if isinstance(schema.get("const"), str):
        cleaned.setdefault("enum", [schema["const"]])
    return _merged(cleaned, [reply_schema(part) for part in schema.get("allOf") or () if isinstance(part, Mapping)])
