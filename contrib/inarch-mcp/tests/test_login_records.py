"""Stored logins: secrets in the keyring by server and issuer, else in a private file, and files that can't be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve
from inarch_mcp.login_records import Login, LoginFile, Secrets

import inarch

KEYRING = """
import json, os
from pathlib import Path
from keyring.backend import KeyringBackend
class InFile(KeyringBackend):
    priority = 1
    path = Path(os.environ["TEST_KEYRING"])
    def all(self):
        return json.loads(self.path.read_text()) if self.path.exists() else {}
    def get_password(self, service, name):
        return self.all().get(name)
    def set_password(self, service, name, value):
        self.path.write_text(json.dumps({**self.all(), name: value}))
    def delete_password(self, service, name):
        self.path.write_text(json.dumps({key: value for key, value in self.all().items() if key != name}))
"""
URL = "https://tickets.example/mcp"
LOGIN = Login("https://login.example", URL, "https://login.example/token", "mine", place="file")
SECRETS = Secrets("access-token", "refresh-token", "", 1.0)


@pytest.fixture
def keyring(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "kept_keyring.py").write_text(KEYRING)
    path = str(tmp_path / "keyring.json")
    return {"PYTHON_KEYRING_BACKEND": "kept_keyring.InFile", "PYTHONPATH": str(tmp_path), "TEST_KEYRING": path}


def test_secrets_are_in_the_keyring_by_server_and_issuer_and_leave_with_the_login(
    tmp_path: Path, keyring: dict[str, str]
) -> None:
    one, other = (LoginFile.of(str(tmp_path), url, keyring) for url in (URL, "https://other.example/mcp"))
    for kept in (one, other):
        assert kept.keep(LOGIN, SECRETS).place == "keyring"
        assert kept.secrets() == SECRETS and "token" not in kept.path.read_text().replace("token_endpoint", "").replace(
            "/token", ""
        )
    assert len(json.loads(Path(keyring["TEST_KEYRING"]).read_text())) == 2
    one.keep(evolve(LOGIN, issuer="https://else.example"), SECRETS)
    assert len(json.loads(Path(keyring["TEST_KEYRING"]).read_text())) == 3
    one.forget()
    assert one.login() is None and one.secrets() is None and other.secrets() == SECRETS
    assert len(json.loads(Path(keyring["TEST_KEYRING"]).read_text())) == 2


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"version": 1}', '{"version": 1, "url": "https://evil.example"}'])
def test_a_damaged_file_or_one_of_another_server_gives_no_tokens(tmp_path: Path, content: str) -> None:
    kept = LoginFile.of(str(tmp_path), URL, {})
    kept.path.parent.mkdir()
    kept.path.write_text(content)
    with pytest.raises(inarch.StoreError, match="damaged"):
        kept.secrets()


def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    kept = LoginFile.of(str(tmp_path), URL, {})
    kept.path.parent.mkdir()
    kept.path.write_text(json.dumps({"version": 99, "url": URL, "login": {}}))
    with pytest.raises(inarch.StoreError, match="newer"):
        kept.login()
