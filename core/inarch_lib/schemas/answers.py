"""Answers that must be JSON of a schema: feasibility, request to the model, and check."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from inarch_lib.schemas.validation import BrokenSchema, Schema, reference_fault

LARGEST = 65_536
"""Maximum characters of a schema; every request contains it."""
_FENCED = re.compile(r"(`{3,})(?:json[c5]?)?[ \t]*\n(.*?)\n?\1", re.S | re.I)
_ASKED = (
    "Your final answer must be one JSON value and nothing else: no words before or after it, no code fence. It must "
    "keep this JSON Schema:\n"
)


class Unkept(ValueError):
    """Error for an answer that does not match the schema."""


def schema_fault(schema: Any) -> str:
    """Return why answers cannot be asked to match the schema; "" if they can."""
    if not isinstance(schema, Mapping):
        return "is no object"
    fault = reference_fault(schema)
    if fault:
        return fault
    if len(_written(schema)) > LARGEST:
        return f"is longer than {LARGEST:,} characters"
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(json.loads(_written(schema)))
        Schema(schema, "member").faults(None)  # whether it can be applied at all
    except (SchemaError, BrokenSchema) as error:
        return f"is not a JSON Schema: {getattr(error, 'message', error)!s:.300}"
    return ""


def asked_for(schema: Mapping[str, Any]) -> str:
    """Return the model's instructions for the answer."""
    return _ASKED + _written(schema)


def read_answer(text: str, schema: Mapping[str, Any]) -> str:
    """Return the JSON of an answer, without a fence around the whole.

    Raises:
        Unkept: It is not JSON, or does not match the schema.
    """
    bare = text.strip()
    fenced = _FENCED.fullmatch(bare)
    if fenced is not None:
        bare = fenced[2].strip()
    try:
        value = json.loads(bare, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Unkept(f"the answer is not one JSON value: {error}" if bare else "the answer is empty") from None
    try:
        faults = Schema(schema, "member").faults(value)
    except BrokenSchema as error:
        faults = (f"the schema can't be applied to it: {error}",)
    if faults:
        raise Unkept(f"the answer does not keep the schema: {'; '.join(faults)}")
    return bare


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _written(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)
