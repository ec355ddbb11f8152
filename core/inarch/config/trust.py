"""Which projects the user trusts: bound to the project's path and to the content of every file that needs trust.

Kept in `trust.json` in the state folder, mode 0600, written atomically under a lock.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from inarch.config.files import Unreadable
from inarch.config.project_files import digest, project_files, read_project_file
from inarch.contract.errors import StoreError

TRUST_FILE = "trust.json"


class Standing(NamedTuple):
    """How a project stands: `files` are the present ones by path and hash, `changed` those that differ from before."""

    state: Literal["nothing", "trusted", "untrusted", "changed"]
    files: Mapping[str, str]
    changed: tuple[str, ...] = ()


def trust_of(root: str, state_dir: Path, files: Mapping[str, str] | None = None) -> Standing:
    """Return how the project at `root` stands.

    Args:
        root: The project's folder.
        state_dir: Where `trust.json` is.
        files: Hashes by path that were read already; None reads them.
    """
    files = project_files(root).hashes if files is None else files
    if not files:
        return Standing("nothing", {})
    known = _read(state_dir).get(os.path.realpath(root))
    if known is None:
        return Standing("untrusted", files)
    changed = tuple(sorted(path for path in {*files, *known} if files.get(path) != known.get(path)))
    return Standing("changed" if changed else "trusted", files, changed)


def grant(root: str, files: Mapping[str, str], state_dir: Path) -> None:
    """Trust a project as it was shown: `files` are the hashes of what the user saw.

    Raises:
        StoreError: It can't be kept.
    """
    with _kept(state_dir) as projects:
        projects[os.path.realpath(root)] = dict(files)


def revoke(root: str, state_dir: Path) -> bool:
    """Trust a project no longer; return whether it was trusted.

    Raises:
        StoreError: It can't be kept.
    """
    with _kept(state_dir) as projects:
        return projects.pop(os.path.realpath(root), None) is not None


def renew(root: str, path: str, before: str | None, state_dir: Path) -> bool:
    """Keep trust over Inarch's own change of a file under `.inarch`; return whether the project was trusted.

    Args:
        root: The project's folder.
        path: The file's path in the project.
        before: Its hash before the change (None: it was not there); another one in the record means that somebody
            else changed it too, and trust ends.
        state_dir: Where `trust.json` is.

    Raises:
        StoreError: It can't be kept.
    """
    try:
        data = read_project_file(root, path)
    except Unreadable:
        return False
    with _kept(state_dir) as projects:
        files = projects.get(os.path.realpath(root))
        if files is None or files.get(path) != before:
            return False
        files.pop(path, None)
        if data is not None:
            files[path] = digest(data)
        return True


def _read(state_dir: Path) -> dict[str, dict[str, str]]:
    """Return the trusted projects; a damaged file trusts nobody."""
    import json

    try:
        data: Any = json.loads((state_dir / TRUST_FILE).read_bytes())
        projects = data["projects"]
        return {str(root): {str(path): str(known) for path, known in files.items()} for root, files in projects.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


@contextmanager
def _kept(state_dir: Path) -> Iterator[dict[str, dict[str, str]]]:
    """Give the trusted projects to change, and write them back; one process at a time."""
    import fcntl
    import json

    from inarch.config.writing import make_folder, write_private

    try:
        make_folder(state_dir)
        lock = os.open(state_dir / f"{TRUST_FILE}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            projects = _read(state_dir)
            before = json.dumps(projects)
            yield projects
            if json.dumps(projects) != before:
                text = json.dumps({"version": 1, "projects": projects}, indent=1) + "\n"
                write_private(state_dir / TRUST_FILE, text.encode())
        finally:
            os.close(lock)
    except OSError as error:
        raise StoreError(
            "permission", f"trust can't be kept in {state_dir}: {error.strerror}", "make the folder writable"
        ) from error
