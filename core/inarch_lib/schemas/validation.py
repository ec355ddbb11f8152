"""Validation of values against a schema: compiled once, with helpful messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from attrs import define, field

from inarch_lib.schemas.fastcheck import Check, checker

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

    from inarch_lib.schemas.bounded import Steps


MOST_FAULTS = 3
"""Maximum faults in one message."""
MOST_LOOKED_AT = 1_000
"""Maximum faults that are sorted for these."""
LONGEST_VALUE = 80


class BrokenSchema(ValueError):
    """Error for an invalid schema."""


_BREAKS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, re.error)
"""Errors that jsonschema raises: `multipleOf` of huge integers, patterns of another dialect, endless references."""


@define(eq=False, repr=False)
class Schema:
    """A JSON Schema (Draft 2020-12), compiled on first use.

    Args:
        source: The schema.
        noun: The name of its properties in messages.
    """

    source: Mapping[str, Any]
    noun: str = "argument"
    _fast: Check | None = field(init=False)
    _whole: Validator | None = field(init=False, default=None)
    _steps: Steps = field(init=False)

    @_fast.default
    def _compiled(self) -> Check | None:
        return checker(self.source)

    def faults(self, value: Any) -> tuple[str, ...]:
        """Return the faults of `value`, a sentence each; empty if it is valid.

        Raises:
            BrokenSchema: The schema cannot be applied.
        """
        if self._fast is not None and self._fast(value):
            return ()
        from jsonschema.exceptions import SchemaError, UnknownType
        from referencing.exceptions import Unresolvable

        try:
            errors = sorted(islice(self._validator().iter_errors(value), MOST_LOOKED_AT), key=_depth)
        except (SchemaError, UnknownType, Unresolvable, *_BREAKS) as error:
            reason = error.message if isinstance(error, SchemaError) else f"{type(error).__name__}: {error}"
            raise BrokenSchema(reason) from error
        said = (sentence for error in errors for sentence in self._say(error))
        unique = tuple(dict.fromkeys(islice(said, MOST_LOOKED_AT)))
        more = len(unique) - MOST_FAULTS
        return unique[:MOST_FAULTS] + ((f"and {more} more",) if more > 0 else ())

    def _validator(self) -> Validator:
        from inarch_lib.schemas.bounded import Steps, bounded_validator

        if self._whole is None:
            from jsonschema import Draft202012Validator

            Draft202012Validator.check_schema(self.source)
            self._steps = Steps()
            self._whole = bounded_validator(self.source, self._steps)
        self._steps.begin()
        return self._whole

    def _say(self, error: ValidationError) -> Iterable[str]:
        where = _where(error.absolute_path)
        inside = f" in {where}" if where else ""
        if error.validator == "required":
            for name in cast("list[str]", error.validator_value):
                if name not in cast("dict[str, Any]", error.instance):
                    yield f"{self.noun} {name!r} is missing{inside}"
        elif error.validator == "additionalProperties" and error.validator_value is False:
            known = list(cast("dict[str, Any]", error.schema).get("properties") or {})
            for name in [name for name in cast("dict[str, Any]", error.instance) if name not in known]:
                yield f"unknown {self.noun} {name!r}{inside}{_nearest(name, known)}"
        else:
            yield f"{where or 'the whole'}: {_wanted(error)}"


def _depth(error: ValidationError) -> tuple[int, str]:
    return len(error.absolute_path), _where(error.absolute_path)


def _where(path: Iterable[Any]) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def _wanted(error: ValidationError) -> str:
    shown = _short(error.instance)
    if error.validator == "type":
        return f"{shown} is not {_article(form(cast('dict[str, Any]', error.schema)))}"
    if error.validator == "enum":
        return f"{shown} is not one of {', '.join(_short(item) for item in cast('list[Any]', error.validator_value))}"
    if error.validator == "anyOf":
        return f"{shown} is not {_article(form(cast('dict[str, Any]', error.schema)))}"
    return error.message if len(error.message) <= 300 else f"{error.message[:300]}…"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def _article(noun: str) -> str:
    return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"


def _nearest(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1, cutoff=0.6)
    return f" (did you mean {close[0]!r}?)" if close else ""


def form(schema: Any) -> str:
    """Return the form of a schema in a word or two: `integer`, `list of string`, `string or null`."""
    if not isinstance(schema, Mapping):
        return "any value"
    if "enum" in schema:
        return " | ".join(repr(item) for item in schema["enum"])
    if isinstance(schema.get("anyOf"), list):
        return " or ".join(form(branch) for branch in schema["anyOf"])
    named = schema.get("type", "any value")
    if named == "array" and "items" in schema:
        return f"list of {form(schema['items'])}"
    return " or ".join(named) if isinstance(named, list) else str(named)


def expected(name: str, schema: Mapping[str, Any]) -> str:
    """Return a tool's signature on one line: `read_file(file_path: string, start_line?: integer)`."""
    required = schema.get("required") or ()
    members = schema.get("properties") or {}
    said = ", ".join(f"{key}{'' if key in required else '?'}: {form(value)}" for key, value in members.items())
    return f"{name}({said})"


DEEPEST = 100
"""Maximum nesting of lists and objects."""
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_LEADING = frozenset({*_REFERENCES, "$anchor", "$dynamicAnchor"})
_NESTED = (dict, Mapping, list, tuple)
_VALUES = frozenset({"const", "enum", "default", "example", "examples"})
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})


def reference_fault(schema: Mapping[str, Any]) -> str:
    """Return which part of a schema refers outside it or nowhere, or is nested too deeply; "" if none does.

    Constants that values are compared with are not schemas: a property may be called `$ref`, and a constant may have
    one.
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
            return f"has a reference that is not a text: {_shown(reference)}"
        if own and isinstance(own, str):
            reference = reference.removeprefix(own.rstrip("#"))
        if reference and not reference.startswith("#"):
            return f"refers to {_shown(reference)}, which is outside of it"
        if not _leads(schema, reference[1:], anchors, parts):
            return f"refers to {_shown(reference)}, which is not in it"
    return ""


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield every schema in a schema, with its depth; a cycle ends by its depth."""
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
    """Return whether a fragment is a JSON pointer to a schema in the schema, or an anchor of it."""
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
