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


def test_secrets_of_a_file_are_hidden_and_other_values_are_not() -> None:
    redactor = Redactor()
    redactor.learn_file(b"export DB_PASSWORD='hunter-two-and-more'\nAPI_TOKEN=${OTHER_TOKEN}\nAPP_ENV=development\n")
    text = "got hunter-two-and-more in development"
    hidden = redactor.text(text)
    assert hidden == "got ‹secret:DB_PASSWORD› in development"
    assert redactor.reveal(hidden) == text


def test_lines_of_a_long_value_are_known_one_by_one() -> None:
    one, two = lot(60), lot(60)
    redactor = Redactor()
    redactor.learn_file(f'SIGNING_KEY="begin\n{one}\n{two}\nend"'.encode())
    assert one not in redactor.text(f"12: {one}")
    assert two not in redactor.text(f"13: {two}")
