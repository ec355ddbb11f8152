"""Secrets recognized by their format: published key and token formats, and positions of passwords."""

from __future__ import annotations

import base64
import binascii
import json
import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable
from typing import Any

from inarch_lib.secrets.pattern import AFTER_WORD, Pattern, Piece, anything
from inarch_lib.secrets.secret_names import looks_random, secrets_of


def mixed(value: str) -> bool:
    """Return whether there are letters and digits, several of each, and not the name of an example."""
    if "EXAMPLE" in value.upper() or len(set(value[-20:])) < 6:
        return False
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def has_both_cases(value: str) -> bool:
    """Return whether the part after the prefix has upper-case and lower-case letters."""
    letters = value.partition("_")[2]
    return letters.lower() != letters != letters.upper()


def is_key(value: str) -> bool:
    """Return whether the part after `sk-` is a key rather than the words of a name."""
    return looks_random(value, 20) or (
        len(value) >= 40 and value.startswith(("sk-proj-", "sk-svcacct-", "sk-or-v1-")) and mixed(value)
    )


def is_jwt(value: str) -> bool:
    """Return whether it begins with a header that names an algorithm."""
    try:
        header = json.loads(_decoded(value.split(".", 1)[0]))
    except (ValueError, UnicodeDecodeError):
        return False
    return isinstance(header, dict) and "alg" in header


def is_login(value: str) -> bool:
    """Return whether it is `user:password` in base64."""
    try:
        # Only the beginning of a long one is examined, which may end within a character.
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
    """Return whether a URL's password may be real; documentation writes `user:password@host`."""
    if _EXAMPLES.fullmatch(value) or "%s" in value or len(set(value)) < 4:
        return False
    kinds = [any(map(str.isalpha, value)), any(map(str.isdigit, value)), not value.isalnum()]
    return sum(kinds) >= 2 or (len(value) >= 12 and not value.islower() and not value.isupper())


def is_listed(line: str) -> bool:
    """Return whether the variable in a line of a `.env` file holds a secret."""
    name, _, value = line.partition("=")
    return any(secrets_of(name.split()[-1].rpartition(":")[2], value.strip("\"'"), by_looks=True))


def is_pem(value: str) -> bool:
    """Return whether it has a whole line of a key."""
    return re.search(r"[A-Za-z0-9+/=]{40}", value) is not None


_WORD = "[A-Za-z0-9]"
_TOKEN = "[A-Za-z0-9_-]"
_BASE64 = "[A-Za-z0-9+/]"
_DOT = Piece("[.]", 1, 1)
_NO_BASE64 = "(?![A-Za-z0-9+/=])"


def _starting(
    tag: str,
    needles: str,
    least: int,
    most: int | None = None,
    chars: str = _WORD,
    real: Callable[[str], bool] = mixed,
    **more: Any,
) -> Pattern:
    return Pattern(tag, tuple(needles.split()), (Piece(chars, least, most),), real, **more)


def _after(
    tag: str, needles: Iterable[str], pieces: Iterable[Piece], real: Callable[[str], bool] = anything, **more: Any
) -> Pattern:
    """Return a pattern whose needle is no part of the secret."""
    return Pattern(tag, tuple(needles), tuple(pieces), real, shown=True, **more)


def _seen(chars: str, least: int, most: int, cut: str = "") -> Piece:
    return Piece(chars, least, most, True, cut)


def _cased(*words: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for word in words for form in (word, word.upper(), word.capitalize())))


_QUOTE = "[\\\\\"'`]"
_SPACES = _seen("[ \t]", 0, 8)
_SEPARATOR = (_seen(_QUOTE, 0, 2), _SPACES, _seen("[:=>]", 1, 2), _SPACES, _seen(_QUOTE, 0, 2))
_NAMES = (
    *_cased("password", "passwd", "passphrase", "secret", "token", "apikey", "api_key", "api-key"),
    *_cased("access_key", "auth_key", "private_key"),
    *("apiKey", "accessKey", "AccessKey", "authKey", "ApiKey", "Api-Key", "API-Key"),
)
_KEY_NAMES = (*_cased("secret_access_key", "secret-access-key"), "secretAccessKey", "SecretAccessKey")
_SCHEME = _seen("(?:[A-Za-z-]{1,16}[ \t]{1,4})", 0, 1, "[A-Za-z-]{0,16}[ \t]{0,4}")
_PRIVATE_KEY = (
    _seen("[A-Z0-9 ]", 1, 12),
    _seen("PRIVATE KEY", 1, 1, "[A-Z ]{0,11}"),
    _seen("(?: BLOCK)?-----", 1, 1, "[ A-Z]{0,6}-{0,5}"),
    Piece(r"(?:[A-Za-z0-9+/=\r\n\\\"',:.]|(?<=[:,\s])[ \t]|-(?!-))", 40),
)
_LOGIN = (
    _seen("[A-Za-z0-9._%+~-]", 0, 64), _seen(":", 1, 1), Piece(r"[^\s/@:\"'<>`{}$()\[\]‹›\\]", 6), _seen("@", 1, 1),
)  # fmt: skip
_LISTED = (
    _seen("[A-Za-z0-9_.-]", 0, 40), _seen("[:-]", 1, 1), _seen("[0-9]", 0, 6), _seen("[:-]", 0, 1), _SPACES,
    _seen("[A-Za-z0-9_. ]", 1, 60), _seen("=", 1, 1), _seen("[\"']", 0, 1), Piece("[^\\s\"'‹›]", 8),
)  # fmt: skip
"""A line of a `.env` file in the output of searches."""

PATTERNS: tuple[Pattern, ...] = (
    _starting("aws-key-id", "AKIA ASIA", 16, 16, "[A-Z0-9]", lambda value: "EXAMPLE" not in value),
    _after(
        "aws-secret", ("AKIA", "ASIA"),
        (_seen("[A-Z0-9]", 16, 16), _seen("[\\s,:;|\"']", 1, 12), Piece(_BASE64, 40, 40)), mixed, after=_NO_BASE64,
    ),
    _after(
        "aws-secret", _KEY_NAMES, (*_SEPARATOR, Piece(_BASE64, 40, 40)), mixed, before="", after=_NO_BASE64,
        gate=("ecret",),
    ),
    _starting("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", 36),
    _starting("github-token", "github_pat_", 40, chars="[A-Za-z0-9_]"),
    _starting("gitlab-token", "glpat- glptt- glrt- gldt-", 20, chars=_TOKEN),
    _starting(
        "slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe. xapp-", 20, chars="[A-Za-z0-9.-]",
        gate=("xox", "xapp-"),
    ),
    _starting("slack-webhook", "hooks.slack.com/services/", 30, 120, "[A-Za-z0-9/]", before="", shown=True),
    _starting("google-key", "AIza", 35, 35, _TOKEN, after="(?![A-Za-z0-9_-])"),
    _starting("google-token", "ya29.", 20, chars=_TOKEN),
    _starting("google-secret", "GOCSPX-", 24, 64, _TOKEN),
    _starting("anthropic-key", "sk-ant-", 20, chars=_TOKEN),
    _starting("openai-key", "sk-", 20, chars=_TOKEN, real=is_key),
    _starting("stripe-key", "sk_live_ rk_live_", 16),
    _starting("stripe-key", "whsec_", 32, chars="[A-Za-z0-9+/=]"),
    Pattern("sendgrid-key", ("SG.",), (Piece(_TOKEN, 16, 32), _DOT, Piece(_TOKEN, 32, 64)), mixed),
    _starting("npm-token", "npm_", 36, 36),
    _starting("pypi-token", "pypi-AgEI", 50, chars=_TOKEN, real=anything),
    _starting("hugging-face-token", "hf_", 34, 40, real=has_both_cases),
    _starting("twilio-key", "SK", 32, 32, "[0-9a-f]", looks_random),
    Pattern(
        "jwt", ("eyJ",),
        (Piece(_TOKEN, 8, 2000), _DOT, Piece(_TOKEN, 8, 12_000), _DOT, Piece(_TOKEN, 8, 2000)),
        is_jwt,
    ),
    _after("private-key", ("-----BEGIN",), _PRIVATE_KEY, is_pem, before="", after=""),
    _after(
        "bearer-token", ("Bearer", "bearer"), (_seen("[ \t]", 1, 4), Piece("[A-Za-z0-9._~+/=-]", 16)), looks_random,
        gate=("bearer",),
    ),
    _after(
        "basic-login", ("Basic", "basic"), (_seen("[ \t]", 1, 4), Piece("[A-Za-z0-9+/=]", 8)), is_login,
        gate=("basic",),
    ),
    _after(
        "header-token", ("uthorization", "UTHORIZATION"), (*_SEPARATOR, _SCHEME, Piece("[A-Za-z0-9._~+/=-]", 16)),
        looks_random, before="", gate=("uthorization",),
    ),
    _after("url-password", ("://",), _LOGIN, is_password, before="", after=""),
    _after(
        "assigned", _NAMES, (_seen(_TOKEN, 0, 16), *_SEPARATOR, Piece("[A-Za-z0-9_+/=.~-]", 16)), looks_random,
        before="", after="(?![A-Za-z0-9(\\[])", gate=("passw", "passphrase", "secret", "token", "key"),
    ),
    _after("dotenv", (".env",), _LISTED, before="", after="", fits=is_listed),
)  # fmt: skip
"""Every pattern; those with the most specific names first."""


def _beginnings(anywhere: bool) -> frozenset[str]:
    needles = [needle for pattern in PATTERNS if (not pattern.before) is anywhere for needle in pattern.needles]
    return frozenset({needle[:length] for needle in needles for length in range(1, len(needle))})


SHORTEST_MATCH = min(pattern.shortest for pattern in PATTERNS)
"""Minimum length of any match."""
_LONGEST_NEEDLE = max(len(needle) for pattern in PATTERNS for needle in pattern.needles)
_ANYWHERE, _AT_WORDS = _beginnings(True), _beginnings(False)


def _shortest(words: Iterable[str]) -> tuple[str, ...]:
    """Leave out each word that contains another one: the other finds its matches."""
    kept: list[str] = []
    for word in sorted(dict.fromkeys(words), key=len):
        for other in kept:  # not a generator: this runs at each start
            if other in word:
                break
        else:
            kept.append(word)
    return tuple(kept)


_EXACT = _shortest(needle for pattern in PATTERNS if not pattern.gate for needle in pattern.needles)
_FOLDED = _shortest(word for pattern in PATTERNS for word in pattern.gate)


def may_match(line: str) -> bool:
    """Return whether any pattern may occur in the text: plain substring searches in one loop, for every event."""
    for needle in _EXACT:
        if needle in line:
            return True
    folded = line.lower()
    for needle in _FOLDED:  # noqa: SIM110 - any() over a generator costs more than the searches
        if needle in folded:
            return True
    return False


def patterns_in(text: str) -> list[Pattern]:
    """Return the patterns that may occur in the text; most texts have none."""
    if not may_match(text):
        return []
    folded = text.lower()
    return [pattern for pattern in PATTERNS if pattern.occurs(text, folded)]


def begun(text: str, start: int) -> int:
    """Return where a possible beginning of a secret starts, by default the text's length."""
    end = _needle_begun(text, start)
    if not (found := patterns_in(text)):  # the case for almost every piece of a stream
        return end
    run = max(text.rfind(space, start) for space in " \n\t\r") + 1 or start
    for pattern in found:
        first = max(start if pattern.has_space else run, len(text) - pattern.longest)
        end = pattern.begins(text, first, end)
    return end


def _needle_begun(text: str, start: int) -> int:
    for length in range(min(_LONGEST_NEEDLE - 1, len(text) - start), 0, -1):
        place = len(text) - length
        tail = text[place:]
        if tail in _ANYWHERE or (tail in _AT_WORDS and not AFTER_WORD.match(text, place)):
            return place
    return len(text)
