"""Secrets by name or appearance: the rules for variables of the environment and of `.env` files."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from urllib.parse import unquote

SHORTEST = 8
"""Minimum length of a secret: shorter values would be found in every text."""
LONGEST = 16_384
# Every start examines the environment, which seldom has most of these: each is compiled when needed.
_NAME = (
    r"_(?:(?:API|ACCESS|PRIVATE|SECRET)_?KEY|(?:SIGNING|ENCRYPTION|MASTER)_KEY|SECRET_KEY_BASE"
    r"|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIALS?|AUTH|PAT|PGPASSWORD)$"
)
"""Endings of a key variable's name, after an underscore is prepended."""
_RANDOM_NAME = r"_(?:KEY|SALT|COOKIE|SEED|DSN|WEBHOOK|AUTHTOKEN|JWT)$"
"""Names of variables that hold secrets if their value looks random."""
_NO_SECRET = (
    r"PUBLIC|PUBLISHABLE|_(?:ID|SHA\d*|HASH|COMMIT|REVISION|REV|DIGEST|CHECKSUM|FINGERPRINT|VERSION|RELEASE|BUILD"
    r"|PATH|FILE|DIR|HOME|SOCK|PID|DISPLAY|COLORS|LANG|TERM|HOST|DOMAIN|NAME|USER|EMAIL|REGION|ZONE)$"
)
_SYSTEM = frozenset({"PWD", "OLDPWD"})
_PLACE = r"(?:[A-Za-z]:[\\/]|~?/|\.{1,2}/)(?:[\w.@+ -]+[\\/])*[\w.@+ -]*"
_HOST = r"(?i)(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]+(?::\d+)?"
_STAND_IN = r"(?i)your|my[-_ ]|change|replace|insert|example|placeholder|<|\$|\{\{|x{4}|\*{3}|\.{3}"
_URL_PASSWORD = r"[A-Za-z][\w+.-]*://([^\s/:@?#]*)(?::([^\s/]*))?@"


def secrets_of(name: str, value: str, by_looks: bool) -> Iterator[str]:
    """Yield the secret part of a variable's value: nothing, the whole, or the password inside a URL.

    Args:
        name: The variable's name.
        value: Its value.
        by_looks: Whether any random-looking value is a secret, and a plain word in a key variable is none. This applies
            to files that a person wrote. An environment has many random values that are not secret.
    """
    value = value.strip()
    upper = f"_{name.upper()}"
    if not SHORTEST <= len(value) <= LONGEST or name in _SYSTEM:
        return
    if "://" in value and (url := re.match(_URL_PASSWORD, value)) is not None:
        password = url[2] or ""  # an `@` in it is an error that many programs read as intended
        for part in dict.fromkeys((password, password.partition("@")[0])):
            yield from _of_url(url[1], part)
    elif "://" in value:
        if re.search(_RANDOM_NAME, upper) or re.search(_NAME, upper):
            yield from (part for part in re.split(r"[/?&=#]", value) if looks_random(part))
    elif re.search(_NAME, upper) and not re.search(_NO_SECRET, upper):
        if not (is_ordinary(value) if by_looks else _is_path(value)):
            yield value
    elif not (by_looks or re.search(_RANDOM_NAME, upper)) or re.search(_NO_SECRET, upper):
        return
    elif looks_random(value) and not _is_place(value):
        yield value


def _of_url(user: str, password: str) -> Iterator[str]:
    if len(password) >= SHORTEST and not is_ordinary(password):
        yield password
        if (plain := unquote(password)) != password:
            yield plain
    elif not password and looks_random(user):  # such as a Sentry DSN
        yield user


def is_ordinary(value: str) -> bool:
    """Return whether a value is a word, switch, number, path, host, template or dummy rather than a secret."""
    if value.isalpha():
        return is_word(value)
    if any(map(str.isspace, value)):
        return not looks_random(value)  # at least one of the lines is part of the key
    if re.match(_STAND_IN, value):
        return True
    return _is_place(value) or bool(re.fullmatch(r"[\d.:,-]{,12}", value))


def is_word(value: str) -> bool:
    """Return whether a value is a plain word."""
    return value.isalpha() and len(value) <= 14 and (value.islower() or value.isupper() or value.istitle())


def _is_place(value: str) -> bool:
    return _is_path(value) or re.fullmatch(_HOST, value) is not None


def _is_path(value: str) -> bool:
    """Return whether it is a path; a random value may begin with a slash, too."""
    return re.fullmatch(_PLACE, value) is not None and value.count("/") + value.count("\\") > 1


_RUN = re.compile(r"[A-Za-z0-9]+")
_DIGITS = re.compile(r"\d+")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")


def looks_random(value: str, shortest: int = 16) -> bool:
    """Return whether a part of the value mixes letters and digits unlike any name, number or word."""
    return any(_is_random(run) for run in _RUN.findall(value) if len(run) >= shortest)


def _is_random(run: str) -> bool:
    groups = _DIGITS.findall(run)
    if len(groups) * 10 < len(run) or len(set(run)) < 10:
        return False
    if _HEX.fullmatch(run):
        return len(run) >= 24
    # Joined words and numbers have few borders; random text changes its kind every third character.
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in run]
    borders = sum(a != b for a, b in itertools.pairwise(kinds))
    return borders * 3 >= len(run)


_SPACE = re.compile(r"\s")


def end_from(text: str, place: int, most: int = LONGEST) -> int:
    """Return where the beginning of a text may end: at `place`, or up to `most` characters after it.

    That is the end of the line, or of the word, or of the text. If all of them are farther away, it is `place`.
    """
    last = place + most
    line = text.find("\n", place, last)
    if line >= 0:
        return line
    if len(text) <= last:
        return len(text)
    word = _SPACE.search(text, place, last)
    return word.start() if word else place


def start_from(text: str, place: int, most: int = LONGEST) -> int:
    """Return where the end of a text may start: at `place`, or up to `most` characters before it."""
    return place - end_from(text[max(place - most - 1, 0) : place][::-1], 0, most)
