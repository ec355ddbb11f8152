from __future__ import annotations

import json
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_samples import PLACES, TOKENS, lot, pem

from inarch.journal import Redactor
from inarch.journal.redaction_patterns import PATTERNS, SHORTEST_MATCH, patterns_in

NAMES = [
    "argparse",
    "ast",
    "asyncio/base_events",
    "base64",
    "bdb",
    "calendar",
    "cgi",
    "codecs",
    "collections/__init__",
    "configparser",
    "copy",
    "csv",
    "datetime",
    "decimal",
    "difflib",
    "dis",
    "doctest",
    "email/message",
    "enum",
    "fractions",
    "ftplib",
    "functools",
    "getpass",
    "hashlib",
    "heapq",
    "hmac",
    "html/parser",
    "http/client",
    "http/cookiejar",
    "http/server",
    "imaplib",
    "inspect",
    "ipaddress",
    "json/decoder",
    "logging/__init__",
    "mailbox",
    "netrc",
    "nntplib",
    "pathlib",
    "pickle",
    "platform",
    "poplib",
    "pydoc",
    "random",
    "secrets",
    "shutil",
    "smtplib",
    "socket",
    "sqlite3/dbapi2",
    "ssl",
    "statistics",
    "string",
    "subprocess",
    "tarfile",
    "tempfile",
    "threading",
    "tokenize",
    "traceback",
    "typing",
    "unittest/mock",
    "urllib/parse",
    "urllib/request",
    "uuid",
    "zipfile",
]


@pytest.mark.parametrize("kind", TOKENS)
@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "it is {}.",
        '{{"key": "{}"}}',
        "KEY={}\nnext",
        "a\n{}\nb",
        "({})",
        "x={};y",
        "‹{}›",
        "›{}‹",
        "{}‹secret:NAME›",
        "‹secret:NAME›{}",
    ],
)
def test_published_forms_are_recognised(kind: str, frame: str) -> None:
    text = frame.format(TOKENS[kind])
    redactor = Redactor()
    hidden = redactor.text(text)
    assert TOKENS[kind] not in hidden
    assert hidden.startswith(text[: frame.index("{}")].replace("{{", "{")[:1])
    assert redactor.reveal(hidden) == text
    assert redactor.text(hidden) == hidden


@pytest.mark.parametrize("end", ["", "‹", "‹secret:NAME›"])
@pytest.mark.parametrize("place", PLACES)
def test_secrets_are_recognised_by_what_stands_around_them(place: str, end: str) -> None:
    frame, secret = PLACES[place]
    redactor = Redactor()
    text = f"before\n{frame.format(secret)}{end}\nafter"
    hidden = redactor.text(text)
    assert secret not in hidden
    assert hidden.startswith("before\n") and hidden.endswith(f"{end}\nafter")
    assert redactor.reveal(hidden) == text
    assert redactor.touches(json.dumps({"text": text}))


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
@pytest.mark.parametrize("shape", ["plain", "json", "cut", "windows"])
def test_private_keys_are_recognised(kind: str, shape: str) -> None:
    key = pem(kind)
    lines = key.split("\n")
    text = {"plain": key, "json": json.dumps(key), "cut": "\n".join(lines[:6]), "windows": "\r\n".join(lines)}[shape]
    hidden = Redactor().text(f"{text}\nand then prose")
    assert not any(line in hidden for line in lines[1:-1])
    assert hidden.endswith("then prose")


def test_the_same_secret_has_the_same_placeholder_and_another_has_another() -> None:
    redactor = Redactor()
    one, two = "ghp_" + lot(36), "ghp_" + lot(36)
    assert redactor.text(f"{one} {two} {one}") == (
        "‹secret:github-token:1› ‹secret:github-token:2› ‹secret:github-token:1›"
    )
    assert redactor.text(two) == "‹secret:github-token:2›"


def test_numbers_of_an_earlier_process_are_not_given_to_other_secrets() -> None:
    redactor = Redactor()
    redactor.reserve('{"text":"‹secret:github-token:4› and ‹secret:A_TOKEN:url›"}')
    assert redactor.text("ghp_" + lot(36)) == "‹secret:github-token:5›"
    assert redactor.reveal("‹secret:github-token:4›") == "‹secret:github-token:4›"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://scott:tiger@localhost/test",
        "https://user:password@example.org",
        "http://joe:pass123@host/",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_" + "x" * 36,
        "sk-fading-circle-of-many-words",
        "class='sk-cube-grid-item-container'",
        "password = get_password_from_keyring_2(user)",
        "token = self.tokens[position1].text",
        "secret = None",
        'api_key = os.environ["OPENAI_API_KEY"]',
        "password: str = ''",
        "Authorization: Bearer <token>",
        "Bearer of bad news",
        "Basic authentication",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIIB" + "A" * 60,
        "hf_hub_download",
        "npm_config_registry",
        "SKIP_THIS_ONE_AND_ALL_OTHERS_IN_HERE",
        "eyJ.a.b",
        "input_tokens=1234567890123456789",
        "sha256:" + lot(64, "0123456789abcdef"),
        f"commit {lot(40, '0123456789abcdef')}",
        "secret_key = settings.SECRET_KEY_2048_V2",
        "access_token_url = 'https://example.org/oauth2/v1/token'",
        "see .env: DEBUG=development_mode",
    ],
)
def test_what_only_looks_a_little_like_a_secret_stays(text: str) -> None:
    assert Redactor().text(text) == text


def test_no_pattern_finds_anything_in_the_standard_library() -> None:
    folder = Path(sysconfig.get_path("stdlib"))
    redactor, lines = Redactor(), 0
    for name in NAMES:
        path = folder / f"{name}.py"
        if path.exists():
            text = path.read_text(encoding="utf-8")
            lines += text.count("\n")
            assert redactor.text(text) == text, name
    assert lines > 10_000


def test_no_pattern_finds_anything_in_our_own_sources() -> None:
    redactor = Redactor()
    for folder in ("core", "plugins", "docs", "benchmarks"):
        for path in sorted(Path(folder).rglob("*.[pm][yd]")):
            for text in path.read_text(encoding="utf-8").split("\n\n"):
                assert redactor.text(text) == text, path


def test_every_needle_is_plain_text_that_json_leaves_as_it_is() -> None:
    for pattern in PATTERNS:
        for needle in pattern.needles:
            assert json.dumps(needle) == f'"{needle}"'
            assert pattern in patterns_in(f"\\n{needle}")


@given(st.data())
def test_no_match_is_shorter_than_what_is_looked_at_at_all(data: st.DataObject) -> None:
    pattern = data.draw(st.sampled_from(PATTERNS))
    found = data.draw(st.from_regex(pattern.whole, fullmatch=True))
    assert len(found) >= SHORTEST_MATCH


@given(st.sampled_from(sorted(TOKENS)), st.text(max_size=20), st.text(max_size=20))
def test_hiding_twice_changes_nothing_and_revealing_gives_it_back(kind: str, before: str, after: str) -> None:
    redactor = Redactor()
    text = f"{before}{TOKENS[kind]}{after}"
    hidden = redactor.text(text)
    assert redactor.text(hidden) == hidden
    assert redactor.reveal(hidden) == text


@given(
    st.recursive(
        st.one_of(st.none(), st.integers(), st.text(max_size=9), st.sampled_from(sorted(TOKENS.values()))),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    )
)
def test_json_stays_json(data: object) -> None:
    redactor = Redactor()
    hidden = redactor.redact(data)
    line = json.dumps(hidden, ensure_ascii=False)
    assert json.loads(line) == hidden
    assert not any(token in line for token in TOKENS.values())
    assert redactor.reveal(hidden) == data
