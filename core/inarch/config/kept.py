"""Small private files of the state folder that say something of each project: read whole, changed under a lock."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from inarch.contract.errors import StoreError

Record = TypeVar("Record")


def read_kept(path: Path, kind: type[Record]) -> dict[str, Record]:
    """Return what is kept of each project, by root; a damaged file keeps nothing.

    Args:
        path: The file.
        kind: What a project's record is, `dict` or `list`.
    """
    import json

    try:
        projects: Any = json.loads(path.read_bytes())["projects"]
        found = {str(root): record for root, record in projects.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return found if all(isinstance(record, kind) for record in found.values()) else {}


@contextmanager
def changing_kept(path: Path, kind: type[Record], what: str) -> Iterator[dict[str, Record]]:
    """Give the records of all projects to change, and write them back; one process at a time.

    Args:
        path: The file.
        kind: What a project's record is, `dict` or `list`.
        what: What is kept, for the message.

    Raises:
        StoreError: They can't be kept.
    """
    import fcntl
    import json

    from inarch.config.writing import make_folder, write_private

    try:
        make_folder(path.parent)
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            projects = read_kept(path, kind)
            before = json.dumps(projects)
            yield projects
            if json.dumps(projects) != before:
                text = json.dumps({"version": 1, "projects": projects}, indent=1) + "\n"
                write_private(path, text.encode())
        finally:
            os.close(lock)
    except OSError as error:
        raise StoreError(
            "permission", f"{what} can't be kept in {path.parent}: {error.strerror}", "make the folder writable"
        ) from error
