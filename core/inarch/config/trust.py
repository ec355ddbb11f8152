"""Which projects the user trusts: bound to the project's path and to the content of every file that needs trust.

Kept in `trust.json` in the state folder, mode 0600, written atomically under a lock.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from inarch.config.kept import changing_kept, read_kept, write_kept
from inarch.config.project_files import digest, project_files

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
    changed = _changed(known, files)
    return Standing("changed" if changed else "trusted", files, changed)


def _changed(known: Mapping[str, str], files: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths that are not as they are known: with one of two hashes while one is written, "" for no file."""
    paths = {*files, *known}
    return tuple(sorted(path for path in paths if files.get(path, "") not in known.get(path, "").split("|")))


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


@contextmanager
def changing(root: str, state_dir: Path) -> Iterator[dict[str, str] | None]:
    """Give the record of a project that is trusted at this moment, to be kept as it is changed; None for any other.

    A project with nothing that needs trust has an empty record. Other processes wait meanwhile.

    Raises:
        StoreError: It can't be kept.
    """
    place = os.path.realpath(root)
    with _kept(state_dir) as projects:
        present = project_files(root).hashes
        if present and _changed(projects.get(place, {}), present):
            yield None
            return
        files = dict(present)
        yield files
        if files:
            projects[place] = files
        else:
            projects.pop(place, None)


def foresee(root: str, state_dir: Path, files: Mapping[str, str], path: str, data: bytes | None) -> None:
    """While the record is being changed, trust a file as it is and as it is about to be: a kill between costs nothing.

    Args:
        root: The project's folder.
        state_dir: Where `trust.json` is.
        files: The record.
        path: The file.
        data: Its new bytes, None where it is about to be removed.
    """
    both = f"{files.get(path, '')}|{'' if data is None else digest(data)}"
    write_kept(state_dir / TRUST_FILE, {**_read(state_dir), os.path.realpath(root): {**files, path: both}})


def _read(state_dir: Path) -> dict[str, dict[str, str]]:
    """Return the trusted projects; a damaged file trusts nobody."""
    return read_kept(state_dir / TRUST_FILE, dict)


def _kept(state_dir: Path) -> AbstractContextManager[dict[str, dict[str, str]]]:
    """Give the trusted projects to change, and write them back; one process at a time."""
    return changing_kept(state_dir / TRUST_FILE, dict, "trust")
