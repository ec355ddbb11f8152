"""Keyrings for the tests: the real library asks them, in the process that asks the keyring."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError


class InFile(KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.path = Path(os.environ["TEST_KEYRING"])

    def _all(self) -> dict[str, str]:
        with Path(f"{self.path}.opened").open("a") as opened:
            opened.write("opened\n")
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def get_password(self, service: str, username: str) -> str | None:
        print("a backend that prints")
        return self._all().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self.path.write_text(json.dumps({**self._all(), f"{service} {username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        kept = self._all()
        if kept.pop(f"{service} {username}", None) is None:
            raise PasswordDeleteError("not there")
        self.path.write_text(json.dumps(kept))


class Locked(InFile):
    def _all(self) -> dict[str, str]:
        raise KeyringLocked("the person said no")


class Hanging(InFile):
    def _all(self) -> dict[str, str]:
        time.sleep(600)
        return {}


class Forgetting(InFile):
    def set_password(self, service: str, username: str, password: str) -> None:
        pass


class Broken(InFile):
    def _all(self) -> dict[str, str]:
        raise RuntimeError("sk-a-secret-in-a-message")


class OnlyRead(InFile):
    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked("the person said no")
