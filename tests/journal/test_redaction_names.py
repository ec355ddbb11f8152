"""What of a variable is secret: by its name, by what its value looks like, in an environment and in a file."""

from __future__ import annotations

import pytest

from inarch_lib.secrets.secret_names import looks_random, secrets_of

DRAWN = "q7Rt2Xz9Lm4Kp8Vw"
"""Sixteen characters drawn by lot: the fewest that look so."""
HEX = "3c1f0a9be27d4c5fa8b6d7e1"


def secrets(name: str, value: str) -> tuple[list[str], list[str]]:
    """Return what is secret if the variable is of an environment, and if it stands in a file."""
    return list(secrets_of(name, value, by_looks=False)), list(secrets_of(name, value, by_looks=True))


@pytest.mark.parametrize(
    ("name", "in_environ", "in_file"),
    [
        *(
            (name, True, True)
            for name in ("API_KEY", "apikey", "x_access_key", "AUTH", "GH_PAT", "PGPASSWORD", "x_PWD")
        ),
        *((name, True, True) for name in ("A_KEY", "salt", "COOKIE", "SEED", "DSN", "WEBHOOK", "AUTHTOKEN", "JWT")),
        *((name, False, True) for name in ("ANYTHING", "KEYS", "MONKEY", "TOKENS", "SALTY")),
        *(
            (name, False, False)
            for name in ("PWD", "OLDPWD", "PUBLIC_KEY", "PUBLISHABLE_API_KEY", "KEY_ID", "A_SHA256")
        ),
        *((name, False, False) for name in ("TOKEN_FILE", "IMAGE_DIGEST", "APP_REV", "SECRET_NAME")),
    ],
)
def test_names_say_whether_what_is_drawn_by_lot_is_secret(name: str, in_environ: bool, in_file: bool) -> None:
    assert secrets(name, DRAWN) == ([DRAWN] * in_environ, [DRAWN] * in_file)


@pytest.mark.parametrize(
    ("value", "in_environ", "in_file"),
    [
        ("swordfish9", True, True),
        ("correct-horse", True, True),
        ("password", True, False),
        ("PASSWORD", True, False),
        ("Password", True, False),
        ("passWord", True, True),
        ("abcdefghijklmn", True, False),
        ("abcdefghijklmno", True, True),
        *((switch, True, False) for switch in ("disabled", "optional", "required")),
        ("some words", True, False),
        (f"-----BEGIN\n{DRAWN}\n-----END", True, True),
        ("your-token-1", True, False),
        ("my_password_1", True, False),
        ("<password-1>", True, False),
        ("xxxxxxxx1", True, False),
        ("$OTHER_ONE_1", True, False),
        ("it-is-your-token", True, True),
        ("2026-11-23", True, False),
        ("123456789012", True, False),
        ("1234567890123", True, True),
        ("db.internal.example", True, False),
        ("db.internal.example:5432", True, False),
        ("db.internal.example/x1", True, True),
        ("/run/secrets/token", False, False),
        ("~/secrets/token", False, False),
        ("../secrets/token", False, False),
        ("C:\\secrets\\token", False, False),
        ("/secrets", True, True),
        ("/q7Rt2Xz9Lm4+", True, True),
        ("a/b/c/d/e", True, True),
    ],
)
def test_what_a_key_variable_may_hold(value: str, in_environ: bool, in_file: bool) -> None:
    """In a file that somebody wrote a plain word is none; in an environment the name alone decides, but for paths."""
    assert secrets("A_PASSWORD", value) == ([value] * in_environ, [value] * in_file)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("postgres://app:s3cretly@db/x", ["s3cretly"]),
        ("postgres://app:s3cret1@db/x", []),
        ("postgres://app:password@db/x", []),
        ("postgres://:s3cretly@db/x", ["s3cretly"]),
        ("postgres://app:s3cret%40ly@db/x", ["s3cret%40ly", "s3cret@ly"]),
        ("postgres://app:s3cr3t@word9@db/x", ["s3cr3t@word9"]),
        ("https://app:s3cretly@db?to=a@b", ["s3cretly@db?to=a", "s3cretly"]),
        ("postgres+x.y-z://app:s3cretly@db/x", ["s3cretly"]),
        (f"https://{DRAWN}@o1.example/4", [DRAWN]),
        ("https://somebody-else@o1.example/4", []),
        (f"https://{DRAWN}:short@o1.example/4", []),
        (f"https://{DRAWN}:s3cretly@o1.example/4", ["s3cretly"]),
        (f"https://o1.example/{DRAWN}", []),
    ],
)
def test_of_a_url_its_password_is_secret_whatever_the_variable(value: str, found: list[str]) -> None:
    assert secrets("ANYTHING", value) == secrets("A_URL", value) == (found, found)


@pytest.mark.parametrize(
    ("value", "is_random"),
    [
        (DRAWN, True),
        (DRAWN[:-1], False),
        (f"-{DRAWN}-", True),
        (f"{DRAWN[:8]}-{DRAWN[8:]}", False),
        ("abcdefgh12345678", False),
        ("abcdefghijklmnop", False),
        ("1234567890123456", False),
        ("a1b2a1b2a1b2a1b2", False),
        ("a1b2a1b2c3d4e3f4", False),
        ("a1b2a1b2c3d4e5f6g", True),
        ("a1Bcd2EfghijklmnopqrsT", False),
        (HEX, True),
        (HEX.upper(), True),
        (HEX[:-1], False),
        (HEX[:-1].upper(), False),
        (HEX[:-1] + "F", True),
        ("abcdefghij1klmnopqrs2tuvwx", False),
        ("aBcDeFgHiJ1KlMnOpQrStUvWx", False),
        ("aBcDeFgHiJ1KlMnOpQ2", True),
        ("aBcDeFgHi1JkLmNoPqRs2TuVwXyZaBc", False),
        ("aBcDeF1gHiJkLmN2oPqR", True),
        ("aBcDeF1gHiJkLmN2oPqRs", False),
        ("g1h2i3j4k5g1h2i3", True),
        ("g1h2i3j4k4g1h2i3", False),
        ("abc1defg2hijKlmnop", True),
        ("abc1defg2hijklmnopQ", False),
    ],
)
def test_what_looks_drawn_by_lot(value: str, is_random: bool) -> None:
    assert looks_random(value) is is_random
