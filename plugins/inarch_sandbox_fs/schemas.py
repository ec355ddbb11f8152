"""What the tools take, in JSON Schema; kept short, for a model reads all of it in each request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST_ENTRIES = 2_000
_MOST_FILES = 2_000
_MOST_LISTED = 100_000

Schema = Mapping[str, Any]


def _object(required: str = "", **properties: Schema) -> Schema:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required.split()} if required else schema


def _text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def _number(least: int, **more: Any) -> Schema:
    return {"type": "integer", "minimum": least, **more}


_PATH = _text("Path relative to the workspace root", minLength=1)
_LINE = {"type": ["integer", "null"], "minimum": 1}
_CONTENT = _text("The whole text")
_FALSE = {"type": "boolean", "default": False}

LIST_FILES = _object(
    pattern=_text("Glob; ** is any depth: **/*.py, src/**", default="**/*", minLength=1),
    limit=_number(1, default=200, maximum=_MOST_LISTED),
)
LIST_DIRECTORY = _object(directory=_text("Relative to the workspace root", default=".", minLength=1))
READ_FILE = _object("file_path", file_path=_PATH, start_line=_LINE, end_line=_LINE)
READ_MULTIPLE_FILES = _object(
    "file_paths", file_paths={"type": "array", "items": _PATH, "minItems": 1, "maxItems": _MOST_FILES}
)
SEARCH_FILES = _object(
    "pattern",
    pattern=_text("Regular expression in Python's syntax, matched line by line", minLength=1, maxLength=1_000),
    path=_text("File or directory to search", default=".", minLength=1),
    glob={"type": ["string", "null"], "description": "Only these files, such as *.py (at any depth) or src/**/*.py"},
    ignore_case=_FALSE,
    limit=_number(1, default=100, maximum=10_000),
)
WRITE_FILE = _object("file_path content", file_path=_PATH, content=_CONTENT)
CREATE_FILE = WRITE_FILE
DELETE_FILE = _object("file_path", file_path=_PATH)
MOVE_FILE = _object("file_path new_path", file_path=_PATH, new_path=_PATH)
PATCH_SOURCE_FILE = _object(
    "file_path search replace",
    file_path=_PATH,
    search=_text("Text to replace, copied exactly; must be there once", minLength=1),
    replace=_text("Text to put there"),
    description=_text("Why, in a few words"),
    replace_all={**_FALSE, "description": "Replace every place"},
)
READ_OUTPUT = _object(
    "output_ref",
    output_ref={"type": "string", "minLength": 1},
    offset=_number(0, default=0, description="Byte to start at"),
    limit=_number(1, default=20_000, maximum=200_000),
)
