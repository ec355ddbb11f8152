from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_samples import lot

from inarch.journal.redactor import Redactor
from inarch_lib.secrets.dotenv import find_dotenvs, is_dotenv, parse_dotenv

FILE = """\
# a comment
export API_KEY=plain-Value-42
QUOTED_TOKEN='single # quoted $HOME'
DOUBLE="with \\"quotes\\" and \\n line"
MANY="first
second"
NOTE = spaced value # told
EMPTY=
URL=postgres://app:${PASSWORD}@db/app
not a line
OPEN="never closed
LAST=end"""


def test_a_file_is_parsed_as_programs_do() -> None:
    assert dict(parse_dotenv(FILE.replace("OPEN", "# OPEN"))) == {
        "API_KEY": "plain-Value-42",
        "QUOTED_TOKEN": "single # quoted $HOME",
        "DOUBLE": 'with "quotes" and \n line',
        "MANY": "first\nsecond",
        "NOTE": "spaced value",
        "LAST": "end",
    }
    assert dict(parse_dotenv(FILE))["OPEN"] == "never closed"
    assert list(parse_dotenv(FILE.replace("\n", "\r\n"))) == list(parse_dotenv(FILE))
    assert list(parse_dotenv(FILE.encode("utf-16"))) == list(parse_dotenv(FILE))


@given(st.binary(max_size=200))
def test_any_bytes_can_be_parsed(data: bytes) -> None:
    for name, value in parse_dotenv(data):
        assert name and value
    Redactor().learn_file(data)


@pytest.mark.parametrize(
    "path",
    [".env", "a/.env.local", "b\\.ENV", "b\\.env.local", ".env.production", "config/prod.env", ".env.test.local"],
)
def test_files_that_hold_secrets(path: str) -> None:
    assert is_dotenv(path)


def test_files_are_found_two_levels_below_and_not_in_what_is_installed(tmp_path: Path) -> None:
    for name in (
        ".env",
        "a/.env.local",
        "a/b/.env",
        "a/b/c/.env",
        "node_modules/x/.env",
        ".hidden/.env",
        ".env.example",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("A=b")
    assert sorted(find_dotenvs(str(tmp_path))) == [".env", "a/.env.local", "a/b/.env"]


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("DB_PASSWORD=hunter-two-and-more", "hunter-two-and-more"),
        ("DATABASE_URL=postgres://app:s3cretly-said@db:5432/x", "s3cretly-said"),
        (
            "SENTRY_DSN=https://3c1f0a9be27d4c5fa8b6d7e1029384ab@o1.ingest.example/42",
            "3c1f0a9be27d4c5fa8b6d7e1029384ab",
        ),
        ("SESSION=" + (drawn := lot(32)), drawn),
        ("AWS_SECRET_ACCESS_KEY=" + (other := lot(40)), other),
        ("export GITHUB_PAT='not-a-pat-42'", "not-a-pat-42"),
        ("PGPASSWORD=swordfish9", "swordfish9"),
    ],
)
def test_values_that_count(line: str, secret: str) -> None:
    redactor = Redactor()
    redactor.learn_file(line.encode())
    hidden = redactor.text(f"got {secret}!")
    assert secret not in hidden
    assert redactor.reveal(hidden) == f"got {secret}!"


@pytest.mark.parametrize(
    "line",
    [
        "DEBUG_TOKEN=true",
        "PORT=8000",
        "APP_ENV=development",
        "DB_PASSWORD=postgres",
        "SECRET_KEY=changeme-please",
        "HOST=db.internal.example",
        "AUTH_TOKEN_FILE=/run/secrets/token",
        "API_KEY=your-api-key-here",
        "TLS_PRIVATE_KEY=/etc/ssl/private/key.pem",
        "NAME=some words in here",
        f"GIT_SHA={lot(40, '0123456789abcdef')}",
        "API_TOKEN=${OTHER_TOKEN}",
        "DATABASE_URL=postgres://localhost:5432/app",
        "LANG=en_US.UTF-8",
        f"NEXT_PUBLIC_KEY={lot(32)}",
        "SSH_AUTH_SOCK=/tmp/ssh-XXXX1a2B3c4D/agent.42",
    ],
)
def test_values_that_do_not_count(line: str) -> None:
    redactor = Redactor()
    redactor.learn_file(line.encode())
    value = line.partition("=")[2]
    assert redactor.text(f"got {value}!") == f"got {value}!"


def test_lines_of_a_long_value_are_known_one_by_one() -> None:
    one, two = lot(60), lot(60)
    redactor = Redactor()
    redactor.learn_file(f'SIGNING_KEY="begin\n{one}\n{two}\nend"'.encode())
    assert one not in redactor.text(f"12: {one}")
    assert two not in redactor.text(f"13: {two}")
