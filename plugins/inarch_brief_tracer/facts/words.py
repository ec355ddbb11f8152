"""Words of identifiers and prose: split at case and underscore, stemmed, stop words dropped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

IDENTIFIER = re.compile(r"[^\W\d]\w+")
_SPACED = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "_\n")}
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")

STOP_WORDS = frozenset(
    """
    a an and any are as at be been being but by can could did do does doing done each either for from get gets got
    had has have how i if in into is it its itself just let like may me might more most must my no nor not of off
    on once one only or other our out over own per please shall she should show so some such tell than that the
    their them then there these they thing things this those through to too under until up upon us use used uses
    using very via was way we were what when where whether which while who whom whose why will with within without
    would you your also here self cls none true false def return
    """.split()  # noqa: SIM905 - a list of a hundred strings is no easier to read
)
WEAK_WORDS = frozenset(
    """
    actually class code codebase decide decides decided define defined determine determined exactly explain find
    finds found function give given gives happen happens implement implementation implemented implements know
    library locate located look looks make makes method module package project python responsible source take
    taken takes turned work worked working works
    """.split()  # noqa: SIM905 - a list of a hundred strings is no easier to read
)
"""Words of questions that names use, too: they count, but little."""

# The number is the shortest stem that may remain; plurals go first.
_SUFFIXES = {
    **dict.fromkeys(("ization", "ation", "ator", "ating", "ated", "ition", "ution", "ing", "izer", "ized", "ize"), 3),
    **dict.fromkeys(("ness", "able", "ible", "ably", "ally", "ive", "ied", "ed"), 3),
    **dict.fromkeys(("ion", "ate", "er", "or", "ment", "ly", "ency", "ence", "ance", "ity"), 4),
}
_BY_TAIL = {
    tail: tuple(
        (len(suffix), suffix, _SUFFIXES[suffix])
        for suffix in sorted(_SUFFIXES, key=len, reverse=True)
        if suffix.endswith(tail)
    )
    for tail in {suffix[-2:] for suffix in _SUFFIXES}
}
"""Suffixes with their lengths and the shortest stems that may remain, by their last two letters, the longest first."""
_KEPT_DOUBLES = frozenset("lsz")
_VOWELS = frozenset("aeiouy")


def stem(word: str) -> str:
    """Reduce a lower-case word so that validate, validation, validates and validator share a stem."""
    if len(word) > 3 and word[-1] == "s" and word[-2] not in "sui":
        word = word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    while len(word) > 4 and word[-2:] in _BY_TAIL:
        shorter = _shortened(word)
        if shorter == word:
            break
        word = shorter
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 2 and word[-1] == "y" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    return word


def _shortened(word: str) -> str:
    most = len(word) - 3
    for length, suffix, least in _BY_TAIL.get(word[-2:], ()):
        if length > most or len(word) - length < least or word[-length:] != suffix:
            continue
        rest = word[:-length]
        if _VOWELS.isdisjoint(rest):
            continue
        if suffix == "ied":
            return rest + "y"
        if rest[-1] == rest[-2] and rest[-1] not in _KEPT_DOUBLES:
            return rest[:-1]
        return rest
    return word


def spaced(text: str) -> str:
    """Blank out what stands between the identifiers (and numbers) of a text, line ends apart."""
    if text.isascii():
        return text.translate(_SPACED)
    return "\n".join([" ".join(IDENTIFIER.findall(line)) for line in text.split("\n")])


def pieces(identifier: str) -> tuple[str, ...]:
    """Split `parseHTMLTable_row` into ("parse", "html", "table", "row")."""
    return tuple(part.lower() for part in _PIECES.findall(identifier))


_known_stem = lru_cache(maxsize=65536)(stem)  # of code, whose words come again; what people ask has new ones each time


@lru_cache(maxsize=131072)
def stems(identifier: str) -> str:
    """Give the stems of an identifier's words, joined by blanks; "" for stop words alone, and for numbers."""
    if identifier[:1].isdigit():
        return ""
    if identifier.isalpha() and identifier.islower():
        parts = [identifier]
    elif identifier.islower() and identifier.replace("_", "").isalpha():
        parts = [part for part in identifier.split("_") if part]
    else:
        parts = [part.lower() for part in _PIECES.findall(identifier)]
    if len(parts) == 1:
        word = parts[0]
        return "" if len(word) == 1 or word in STOP_WORDS else _known_stem(word)
    found = [_known_stem(part) for part in parts if len(part) > 1]
    # A compound is findable as one word, too: `url_for` as "urlfor", `setUp` as "setup".
    if len(parts) <= 3 and len(identifier) <= 20:
        found.append(_known_stem("".join(parts)))
    return " ".join(found)


def bag(identifiers: Iterable[str], most: int = 160) -> str:
    """Give the distinct stems of many identifiers in order of first use, at most `most`."""
    text = " ".join(map(stems, dict.fromkeys(identifiers)))
    return " ".join(list(dict.fromkeys(text.split()))[:most])


def forget() -> None:
    """Let go of the stems that were worked out: those of a large tree take 20 MB."""
    _known_stem.cache_clear()
    stems.cache_clear()
