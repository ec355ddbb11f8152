"""JSON Schemas of the tools, and what a call of each reads and writes.

Schemas are short, because every request carries all of them. The system text says once that paths are relative to the
workspace root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from inarch import Effects, ToolFailed
from inarch_plugins.sandbox_fs.globs import compile_glob
from inarch_plugins.sandbox_fs.paths import normal

LONGEST_S = 600
"""Maximum seconds for a command."""
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


_PATH = {"type": "string", "minLength": 1}
_LINE = {"type": ["integer", "null"], "minimum": 1}
_CONTENT = {"type": "string"}
_FALSE = {"type": "boolean", "default": False}

LIST_FILES = _object(
    pattern=_text("Such as **/*.py or src/**; ** is any depth", default="**/*", minLength=1),
    limit=_number(1, default=200, maximum=_MOST_LISTED),
)
LIST_DIRECTORY = _object(directory={**_PATH, "default": "."})
READ_FILE = _object("file_path", file_path=_PATH, start_line=_LINE, end_line=_LINE)
READ_MULTIPLE_FILES = _object(
    "file_paths", file_paths={"type": "array", "items": _PATH, "minItems": 1, "maxItems": _MOST_FILES}
)
SEARCH_FILES = _object(
    "pattern",
    pattern=_text("Python regular expression, matched line by line", minLength=1, maxLength=1_000),
    path={**_PATH, "default": "."},
    glob={"type": ["string", "null"], "description": "Only these files: *.py (at any depth), src/**/*.py"},
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
    search=_text("Copied exactly; must be there once", minLength=1),
    replace=_CONTENT,
    description=_text("Why, in a few words"),
    replace_all=_FALSE,
)
APPLY_PATCH = _object(
    "patch",
    patch=_text(
        "*** Begin Patch, then of each file *** Add File: PATH with + before every line, *** Delete File: PATH, or "
        "*** Update File: PATH, if it moves *** Move to: PATH, and changes: @@ and a line above it, then lines that "
        "begin with a space (as they are), - (gone) or + (new), *** End of File where the file ends; *** End Patch",
        minLength=1,
    ),
)
READ_OUTPUT = _object(
    "output_ref",
    output_ref={"type": "string", "minLength": 1},
    offset=_number(0, default=0, description="Byte to start at"),
    limit=_number(1, default=20_000, maximum=200_000),
)


Arguments = Mapping[str, Any]
_EVERYTHING = ""


def _effects(reads: str = "", writes: str = "", *, removes: bool = False) -> Callable[[Arguments], Effects]:
    """Return what gives the effects of a call on the files that some arguments name."""

    def effects(arguments: Arguments) -> Effects:
        read, written = (_paths(map(arguments.get, names.split())) for names in (reads, writes))
        return Effects(read, written, removes=removes)

    return effects


reads_file = _effects(reads="file_path")
changes_file = _effects(reads="file_path", writes="file_path")
writes_file = _effects(writes="file_path")
removes_file = _effects(writes="file_path", removes=True)
moves_file = _effects(writes="file_path new_path")


def reads_files(arguments: Arguments) -> Effects:
    """Return the effects of reading several files."""
    paths = arguments.get("file_paths")
    return Effects(reads=_paths(paths if isinstance(paths, list) else [None]))


def reads_folder(arguments: Arguments) -> Effects:
    """Return the effects of reading a directory."""
    return Effects(reads=_subtree(arguments.get("directory", ".")))


def reads_pattern(arguments: Arguments) -> Effects:
    """Return the effects of reading everything below the first directory of a glob."""
    try:
        start = compile_glob(normal(arguments.get("pattern", "**/*"))).start
    except ToolFailed:
        start = "."
    return Effects(reads=_subtree(start))


def searches(arguments: Arguments) -> Effects:
    """Return the effects of reading a file, or everything below a directory."""
    path = arguments.get("path", ".")
    return Effects(reads=_subtree(path) | _paths([path]))


def _paths(paths: Iterable[object]) -> frozenset[str]:
    return frozenset(_one(path) for path in paths)


def _subtree(path: object) -> frozenset[str]:
    one = _one(path)
    return frozenset({one if one == _EVERYTHING else f"{one}/"})


def _one(path: object) -> str:
    try:
        found = normal(path)
    except ToolFailed:
        return _EVERYTHING  # the call will be refused; until then it conflicts with all others
    return _EVERYTHING if found == "." else found
