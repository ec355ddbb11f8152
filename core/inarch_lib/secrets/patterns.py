"""Secrets recognized by their format: published key and token formats, and positions of passwords."""

from __future__ import annotations

import base64
import binascii
import json
import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable

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


def _starting(
    tag: str,
    *needles: str,
    least: int,
    most: int | None = None,
    chars: str = _WORD,
    real: Callable[[str], bool] = anything,
) -> Pattern:
    return Pattern(tag, needles, (Piece(chars, least, most),), real)


def _cased(*words: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for word in words for form in (word, word.upper(), word.capitalize())))


_QUOTE = "[\\\\\"'`]"
_SEPARATOR = (
    Piece(_QUOTE, 0, 2, True),
    Piece("[ \t]", 0, 8, True),
    Piece("[:=>]", 1, 2, True),
    Piece("[ \t]", 0, 8, True),
    Piece(_QUOTE, 0, 2, True),
)
_NAMES = (
    *_cased("password", "passwd", "passphrase", "secret", "token", "apikey", "api_key", "api-key"),
    *_cased("access_key", "auth_key", "private_key"),
    *("apiKey", "accessKey", "AccessKey", "authKey", "ApiKey", "Api-Key", "API-Key"),
)

PATTERNS: tuple[Pattern, ...] = (
    Pattern("aws-key-id", ("AKIA", "ASIA"), (Piece("[A-Z0-9]", 16, 16),), lambda value: "EXAMPLE" not in value),
    Pattern(
        "aws-secret",
        ("AKIA", "ASIA"),
        (Piece("[A-Z0-9]", 16, 16, True), Piece("[\\s,:;|\"']", 1, 12, True), Piece(_BASE64, 40, 40)),
        mixed,
        after="(?![A-Za-z0-9+/=])",
        shown=True,
    ),
    Pattern(
        "aws-secret",
        (*_cased("secret_access_key", "secret-access-key"), "secretAccessKey", "SecretAccessKey"),
        (*_SEPARATOR, Piece(_BASE64, 40, 40)),
        mixed,
        before="",
        after="(?![A-Za-z0-9+/=])",
        shown=True,
        gate=("ecret",),
    ),
    _starting("github-token", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", least=36, real=mixed),
    _starting("github-token", "github_pat_", least=40, chars="[A-Za-z0-9_]", real=mixed),
    _starting("gitlab-token", "glpat-", "glptt-", "glrt-", "gldt-", least=20, chars=_TOKEN, real=mixed),
    Pattern(
        "slack-token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-"),
        (Piece("[A-Za-z0-9.-]", 20),),
        mixed,
        gate=("xox", "xapp-"),
    ),
    Pattern(
        "slack-webhook", ("hooks.slack.com/services/",), (Piece("[A-Za-z0-9/]", 30, 120),), mixed, before="", shown=True
    ),
    Pattern("google-key", ("AIza",), (Piece(_TOKEN, 35, 35),), mixed, after="(?![A-Za-z0-9_-])"),
    _starting("google-token", "ya29.", least=20, chars=_TOKEN, real=mixed),
    _starting("google-secret", "GOCSPX-", least=24, most=64, chars=_TOKEN, real=mixed),
    _starting("anthropic-key", "sk-ant-", least=20, chars=_TOKEN, real=mixed),
    _starting("openai-key", "sk-", least=20, chars=_TOKEN, real=is_key),
    _starting("stripe-key", "sk_live_", "rk_live_", least=16, real=mixed),
    _starting("stripe-key", "whsec_", least=32, chars="[A-Za-z0-9+/=]", real=mixed),
    Pattern("sendgrid-key", ("SG.",), (Piece(_TOKEN, 16, 32), Piece("[.]", 1, 1), Piece(_TOKEN, 32, 64)), mixed),
    Pattern("npm-token", ("npm_",), (Piece(_WORD, 36, 36),), mixed),
    _starting("pypi-token", "pypi-AgEI", least=50, chars=_TOKEN),
    Pattern("hugging-face-token", ("hf_",), (Piece(_WORD, 34, 40),), has_both_cases),
    Pattern("twilio-key", ("SK",), (Piece("[0-9a-f]", 32, 32),), looks_random),
    Pattern(
        "jwt",
        ("eyJ",),
        (
            Piece(_TOKEN, 8, 2000),
            Piece("[.]", 1, 1),
            Piece(_TOKEN, 8, 12_000),
            Piece("[.]", 1, 1),
            Piece(_TOKEN, 8, 2000),
        ),
        is_jwt,
    ),
    Pattern(
        "private-key",
        ("-----BEGIN",),
        (
            Piece("[A-Z0-9 ]", 1, 12, True),
            Piece("PRIVATE KEY", 1, 1, True, "[A-Z ]{0,11}"),
            Piece("(?: BLOCK)?-----", 1, 1, True, "[ A-Z]{0,6}-{0,5}"),
            Piece(r"(?:[A-Za-z0-9+/=\r\n\\\"',:.]|(?<=[:,\s])[ \t]|-(?!-))", 40),
        ),
        is_pem,
        before="",
        after="",
        shown=True,
    ),
    Pattern(
        "bearer-token",
        ("Bearer", "bearer"),
        (Piece("[ \t]", 1, 4, True), Piece("[A-Za-z0-9._~+/=-]", 16)),
        looks_random,
        shown=True,
        gate=("bearer",),
    ),
    Pattern(
        "basic-login",
        ("Basic", "basic"),
        (Piece("[ \t]", 1, 4, True), Piece("[A-Za-z0-9+/=]", 8)),
        is_login,
        shown=True,
        gate=("basic",),
    ),
    Pattern(
        "header-token",
        ("uthorization", "UTHORIZATION"),
        (
            *_SEPARATOR,
            Piece("(?:[A-Za-z-]{1,16}[ \t]{1,4})", 0, 1, True, "[A-Za-z-]{0,16}[ \t]{0,4}"),
            Piece("[A-Za-z0-9._~+/=-]", 16),
        ),
        looks_random,
        before="",
        shown=True,
        gate=("uthorization",),
    ),
    Pattern(
        "url-password",
        ("://",),
        (
            Piece("[A-Za-z0-9._%+~-]", 0, 64, True),
            Piece(":", 1, 1, True),
            Piece(r"[^\s/@:\"'<>`{}$()\[\]‹›\\]", 6),
            Piece("@", 1, 1, True),
        ),
        is_password,
        before="",
        after="",
        shown=True,
    ),
    Pattern(
        "assigned",
        _NAMES,
        (Piece("[A-Za-z0-9_-]", 0, 16, True), *_SEPARATOR, Piece("[A-Za-z0-9_+/=.~-]", 16)),
        looks_random,
        before="",
        after="(?![A-Za-z0-9(\\[])",
        shown=True,
        gate=("passw", "passphrase", "secret", "token", "key"),
    ),
    # A line of a `.env` file in the output of searches.
    Pattern(
        "dotenv",
        (".env",),
        (
            Piece("[A-Za-z0-9_.-]", 0, 40, True),
            Piece("[:-]", 1, 1, True),
            Piece("[0-9]", 0, 6, True),
            Piece("[:-]", 0, 1, True),
            Piece("[ \t]", 0, 8, True),
            Piece("[A-Za-z0-9_. ]", 1, 60, True),
            Piece("=", 1, 1, True),
            Piece("[\"']", 0, 1, True),
            Piece("[^\\s\"'‹›]", 8),
        ),
        before="",
        after="",
        shown=True,
        fits=is_listed,
    ),
)
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
