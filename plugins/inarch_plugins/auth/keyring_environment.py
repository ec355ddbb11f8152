"""The environment with the user's keys in the keyring. The keyring is opened when one of them is read.

A sign-in acts like a key: its access token is the value of a variable, and is renewed before it expires.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarch import InarchError, StoreError, is_older
from inarch_lib.staging import locked, write_whole

if TYPE_CHECKING:
    from inarch_plugins.auth.oauth import Tokens
    from inarch_plugins.auth.sign_in import SignIn

SIGN_IN = "OPENAI_CHATGPT_TOKEN"
"""The variable with the access token for providers. It is not OPENAI_API_KEY, which may go to other services."""
Learn = Callable[[Iterable[tuple[str, str]]], object]
VERSION = 1
READ_S = 20.0
"""Seconds to wait for the keyring's keys. The user may have to unlock it."""


class KeptKeys(Mapping[str, str]):
    """Variables of the environment, and stored keys that are missing there. A key that cannot be read is empty."""

    def __init__(self, environ: Mapping[str, str], names: Collection[str], sign_in: SignIn | None = None) -> None:
        self._environ = dict(environ)
        self._sign_in = sign_in
        self._tokens: Tokens | None = None
        self._learners: list[Learn] = []
        self.kept = tuple(name for name in names if not self._environ.get(name))
        self.notes: tuple[str, ...] = ()
        self._values: dict[str, str] | None = None
        self._lock = threading.Lock()
        self._renewing = threading.Lock()

    def renewed(self, name: str) -> str:
        """Return a variable's value. If it is a sign-in's token, renew it first if it has expired.

        This may block on the keyring and the server, so call it in a thread.
        """
        if name != SIGN_IN or name not in self.kept or self._sign_in is None:
            return self[name]
        with self._renewing:
            if self._tokens is None or self._tokens.renew_at <= time.time() or not self._tokens.permits_plan:
                self._learn(self._sign_in.fresh())
            assert self._tokens is not None
            return self._tokens.access

    def on_renewal(self, learn: Learn) -> None:
        """Register a function that gets the sign-in's secrets, now and after each renewal."""
        self._learners.append(learn)
        if SIGN_IN in self.kept:
            self._read()
            if self._tokens is not None:
                self._learn(self._tokens)

    def _learn(self, tokens: Tokens) -> None:
        self._tokens = tokens
        for learn in self._learners:
            learn([(SIGN_IN, tokens.access), ("OPENAI_CHATGPT_REFRESH_TOKEN", tokens.refresh)])

    def __getitem__(self, name: str) -> str:
        return self._read().get(name, "") if name in self.kept else self._environ[name]

    def __contains__(self, name: object) -> bool:
        return name in self.kept or name in self._environ

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._environ, *self.kept)))

    def __len__(self) -> int:
        return len({*self._environ, *self.kept})

    def _read(self) -> Mapping[str, str]:
        from inarch_plugins.auth.keyring_process import get_keys

        with self._lock:
            if self._values is not None:
                return self._values
            self._values = {}
            keys = [name for name in self.kept if name != SIGN_IN]
            try:
                if self._sign_in is not None and SIGN_IN in self.kept:
                    self._tokens = self._sign_in.tokens()
                    self._values |= {SIGN_IN: self._tokens.access} if self._tokens is not None else {}
            except InarchError as error:
                self.notes = (*self.notes, f"{SIGN_IN}: {error}")
            try:
                self._values |= get_keys(keys, READ_S, self._environ) if keys else {}
            except InarchError as error:
                self.notes = (*self.notes, f"{', '.join(keys)}: {error}")
            return self._values


def with_kept_keys(environ: Mapping[str, str], file: Path) -> Mapping[str, str]:
    """Return the environment with the keys named in a file, or itself if none is missing."""
    try:
        names = read_names(file)
        sign_in = None
        if SIGN_IN in names:
            from inarch_plugins.auth.sign_in import FILE, SignIn

            sign_in = SignIn(file.with_name(FILE), environ)
        kept = KeptKeys(environ, names, sign_in)
    except InarchError as error:
        kept = KeptKeys(environ, ())
        kept.notes = (str(error),)
        return kept
    return kept if kept.kept else environ


def read_names(file: Path) -> list[str]:
    """Return the names of the stored keys. Their values are only in the keyring."""
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
            "damaged", f"{file} is damaged, so Inarch cannot list the stored keys", "delete it and set them again"
        )
    is_older(str(file), version, VERSION)
    return list(names)


@contextmanager
def changing_names(file: Path) -> Iterator[list[str]]:
    """Yield the names for changes, and write them back, under a lock against other processes."""
    try:
        with locked(file):
            names = read_names(file)
            yield names
            write_whole(file, json.dumps({"version": VERSION, "names": sorted(set(names))}).encode())
    except OSError as error:
        raise StoreError(
            "permission", f"the names of keys can't be stored in {file.parent}: {error.strerror}", "make it writable"
        ) from error
