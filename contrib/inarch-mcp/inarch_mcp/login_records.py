"""Stored logins: one file for each server, with the secrets in the keyring, or in the file if there is no keyring.

Some servers let a refresh token be used only once. So processes renew one at a time, under the file's lock, and new
tokens are stored before they are used.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import asdict, evolve, frozen

import inarch
from inarch_lib.staging import make_folder, write_whole
from inarch_plugins.auth.locks import sign_in_locked

VERSION = 1
READ_S = 20.0
"""Seconds to wait for the keyring."""
MARGIN_S = 30.0
"""Seconds before its end from which an access token is renewed."""


@frozen(repr=False)
class Secrets:
    """The secrets of a login, and the end of the access token in seconds since 1970; 0 if that is unknown."""

    access: str
    refresh: str = ""
    client_secret: str = ""
    ends_at: float = 0.0

    @property
    def has_ended(self) -> bool:
        """Return whether the access token has ended, or ends soon."""
        return 0 < self.ends_at <= time.time() + MARGIN_S


@frozen
class Login:
    """A login without its secrets.

    Args:
        issuer: The authorization server.
        resource: The resource for which the tokens are (RFC 8707).
        token_endpoint: Where tokens are renewed.
        client_id: The client at the authorization server.
        auth_method: How the client authenticates there.
        scope: The granted scopes.
        revocation_endpoint: Where tokens are revoked, or "".
        wanted: Scopes that a call lacked, for the next login.
        place: The location of the secrets: `keyring` or `file`.
    """

    issuer: str
    resource: str
    token_endpoint: str
    client_id: str
    auth_method: str = "none"
    scope: str = ""
    revocation_endpoint: str = ""
    wanted: str = ""
    place: str = ""


@frozen(repr=False)
class LoginFile:
    """The stored login of one server.

    Args:
        path: The file.
        url: The server's address. Tokens go to no other.
        environ: The environment for the keyring.
    """

    path: Path
    url: str
    environ: Mapping[str, str]

    @classmethod
    def of(cls, state: str, url: str, environ: Mapping[str, str]) -> LoginFile:
        """Return the file for a server's address in the plugin's state folder."""
        return cls(Path(state, "logins", f"{sha256(url.encode()).hexdigest()[:24]}.json"), url, environ)

    def login(self) -> Login | None:
        """Return the stored login, or None.

        Raises:
            StoreError: The file can't be read.
        """
        kept = self._read()
        try:
            return Login(**kept["login"]) if kept else None
        except (KeyError, TypeError):
            raise self._damaged() from None

    def secrets(self) -> Secrets | None:
        """Return the stored secrets, which may have ended, or None.

        Raises:
            StoreError: The file or the keyring can't be read.
        """
        kept, login = self._read(), self.login()
        if login is None:
            return None
        try:
            given = kept["secrets"] if login.place == "file" else json.loads(self._in_keyring(login))
            return Secrets(**given)
        except (ValueError, KeyError, TypeError):
            raise self._damaged() from None

    def keep(self, login: Login, secrets: Secrets) -> Login:
        """Store a login, with the secrets in the keyring, else in the file.

        Raises:
            StoreError: It can't be stored.
        """
        from inarch_plugins.auth.keyring_process import set_key

        place = "keyring"
        try:
            set_key(self._entry(login), json.dumps(asdict(secrets)), self.environ)
        except inarch.StoreError:
            place = "file"
        login = evolve(login, place=place)
        self.write(login, secrets if place == "file" else None)
        return login

    def forget(self) -> None:
        """Remove the login.

        Raises:
            StoreError: The keyring or the file can't be changed.
        """
        from inarch_plugins.auth.keyring_process import forget_key

        login = self.login()
        if login is not None and login.place == "keyring":
            forget_key(self._entry(login), self.environ)
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise inarch.StoreError("permission", f"{self.path} can't be removed: {error.strerror}") from error

    def write(self, login: Login, secrets: Secrets | None = None) -> None:
        """Write the file, readable only by its owner.

        Raises:
            StoreError: It can't be written.
        """
        within = {"secrets": asdict(secrets)} if secrets is not None else {}
        data = {"version": VERSION, "url": self.url, "login": asdict(login), **within}
        try:
            make_folder(self.path.parent)
            write_whole(self.path, json.dumps(data).encode())
        except OSError as error:
            message = f"the login can't be stored in {self.path.parent}: {error.strerror}"
            raise inarch.StoreError("permission", message, "make it writable") from error

    def locked(self) -> AbstractContextManager[None]:
        """Lock the login against other processes.

        Raises:
            StoreError: The lock failed.
        """
        return sign_in_locked(self.path)

    def mark(self) -> tuple[int, int]:
        """Return a number pair that differs after each write."""
        with suppress(OSError):
            found = self.path.stat()
            return found.st_mtime_ns, found.st_ino
        return 0, 0

    def _entry(self, login: Login) -> str:
        """Return the name in the keyring, which belongs to this server and this issuer."""
        both = f"{self.url}\0{login.issuer}"
        return f"MCP_LOGIN_{sha256(both.encode()).hexdigest()[:24].upper()}"

    def _in_keyring(self, login: Login) -> str:
        from inarch_plugins.auth.keyring_process import get_keys

        return get_keys([self._entry(login)], READ_S, self.environ).get(self._entry(login), "")

    def _read(self) -> dict[str, Any]:
        try:
            kept = json.loads(self.path.read_bytes())
            version = kept["version"]
            is_right = kept["url"] == self.url
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise inarch.StoreError("permission", f"{self.path} can't be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError):
            raise self._damaged() from None
        inarch.is_older(str(self.path), version, VERSION)
        if not is_right:
            raise self._damaged()
        return dict(kept)

    def _damaged(self) -> inarch.StoreError:
        return inarch.StoreError("damaged", f"the login in {self.path} is damaged", "log in again: inarch mcp login")
