"""Tokens in the published forms, drawn anew for every run: no real one, and none for scanners of this repository."""

from __future__ import annotations

import base64
import json
import random
import string

_LOT = random.Random(20261122)
LETTERS = string.ascii_letters + string.digits


def lot(length: int, letters: str = LETTERS) -> str:
    """Return so many characters drawn by lot, digits among them."""
    while True:
        drawn = "".join(_LOT.choice(letters) for _ in range(length))
        if sum(map(str.isdigit, drawn)) >= length // 8 and any(map(str.isalpha, drawn)):
            return drawn


def varied(length: int, letters: str) -> str:
    """Return so many characters of which every second one is a digit, so that they look drawn by lot."""
    digits, others = ([one for one in letters if one.isdigit() is wanted] for wanted in (True, False))
    pairs = (digits[at % len(digits)] + others[at * 5 % len(others)] for at in range(length))
    return "".join(pairs)[:length]


def b64(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip("=")


def pem(kind: str = "RSA ") -> str:
    body = "\n".join(lot(64, LETTERS + "+/") for _ in range(12))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n{lot(20)}==\n-----END {kind}PRIVATE KEY-----"


HEX = "0123456789abcdef"
TOKENS: dict[str, str] = {
    "aws-key-id": "AKIA" + lot(16, string.ascii_uppercase + "234567"),
    "github classic": "ghp_" + lot(36),
    "github oauth": "gho_" + lot(36),
    "github app": "ghs_" + lot(36),
    "github fine": "github_pat_" + lot(22) + "_" + lot(59),
    "gitlab": "glpat-" + lot(20),
    "slack bot": f"xoxb-{lot(12, string.digits + 'a')}-{lot(24)}",
    "google key": "AIza" + lot(35),
    "google token": "ya29." + lot(120),
    "openai": "sk-" + lot(48),
    "openai project": "sk-proj-" + lot(40) + "_" + lot(40),
    "anthropic": "sk-ant-api03-" + lot(90) + "-" + lot(6) + "AA",
    "stripe": "sk_live_" + lot(24),
    "stripe restricted": "rk_live_" + lot(40),
    "sendgrid": f"SG.{lot(22)}.{lot(43)}",
    "npm": "npm_" + lot(36),
    "pypi": "pypi-AgEI" + lot(100),
    "hugging face": "hf_" + lot(34),
    "twilio": "SK" + lot(32, HEX),
    "jwt": f"{b64({'alg': 'HS256', 'typ': 'JWT'})}.{b64({'sub': lot(12)})}.{lot(43)}",
}
"""Tokens that are recognised wherever they stand alone."""

PLACES: dict[str, tuple[str, str]] = {
    "bearer": ("Authorization: Bearer {}", lot(40)),
    "curl": ("curl -H 'Authorization: Bearer {}' https://example.org", lot(32)),
    "basic": ("Authorization: Basic {}", base64.b64encode(f"admin:{lot(14)}".encode()).decode()),
    "github header": ("authorization: token {}", lot(40)),
    "header alone": ("Authorization: {}", "Letters" + lot(40)),
    "key on one line": ("-----BEGIN RSA PRIVATE KEY-----{}-----END", "MIIE" + lot(60)),
    "pgp": ("-----BEGIN PGP PRIVATE KEY BLOCK-----{}-----END", "LQ" + lot(60)),
    "url": ("postgres://app:{}@db.internal:5432/app", lot(16)),
    "git remote": ("https://oauth2:{}@git.example.org/a/b.git", lot(20)),
    "password": ('password = "{}"', lot(24)),
    "yaml": ("client_secret: {}", lot(32)),
    "json": ('{{"apiKey": "{}"}}', lot(32)),
    "json in json": ('"{{\\"access_token\\": \\"{}\\"}}"', lot(40)),
    "aws secret": ("aws_secret_access_key = {}", lot(40, LETTERS + "+/")),
    "aws pair": (f"AKIA{lot(16, string.ascii_uppercase + string.digits)},{{}}", lot(40, LETTERS + "+/")),
    "found by grep": ("deep/down/.env:12:DB_PASSWORD={}", "not-that-" + "random"),
    "slack webhook": ("https://hooks.slack.com/services/{}", f"T{lot(10)}/B{lot(10)}/{lot(24)}"),
}
"""Secrets that are recognised by what stands around them."""
