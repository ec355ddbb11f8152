"""`--output-schema FILE`: the schema that an answer has to keep is read before anything is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inarch.contract.errors import UsageError
from inarch_lib.schemas.answers import schema_fault

LARGEST = 1 << 20
"""Bytes of the file."""


def read_schema(place: str) -> dict[str, Any]:
    """Return the JSON Schema in a file.

    Raises:
        UsageError: It can't be read, is no JSON Schema, or no answer could keep it.
    """
    remedy = "name a file with a JSON Schema (Draft 2020-12) in it"
    try:
        with Path(place).open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise UsageError(f"--output-schema {place} is larger than {LARGEST >> 20} MB", remedy)
        schema = json.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"--output-schema {place} can't be read: {error.strerror or error}", remedy) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--output-schema {place} is no JSON: {error}", remedy) from None
    if fault := schema_fault(schema):
        raise UsageError(f"--output-schema {place} {fault}", remedy)
    return dict(schema)
