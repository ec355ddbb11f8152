"""The store of bundles.

A bundle's files are in `HASH/NAME`: some import their own folder as a package. A file counts only while it is as the
user agreed to it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from inarch_lib.staging import locked, make_folder, write_whole

SERVERS = ".mcp.json"
RECORDS = "bundles.json"
_VERSION = 1
_CONFIGURED = ".inarch/bundles.json"
"""The file in which a project names the bundles that it uses, each by `source` and `sha`."""


class File(NamedTuple):
    """A file's bytes, and whether it is a program."""

    data: bytes
    is_program: bool = False


class Kept(Protocol):
    """Files of a trusted project."""

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes."""


class Bundle(NamedTuple):
    """A stored bundle: its name, its folder and the SHA-256 of its files by path.

    Its methods are those of a folder of kept files.
    """

    name: str
    top: Path
    hashes: Mapping[str, str]

    def place(self, name: str) -> str:
        """Return a file's path as messages show it."""
        return f"{self.name}:{name}"

    def names(self, folder: str = "") -> Sequence[str]:
        """Return the sorted paths of the files below a folder."""
        return sorted(path for path in self.hashes if not folder or path.startswith(f"{folder}/"))

    def read(self, name: str) -> bytes | None:
        """Return a file's bytes, None if it does not exist or has changed."""
        try:
            data = (self.top / name).read_bytes() if name in self.hashes else b""
        except OSError:
            return None
        return data if sha256(data).hexdigest() == self.hashes.get(name) else None

    @property
    def is_whole(self) -> bool:
        """Return whether all its files are as the user agreed to them."""
        return all(self.read(path) is not None for path in self.hashes)

    def change(self, name: str, edit: object) -> None:
        """Refuse: a bundle is replaced as a whole.

        Raises:
            OSError: Always.
        """
        raise PermissionError(f"{self.place(name)} belongs to a bundle")


def stored(folder: Path, project: Kept | None) -> list[Bundle]:
    """Return the bundles that the user has enabled, and those that a trusted project names by source and commit."""
    try:
        named = json.loads((project.read(_CONFIGURED) if project is not None else None) or b"[]")
        wanted = {(one["source"], one["sha"]) for one in named}
    except (ValueError, KeyError, TypeError, RecursionError):
        wanted = set()
    return [
        _stored(name, folder, one["tree"])
        for name, one in records(folder).items()
        if one["enabled"] or (one["sha"] and (one["source"], one["sha"]) in wanted)
    ]


def records(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the records of the stored bundles by name; a damaged or newer file has none."""
    try:
        data = json.loads((folder / RECORDS).read_bytes())
        found = data["bundles"] if data["version"] == _VERSION else {}
        return {name: one for name, one in found.items() if {"tree", "source", "sha", "enabled"} <= one.keys()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


@contextmanager
def changing_records(folder: Path) -> Iterator[dict[str, dict[str, Any]]]:
    """Yield the records for changes, and write them back; other processes wait.

    Raises:
        OSError: They cannot be stored.
    """
    with locked(folder / RECORDS):
        found, place = records(folder), folder / RECORDS
        if not found and b'"version": 1,' not in (place.read_bytes() if place.exists() else b'"version": 1,'):
            place.replace(f"{place}.damaged")
        yield found
        write_whole(folder / RECORDS, json.dumps({"version": _VERSION, "bundles": found}, indent=1).encode())


def hash_of(files: Mapping[str, File]) -> str:
    """Return the hash of a tree: of its paths, bytes and programs."""
    lines = [f"{sha256(one.data).hexdigest()} {one.is_program:d} {path}\n" for path, one in sorted(files.items())]
    return sha256("".join(lines).encode()).hexdigest()


def place_of(folder: Path, name: str, tree: str) -> Path:
    """Return the folder of a bundle's files."""
    return folder / tree / name


def keep(folder: Path, name: str, files: Mapping[str, File]) -> None:
    """Store the files of a bundle.

    Raises:
        OSError: It cannot be stored.
    """
    tree = hash_of(files)
    top = place_of(folder, name, tree)
    shutil.rmtree(top, ignore_errors=True)
    for path, one in files.items():
        place = top / path
        make_folder(place.parent)
        write_whole(place, one.data, mode=0o700 if one.is_program else 0o600, sync=False)
    hashes = {path: sha256(one.data).hexdigest() for path, one in files.items()}
    make_folder(folder)
    write_whole(folder / f"{tree}.json", json.dumps(hashes).encode())


def forget(folder: Path, tree: str) -> None:
    """Remove a tree, if it exists."""
    (folder / f"{tree}.json").unlink(missing_ok=True)
    shutil.rmtree(folder / tree, ignore_errors=True)


def _stored(name: str, folder: Path, tree: str) -> Bundle:
    try:
        hashes = json.loads((folder / f"{tree}.json").read_bytes())
    except (OSError, ValueError):
        hashes = {}
    return Bundle(name, place_of(folder, name, tree), hashes)
