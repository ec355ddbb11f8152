"""Small private files of the state folder with a record for each project: read whole, changed under a lock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from inarch.contract.errors import StoreError
from inarch_sdk.versions import is_older

Record = TypeVar("Record")
VERSION = 1
"""Version of all these files; raise it when one of them changes its form."""


def read_kept(path: Path, kind: type[Record]) -> dict[str, Record]:
    """Return the record of each project, a `dict` or `list`, by root; a damaged file counts as empty.

    Raises:
        StoreError: A newer Inarch wrote it.
    """
    try:
        return _records(path, path.read_bytes(), kind) or {}
    except OSError:
        return {}


def _records(path: Path, data: bytes, kind: type[Record]) -> dict[str, Record] | None:
    """Return the records in a file's bytes, None if they are damaged."""
    import json

    try:
        kept: Any = json.loads(data)
        version, projects = kept["version"], kept["projects"]
        found = {str(root): record for root, record in projects.items()}
        is_ours = type(version) is int
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if is_ours:
        is_older(path, version, VERSION)
    return found if is_ours and all(isinstance(record, kind) for record in found.values()) else None


def _to_change(path: Path, kind: type[Record]) -> dict[str, Record]:
    """Return the records to change; a damaged file is renamed to `NAME.damaged`, never overwritten."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    found = _records(path, data, kind)
    if found is None:
        path.replace(path.with_name(f"{path.name}.damaged"))
    return found or {}


@contextmanager
def changing_kept(path: Path, kind: type[Record], what: str) -> Iterator[dict[str, Record]]:
    """Yield the records of all projects for changes, and write them back; one process at a time.

    Raises:
        StoreError: They cannot be stored, or a newer Inarch wrote them.
    """
    import json

    from inarch_lib.staging import locked

    try:
        with locked(path):
            projects = _to_change(path, kind)
            before = json.dumps(projects)
            yield projects
            if json.dumps(projects) != before:
                write_kept(path, projects)
    except OSError as error:
        raise StoreError(
            "permission", f"{what} can't be stored in {path.parent}: {error.strerror}", "make the folder writable"
        ) from error


def write_kept(path: Path, projects: Mapping[str, object]) -> None:
    """Write the records of all projects; the caller must hold the lock."""
    import json

    from inarch_lib.staging import write_whole

    text = json.dumps({"version": VERSION, "projects": projects}, indent=1) + "\n"
    write_whole(path, text.encode())
