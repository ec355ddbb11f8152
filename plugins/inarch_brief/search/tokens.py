"""Terms of code and prose: identifiers split at case, underscore and digits, words of any script, stems."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import chain

from inarch_brief.search.vocabulary import IRREGULAR, STOP_WORDS

_WORD = re.compile(r"\w+")
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_UNSPACED = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
"""Scripts without spaces, compiled on use."""
LONGEST_WORD = 64
"""Longer runs of letters are data, not words."""
_JOINED_PIECES = 3
_JOINED_LENGTH = 24

# The number is the shortest stem that may remain. Plurals are removed first.
_SUFFIXES = {
    **dict.fromkeys(("ization", "ation", "ator", "ating", "ated", "ition", "ution", "ing", "izer", "ized", "ize"), 3),
    **dict.fromkeys(("ness", "able", "ible", "ably", "ally", "ive", "ied", "ed"), 3),
    **dict.fromkeys(("ion", "ate", "er", "or", "ment", "ly", "ency", "ence", "ance", "ity"), 4),
}
_LONGEST_FIRST = sorted(_SUFFIXES, key=len, reverse=True)
_BY_TAIL = {
    tail: tuple((suffix, _SUFFIXES[suffix]) for suffix in _LONGEST_FIRST if suffix.endswith(tail))
    for tail in {suffix[-2:] for suffix in _SUFFIXES}
}
_KEPT_DOUBLES = frozenset("lsz")
_VOWELS = frozenset("aeiouy")


def stem(word: str) -> str:
    """Reduce a lower-case word to a stem that validate, validation and validator share, as do kept and keep."""
    word = IRREGULAR.get(word, word)
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
    for suffix, least in _BY_TAIL.get(word[-2:], ()):
        rest = word.removesuffix(suffix)
        if len(rest) < max(least, 3) or len(rest) == len(word) or _VOWELS.isdisjoint(rest):
            continue
        if suffix == "ied":
            return rest + "y"
        return rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in _KEPT_DOUBLES else rest
    return word


def pieces(identifier: str) -> list[str]:
    """Split `parseHTMLTable_row2` into parse, html, table, row, 2. Accents are dropped, any script is kept."""
    if identifier.isascii():
        return [piece.lower() for piece in _PIECES.findall(identifier)]
    bare = "".join(mark for mark in unicodedata.normalize("NFKD", identifier) if unicodedata.category(mark) != "Mn")
    found: list[str] = []
    for piece in _PIECES.findall(unicodedata.normalize("NFKC", bare)):
        if len(piece) > 2 and re.fullmatch(_UNSPACED, piece):
            found += [piece[place : place + 2] for place in range(len(piece) - 1)]
        else:
            found.append(piece.casefold())
    return found


@lru_cache(maxsize=131072)
def terms_of_word(word: str) -> tuple[str, ...]:
    """Return the terms of one word or identifier: a stem for each part, and one for the whole if it has few parts."""
    parts = pieces(word) if len(word) <= LONGEST_WORD else []
    if not parts:
        return ()
    if len(parts) == 1:
        return () if parts[0] in STOP_WORDS or (len(parts[0]) == 1 and parts[0].isascii()) else (stem(parts[0]),)
    found = [stem(part) for part in parts if len(part) > 1 or not part.isascii()]
    if len(parts) <= _JOINED_PIECES and len(word) <= _JOINED_LENGTH and word.isascii():
        found.append(stem("".join(parts)))
    return tuple(found)


def words(text: str) -> list[str]:
    """Return the words and identifiers of a text, unchanged."""
    return _WORD.findall(text)


def terms(text: str) -> list[str]:
    """Return the terms of code or prose in order, with repetitions, without lone stop words."""
    return list(chain.from_iterable(map(terms_of_word, _WORD.findall(text))))
