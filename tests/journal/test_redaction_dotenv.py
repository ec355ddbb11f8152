from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_samples import lot

from inarch.journal.redaction.redactor import Redactor
from inarch_secrets import dotenv as dotenv_files
from inarch_secrets.dotenv import find_dotenvs, is_dotenv, parse_dotenv

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


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('A="x\\r\\ty"', {"A": "x\r\ty"}),
        ("A='a\\'\nB='b\\n'", {"A": "a\\", "B": "b\\n"}),
        ('A="x\\\ny"', {"A": "x\ny"}),
        ('A="x\\\\"\nB=y', {"A": "x\\", "B": "y"}),
        ("A=''\nB='x'", {"B": "x"}),
        ("A=`x y`\nB=", {"A": "x y"}),
        ("A=$(cat key)\nB=${A}1\nC=$A", {"C": "$A"}),
        ("\n\nA=b", {"A": "b"}),
        ("A=#1\nB= # 2\nC=3#4 # 5 # 6", {"C": "3#4"}),
    ],
)
def test_values_are_read_as_programs_read_them(text: str, wanted: dict[str, str]) -> None:
    assert dict(parse_dotenv(text)) == wanted


def test_a_file_that_is_cut_in_a_character_is_read_up_to_there() -> None:
    assert dict(parse_dotenv("A=b\nC=d".encode("utf-16")[:-1])) == {"A": "b", "C": "\ufffd"}


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


@pytest.mark.parametrize(
    "path", [".env.example", ".env.sample", "env", ".envrc.py", "x.environment", ".env.template", ".env/x"]
)
def test_files_that_hold_none(path: str) -> None:
    assert not is_dotenv(path)


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


def test_files_have_any_case_and_folders_and_links_to_folders_are_none(tmp_path: Path) -> None:
    for name in ("prod.env", "PROD.ENV.LOCAL", ".ENV", ".env/x", "outside.env/.env"):
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("A=b")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".env").write_text("A=b")
    (tmp_path / "root" / "link").symlink_to(tmp_path / "other")
    assert sorted(find_dotenvs(str(tmp_path / "root"))) == [".ENV", "outside.env/.env", "prod.env"]


@pytest.mark.parametrize(
    "name", ["node_modules", "venv", "env", "vendor", "target", "dist", "build", "site-packages", ".x"]
)
def test_folders_of_what_is_installed_or_built_are_passed_over(name: str, tmp_path: Path) -> None:
    for folder in (name, f"{name}s", f"a/{name}"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / ".env").write_text("A=b")
    assert find_dotenvs(str(tmp_path)) == ([] if name.startswith(".") else [f"{name}s/.env"])


@pytest.mark.parametrize(("most", "found"), [(1, 1), (2, 2), (3, 3), (4, 3)])
def test_so_many_folders_and_names_are_looked_at(
    most: int, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / "folders" / name).mkdir(parents=True)
    for name in ("folders/.env", "folders/a/.env", "folders/b/.env", ".env", ".env.a", ".env.b"):
        (tmp_path / name).write_text("A=b")
    with monkeypatch.context() as few:
        few.setattr(dotenv_files, "_MOST_FOLDERS", most)
        assert len(find_dotenvs(str(tmp_path / "folders"))) == found
    (tmp_path / "files").mkdir()
    for name in (".env", ".env.a", ".env.b"):
        (tmp_path / name).rename(tmp_path / "files" / name)
    monkeypatch.setattr(dotenv_files, "_MOST_ENTRIES", most)
    assert len(find_dotenvs(str(tmp_path / "files"))) == found


def test_looking_for_files_ends_in_a_huge_tree(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"d{number}").mkdir()
    (tmp_path / ".env").write_text("A=b")
    assert find_dotenvs(str(tmp_path)) == [".env"]


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


def test_the_same_name_in_two_files_has_two_placeholders() -> None:
    redactor = Redactor()
    redactor.learn_file(b"DB_PASSWORD=first-of-them")
    redactor.learn_file(b"DB_PASSWORD=second-of-them")
    assert redactor.text("first-of-them second-of-them") == "‹secret:DB_PASSWORD› ‹secret:DB_PASSWORD:2›"


def test_lines_of_a_long_value_are_known_one_by_one() -> None:
    one, two = lot(60), lot(60)
    redactor = Redactor()
    redactor.learn_file(f'SIGNING_KEY="begin\n{one}\n{two}\nend"'.encode())
    assert one not in redactor.text(f"12: {one}")
    assert two not in redactor.text(f"13: {two}")
