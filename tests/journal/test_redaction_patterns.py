from __future__ import annotations

import json
import string
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_samples import HEX, LETTERS, PLACES, TOKENS, lot, pem, varied

from inarch.journal.redactor import Redactor
from inarch_lib.secrets.pattern import JUDGED, Pattern, Piece

NAMES = (
    "argparse", "asyncio/base_events", "configparser", "datetime", "decimal", "doctest", "email/message", "getpass",
    "hashlib", "hmac", "http/client", "http/cookiejar", "imaplib", "inspect", "ipaddress", "logging/__init__",
    "mailbox", "netrc", "pathlib", "pickle", "secrets", "smtplib", "ssl", "subprocess", "tarfile", "typing",
    "unittest/mock", "urllib/parse", "urllib/request", "zipfile",
)  # fmt: skip


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


UPPER = string.ascii_uppercase + "234567"
FORMS: list[tuple[str, str, str, int, int | None, str]] = [
    ("aws-key-id", "AKIA ASIA", "", 16, 16, UPPER),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "", 36, None, LETTERS),
    ("github-token", "github_pat_", "", 40, None, LETTERS + "_"),
    ("gitlab-token", "glpat- glptt- glrt- gldt-", "", 20, None, LETTERS + "_-"),
    ("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe. xapp-", "", 20, None, LETTERS + ".-"),
    ("slack-webhook", "hooks.slack.com/services/", "shown", 30, None, LETTERS + "/"),
    ("google-key", "AIza", "", 35, 35, LETTERS + "_-"),
    ("google-token", "ya29.", "", 20, None, LETTERS + "_-"),
    ("google-secret", "GOCSPX-", "", 24, 64, LETTERS + "_-"),
    ("anthropic-key", "sk-ant-", "", 20, None, LETTERS + "_-"),
    ("openai-key", "sk-", "", 20, None, LETTERS),
    ("stripe-key", "sk_live_ rk_live_", "", 16, None, LETTERS),
    ("stripe-key", "whsec_", "", 32, None, LETTERS + "+/"),
    ("npm-token", "npm_", "", 36, 36, LETTERS),
    ("pypi-token", "pypi-AgEI", "", 50, None, LETTERS + "_-"),
    ("hugging-face-token", "hf_", "", 34, 40, LETTERS),
    ("twilio-key", "SK", "", 32, 32, HEX),
]


@pytest.mark.parametrize(
    ("tag", "needle", "is_shown", "least", "most", "letters"),
    [(form[0], needle, *form[2:]) for form in FORMS for needle in form[1].split()],
)
def test_a_key_has_at_least_and_at_most_so_many_characters(
    tag: str, needle: str, is_shown: str, least: int, most: int | None, letters: str
) -> None:
    """A key ends in letters: a line that ends behind it doesn't cut it."""

    def hidden(length: int) -> str:
        ends = "Aa1" if letters != UPPER and letters != HEX else ""
        token = needle + ends + varied(length - 2 * len(ends), letters) + ends
        shown = Redactor().text(f"of {token} is")
        return "whole" if shown == f"of {token} is" else shown

    placed = f"of {needle if is_shown else ''}‹secret:{tag}:1› is"
    assert hidden(least) == hidden(most or (120 if is_shown else 9000)) == placed
    assert hidden(least - 1) == "whole"
    if most is not None:
        assert hidden(most + 1) == "whole"


AROUND: list[tuple[str, str, int, int | None]] = [
    ("aws-secret", "secret_access_key={}", 40, 40),
    ("aws-secret", "AWS_SECRET_ACCESS_KEY={}", 40, 40),
    ("aws-secret", '"secretAccessKey": "{}"', 40, 40),
    ("aws-secret", "secret-access-key: {}", 40, 40),
    ("bearer-token", "Bearer {}", 16, None),
    ("bearer-token", "bearer    {}", 16, None),
    ("header-token", "Authorization: {}", 16, None),
    ("header-token", "Proxy-Authorization: a-scheme-of-many    {}", 16, None),
    ("header-token", "AUTHORIZATION = '{}'", 16, None),
    ("header-token", '"authorization"=>"{}"', 16, None),
    ("url-password", "https://:{}@host", 6, None),
    ("url-password", "x://a.b_%+~-" + "u" * 56 + ":{}@host", 6, None),
    ("url-password", "(postgres://app:{}@host)", 6, None),
    ("assigned", "DB_PASSWORD_OF_THE_HOST={}", 16, None),
    ("assigned", "password        :=        '{}'", 16, None),
    ("assigned", '\\"token\\": \\"{}\\"', 16, None),
    ("assigned", "api_key=>`{}`", 16, None),
    ("dotenv", "a/.env:DB_PWD={}", 8, None),
    ("dotenv", "a/.env.of-some_Place:7:DB_PWD={}", 8, None),
    ("dotenv", ".env-123456-        export DB_PWD='{}'", 8, None),
    ("dotenv", '.env.local:1: A.B DB_PWD="{}"', 8, None),
]


@pytest.mark.parametrize(("tag", "frame", "least", "most"), AROUND, ids=[frame for _, frame, *_ in AROUND])
def test_a_secret_in_its_place_has_at_least_and_at_most_so_many_characters(
    tag: str, frame: str, least: int, most: int | None
) -> None:
    def hidden(length: int) -> str:  # its parts may be one of another kind
        return Redactor().text(f"of {frame.format('Aa1' + varied(length - 3, LETTERS))} is")

    placed = f"of {frame.format(f'‹secret:{tag}:1›')} is"
    assert hidden(least) == hidden(most or JUDGED) == hidden(most or 9000) == placed
    assert hidden(least - 1) != placed
    if most is not None:
        assert hidden(most + 1) != placed


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


@pytest.mark.parametrize("lines", [60, 300])
def test_private_keys_of_any_length_are_hidden_to_their_end(lines: int) -> None:
    body = "\n".join(lot(64, LETTERS + "+/") for _ in range(lines))
    begin, end = "-----BEGIN PGP PRIVATE KEY BLOCK-----\n", "\n-----END PGP PRIVATE KEY BLOCK-----"
    assert Redactor().text(f"{begin}\n{body}{end}") == f"{begin[:-1]}‹secret:private-key:1›{end[1:]}"


def test_of_a_long_text_that_is_no_secret_not_every_part_is_judged() -> None:
    judged: list[int] = []

    def never(value: str) -> bool:
        judged.append(len(value))
        return False

    pattern = Pattern("x", ("token",), (Piece("=", 1, 1, True), Piece("[a-z=]", 16)), never, before="", shown=True)
    text = "token=" * 200_000
    assert all(match.stop == len(text) for match in pattern.find(text, 0, len(text), ()))
    assert max(judged) == JUDGED == 4000
    assert sum(judged) <= JUDGED**2 + 3 * len(text)  # the end is judged as if it were short
    assert [pattern.begins(f"{text}{end}", 0, len(text) + 1) for end in ("", "(")] == [0, len(text) + 1]


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
        "colour = 'q7Rt2Xz9Lm4Kp8Vw'",
        '{"etag": "q7Rt2Xz9Lm4Kp8Vw"}',
        f"of {lot(40, LETTERS + '+/')}",
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
