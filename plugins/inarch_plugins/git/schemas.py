"""JSON Schemas of the tools' arguments and results; short, because every request carries the arguments' schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]


def _object(required: str = "", **properties: Schema) -> Schema:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required.split()} if required else schema


def _data(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


_TEXT = {"type": "string"}
_TEXT_OR_NOTHING = {"type": ["string", "null"]}
_COUNT_OR_NOTHING = {"type": ["integer", "null"]}
_PATH = {"type": "string", "minLength": 1}
_PATHS = _list(_PATH, default=[], description="Only these files and directories")
_LINE = {"type": ["integer", "null"], "minimum": 1}

NOTHING = _object()
DIFF = _object(paths=_PATHS, staged={"type": "boolean", "default": False})
LOG = _object(paths=_PATHS, limit={"type": "integer", "minimum": 1, "maximum": 1_000, "default": 20})
SHOW = _object(
    "revision", revision={"type": "string", "minLength": 1, "description": "A commit: HEAD, HEAD~2, a branch, a hash"}
)
BLAME = _object("file_path", file_path=_PATH, start_line=_LINE, end_line=_LINE)
_NUMBER = {"type": "integer", "minimum": 0, "default": 0}
CHANGES = _object(
    base={**_TEXT, "default": "", "description": "A branch: what changed since its merge base with HEAD"},
    commit={**_TEXT, "default": "", "description": "A commit: what it changed"},
    uncommitted={"type": "boolean", "default": False, "description": "What is not committed, with untracked files"},
    after={**_NUMBER, "description": "Skip this many files"},
    offset={**_NUMBER, "description": "Skip this many characters of the next file's diff"},
)
COMMIT = _object(
    "paths message",
    paths=_list(_PATH, minItems=1, maxItems=1_000, description="New and deleted files too"),
    message={"type": "string", "minLength": 1, "description": "Subject line, empty line, body"},
)

_CHANGES = _list(_data(path=_TEXT, change=_TEXT))
_NAMED_COMMIT = {"commit": _TEXT, "author": _TEXT, "date": _TEXT, "subject": _TEXT}

STATUS_DATA = _data(
    branch=_TEXT_OR_NOTHING,
    commit=_TEXT_OR_NOTHING,
    upstream=_TEXT_OR_NOTHING,
    ahead=_COUNT_OR_NOTHING,
    behind=_COUNT_OR_NOTHING,
    operation=_TEXT_OR_NOTHING,
    staged=_CHANGES,
    changed=_CHANGES,
    untracked=_list(_TEXT),
    conflicted=_CHANGES,
    note=_TEXT_OR_NOTHING,
)
DIFF_DATA = _data(diff=_TEXT, note=_TEXT_OR_NOTHING)
_COUNT = {"type": "integer"}
CHANGES_DATA = _data(
    what=_TEXT,
    total=_COUNT,
    files=_list(_data(path=_TEXT, old_path=_TEXT_OR_NOTHING, added=_COUNT, removed=_COUNT, diff=_TEXT)),
    next={"anyOf": [_data(after=_COUNT, offset=_COUNT), {"type": "null"}]},
    rest=_list(_data(path=_TEXT, files=_COUNT)),
)
LOG_DATA = _data(commits=_list(_data(**_NAMED_COMMIT)), note=_TEXT_OR_NOTHING)
SHOW_DATA = _data(**_NAMED_COMMIT, parents=_list(_TEXT), message=_TEXT, diff=_TEXT, note=_TEXT_OR_NOTHING)
BLAME_DATA = _data(
    path=_TEXT,
    lines=_list(
        _data(line={"type": "integer"}, commit=_TEXT_OR_NOTHING, author=_TEXT, date=_TEXT_OR_NOTHING, text=_TEXT)
    ),
    note=_TEXT_OR_NOTHING,
)
COMMIT_DATA = _data(commit=_TEXT, branch=_TEXT_OR_NOTHING, subject=_TEXT, files=_list(_TEXT), note=_TEXT_OR_NOTHING)
