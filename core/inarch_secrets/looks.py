"""A last look at what has the form of a secret: examples, names and words of prose have it, too."""

from __future__ import annotations

import base64
import binascii
import json
import re
from codecs import getincrementaldecoder

from inarch_secrets.names import looks_random, secrets_of


def mixed(value: str) -> bool:
    """Whether there are letters and digits, and several of them; examples in documentation say what they are."""
    if "EXAMPLE" in value.upper() or len(set(value[-20:])) < 6:
        return False
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def has_both_cases(value: str) -> bool:
    """Whether what follows the prefix has small and capital letters."""
    letters = value.partition("_")[2]
    return letters.lower() != letters != letters.upper()


def is_key(value: str) -> bool:
    """Whether what follows `sk-` is a key rather than the words of a name."""
    return looks_random(value, 20) or (
        len(value) >= 40 and value.startswith(("sk-proj-", "sk-svcacct-", "sk-or-v1-")) and mixed(value)
    )


def is_jwt(value: str) -> bool:
    """Whether it begins with a header that names an algorithm."""
    try:
        header = json.loads(_decoded(value.split(".", 1)[0]))
    except (ValueError, UnicodeDecodeError):
        return False
    return isinstance(header, dict) and "alg" in header


def is_login(value: str) -> bool:
    """Whether it is `user:password` in base64."""
    try:
        # Of a long one the beginning is looked at, which may end within a character.
        user, colon, password = getincrementaldecoder("utf-8")().decode(_decoded(value)).partition(":")
    except (ValueError, UnicodeDecodeError):
        return False
    return bool(colon and password) and (user + password).isprintable()


def _decoded(text: str) -> bytes:
    text = text.rstrip("=")
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/") + "=" * (-len(text) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError("no base64") from error


_EXAMPLES = re.compile(
    r"(?:my|your|some|the|a)?[-_]?(?:pass(?:wor[dt]|wd)?|pwd?|secret|token|hunter2|x+|\*+|test)\d{0,4}", re.I
)


def is_password(value: str) -> bool:
    """Whether a URL's password is one that somebody would use; `user:password@host` is how documentation says it."""
    if _EXAMPLES.fullmatch(value) or "%s" in value or len(set(value)) < 4:
        return False
    kinds = [any(map(str.isalpha, value)), any(map(str.isdigit, value)), not value.isalnum()]
    return sum(kinds) >= 2 or (len(value) >= 12 and not value.islower() and not value.isupper())


def is_listed(line: str) -> bool:
    """Whether the variable in a line of a `.env` file holds a secret."""
    name, _, value = line.partition("=")
    return any(secrets_of(name.split()[-1].rpartition(":")[2], value.strip("\"'"), by_looks=True))


def is_pem(value: str) -> bool:
    """Whether it has a whole line of a key."""
    return re.search(r"[A-Za-z0-9+/=]{40}", value) is not None
