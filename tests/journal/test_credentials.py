"""What is secret in files of credentials, in the forms of the programs that keep them."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_samples import lot

from inarch.journal.redactor import Redactor
from inarch_lib.secrets.credentials import secrets_in, secrets_of_file

WORD = "lily.pads-42"
"""A password that neither its form nor its looks give away: it could be a host."""


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


PEM = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{lot(64)}\n{lot(64)}\n-----END OPENSSH PRIVATE KEY-----"
HOLDING = [
    (".netrc", f"machine example.org login ann password {WORD}\nmacdef init\ncd /\n"),
    (".netrc", f'machine example.org\n  login ann\n  password "{WORD}"\n'),
    ("_netrc", f"default login ann password {WORD}\n"),
    (".git-credentials", f"https://ann:{WORD}@example.org\n"),
    (".npmrc", f"registry=https://example.org/\n//example.org:8080/a/:_authToken={WORD}\n"),
    (".npmrc", f"//example.org/:_password={b64(WORD)}\n"),
    (".npmrc", f"_auth = {b64('ann:' + WORD)}\n"),
    ("hosts.yml", f"github.com:\n    users:\n        ann:\n            oauth_token: {WORD}\n    user: ann\n"),
    (".pypirc", f"[pypi]\nrepository = https://example.org/legacy/\nusername = ann\npassword = {WORD}\n"),
    (".pypirc", f"[pypi]\npassword = {WORD} with spaces\n"),
    ("pip.conf", f"[global]\nindex-url =\n    https://ann:{WORD}@example.org/simple\n"),
    ("config.json", json.dumps({"auths": {"https://example.org/v1/": {"auth": b64("ann:" + WORD)}}})),
    ("config.json", json.dumps({"auths": {"example.org": {"identitytoken": WORD}}}, indent=2)),
    ("config.json", "// a comment\n" + json.dumps({"deep": [{"clientSecret": WORD}]})),
    (".gitconfig", f"[http]\n\textraheader = AUTHORIZATION: basic {b64('ann:' + WORD)}\n"),
    (".gitconfig", f'[url "https://ann:{WORD}@example.org/"]\n\tinsteadOf = https://example.org/\n'),
    ("credentials", f"[default]\naws_access_key_id = x\naws_session_token = {WORD}\n"),
    ("credentials.toml", f'[registry]\ntoken = "{WORD}"\n'),
    (".pgpass", f"# host:port:database:user:password\nlocalhost:5432:*:ann:{WORD}\n"),
    (".pgpass", "localhost:5432:*:ann:lily\\.pads-42"),
    (".my.cnf", f"[client]\npassword='{WORD}'\n"),
    (".curlrc", f'user = "ann:{WORD}"\n'),
    ("settings.xml", f"<server><username>ann</username><password>{WORD}</password></server>"),
    ("kubeconfig", f"users:\n- name: ann\n  user: {{token: {WORD}, more: x}}\n"),
    ("application_default_credentials.json", json.dumps({"refresh_token": WORD, "private_key": PEM})),
    (".vault-token", f"{WORD}\n"),
    ("windows.ini", f"[a]\r\npassword = {WORD}\r\n"),
]


@pytest.mark.parametrize(("name", "text"), HOLDING, ids=[f"{name}-{n}" for n, (name, _) in enumerate(HOLDING)])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_password_is_found_in_the_form_of_its_program(name: str, text: str, encoding: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(text.encode(encoding))
    redactor = Redactor()
    redactor.learn_values(secrets_of_file(str(tmp_path / name)))
    assert WORD not in redactor.text(f"the server said: {WORD}, {text}"), secrets_of_file(str(tmp_path / name))


def test_a_token_in_the_place_of_a_user_is_found_and_the_word_beside_it_is_none() -> None:
    token = lot(36)
    for beside in (":x-oauth-basic", ":", ""):
        assert secrets_in(f"https://{token}{beside}@example.org\n".encode(), ".git-credentials") == [("token", token)]


@pytest.mark.parametrize(
    "text",
    [
        "[user]\n\tname = Ann Lee\n\temail = ann@example.org\n[core]\n\teditor = vim\n[credential]\n\thelper = store\n",
        "registry=https://registry.example.org/\nsave-exact=true\n//example.org/:_authToken=${NPM_TOKEN}\n",
        "github.com:\n    git_protocol: https\n    user: ann\n    oauth_token:\n",
        '{"credsStore": "secretservice", "credHelpers": {"example.org": "gcloud"}, "HttpHeaders": {"A": "Docker/24"}}',
        "machine example.org login ann password changeme\nmachine b login c password secret\n",
        "export PATH=$HOME/bin:$PATH\nalias ll='ls -la'\nexport EDITOR=/usr/bin/vim\n",
        "localhost:5432:*:ann:pg\n",
        "vim-mode\n",
        "[a]\npassword = short\nother = 12345678\nhost = db.example.org\nport = 5432\n",
        "",
    ],
)
def test_short_values_usual_words_and_non_secrets_are_not_learned(text: str) -> None:
    assert secrets_in(text.encode(), "file") == []


def test_what_is_no_regular_file_or_no_text_has_none(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "real").write_text(f"password = {WORD}\n")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "program").write_bytes(f"\x7fELF\0password = {WORD}\n".encode())
    for name in ("pipe", "link", "program", "nothing", "."):
        assert secrets_of_file(str(tmp_path / name)) == []
    assert secrets_of_file(str(tmp_path / "real")) != []


@given(st.one_of(st.binary(max_size=200), st.text("ab:= /@\"'{}[]<>-\n\\#$password", max_size=200).map(str.encode)))
def test_any_bytes_are_looked_at_and_nothing_short_comes_of_them(data: bytes) -> None:
    for label, value in secrets_in(data, ".pgpass"):
        assert len(value) >= 8 and label and value == value.strip()
