"""The environment with the keys that the person keeps in the keyring, which is opened when one of them is looked at."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inarch import InarchError, StoreError, is_older
from inarch_staging import locked, write_whole

VERSION = 1
READ_S = 20.0
"""Seconds that the keyring has to give the keys: a person may have to unlock it."""


class KeptKeys(Mapping[str, str]):
    """Variables of the environment, and keys that are missing there; one that can't be had reads as empty.

    Args:
        environ: The environment.
        names: The names of the keys that are kept.
    """

    def __init__(self, environ: Mapping[str, str], names: Collection[str]) -> None:
        self._environ = dict(environ)
        self.kept = tuple(name for name in names if not self._environ.get(name))
        self.notes: tuple[str, ...] = ()
        self._values: Mapping[str, str] | None = None
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> str:
        return self._read().get(name, "") if name in self.kept else self._environ[name]

    def __contains__(self, name: object) -> bool:
        return name in self.kept or name in self._environ

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._environ, *self.kept)))

    def __len__(self) -> int:
        return len({*self._environ, *self.kept})

    def _read(self) -> Mapping[str, str]:
        from inarch_auth.ring import get_keys

        with self._lock:
            if self._values is None:
                try:
                    self._values = get_keys(self.kept, READ_S, self._environ)
                except InarchError as error:
                    self._values = {}
                    self.notes = (f"{', '.join(self.kept)}: {error}",)
            return self._values


def with_kept_keys(environ: Mapping[str, str], file: Path) -> Mapping[str, str]:
    """Return the environment with the keys whose names stand in a file; itself, where none is missing in it."""
    try:
        kept = KeptKeys(environ, read_names(file))
    except InarchError as error:
        kept = KeptKeys(environ, ())
        kept.notes = (str(error),)
        return kept
    return kept if kept.kept else environ


def read_names(file: Path) -> list[str]:
    """Return the names of the keys that are kept; never their values, which only the keyring has.

    Raises:
        StoreError: The file can't be read, or a newer Inarch wrote it.
    """
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError("permission", f"{file} can't be read: {error.strerror}", "make it readable") from None
    try:
        kept: Any = json.loads(data)
        version, names = kept["version"], kept["names"]
        is_right = type(version) is int and isinstance(names, list) and all(isinstance(name, str) for name in names)
    except (ValueError, KeyError, TypeError, RecursionError):
        is_right = False
    if not is_right:
        raise StoreError(
            "damaged", f"{file} is damaged: which keys are kept is not known", "delete it, and set them again"
        )
    is_older(str(file), version, VERSION)
    return list(names)


@contextmanager
def changing_names(file: Path) -> Iterator[list[str]]:
    """Give the names to change, and write them back; one process at a time.

    Raises:
        StoreError: They can't be read or kept.
    """
    try:
        with locked(file):
            names = read_names(file)
            yield names
            write_whole(file, json.dumps({"version": VERSION, "names": sorted(set(names))}).encode())
    except OSError as error:
        raise StoreError(
            "permission", f"the names of keys can't be kept in {file.parent}: {error.strerror}", "make it writable"
        ) from error
