"""What a question asks for: identifiers and places it names, and the words that remain."""

from __future__ import annotations

import re
from typing import NamedTuple

from inarch_brief_tracer.facts.words import STOP_WORDS, pieces, stem

_TICKED = re.compile(r"`+([^`\n]{1,200}?)`+")
_PLACE = re.compile(r"([\w./\\-]+\.pyi?)(?::(\d+)|\", line (\d+))?")
_DOTTED = re.compile(r"(?<![\w.])[^\W\d]\w*(?:\.[^\W\d]\w*)+(?:\(\))?")
_SNAKE = re.compile(r"(?<!\w)(?=\w*[^\W_]_|_\w)(?!_+\b)[^\W\d]\w*(?:\(\))?")
_CAMEL = re.compile(r"(?<!\w)[A-Za-z]*[a-z0-9][A-Z]\w*|(?<!\w)[A-Z]{2,}[a-z]\w+")
_CALLED = re.compile(r"(?<![\w.])([^\W\d]\w*)\(")
_CAPITAL = re.compile(r"(?<=[\w,;:)'\"] )[A-Z][a-z]\w+")
_TESTS = re.compile(
    r"\btests? (?:for|of|that|which|cover\w*|cases?)\b|\b(?:which|what|unit) tests\b|\btested\b", re.IGNORECASE
)


_KINDS = re.compile(r"\b(?:which|what) (function|method|class|module|constant)\b", re.IGNORECASE)


class Query(NamedTuple):
    """A parsed question.

    Args:
        identifiers: names written as code, dotted or not, in order.
        places: files with a line (0 without).
        capitals: plain capitalised words inside a sentence: a class perhaps, perhaps a proper noun.
        words: the words that carry meaning, lower case, without stop words, in order.
        pairs: adjacent words written as one ("file system": filesystem).
    """

    text: str
    identifiers: tuple[str, ...]
    places: tuple[tuple[str, int], ...]
    capitals: tuple[str, ...]
    words: tuple[str, ...]
    pairs: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The kind of symbol that is asked for, "" where it is left open: `which class …`."""
        found = _KINDS.search(self.text)
        return found[1].lower() if found else ""

    @property
    def about_tests(self) -> bool:
        """Whether tests are what is asked for."""
        return bool(_TESTS.search(self.text))


def parsed(text: str) -> Query:
    """Parse a question, an identifier, a `path:line` or a traceback."""
    text = text[:4000].encode("utf-8", "replace").decode()
    places = [(found[1].replace("\\", "/"), int(found[2] or found[3] or 0)) for found in _PLACE.finditer(text)]
    plain = _PLACE.sub(" ", text)
    identifiers: list[str] = []
    for ticked in _TICKED.findall(plain):
        name = ticked.strip().removesuffix("()").lstrip("@.")
        if re.fullmatch(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*", name):
            identifiers.append(name)
    for pattern in (_DOTTED, _SNAKE, _CAMEL, _CALLED):
        matches = pattern.finditer(plain)
        identifiers += [(found[1] if pattern is _CALLED else found[0]).removesuffix("()") for found in matches]
    if re.fullmatch(r"\s*\w+\s*", plain):
        identifiers.append(plain.strip())
    parts = {part for name in identifiers if "." in name for part in name.split(".")}
    named = [name for name in dict.fromkeys(identifiers) if name not in parts]
    return Query(
        text, tuple(named), tuple(dict.fromkeys(places)), tuple(dict.fromkeys(_CAPITAL.findall(plain))), *_words(plain)
    )


def _words(plain: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    words: list[str] = []
    pairs: list[str] = []
    before = ""
    for token in re.findall(r"\w+(?:'[a-z]+)?", plain):
        found = [part for part in pieces(token.partition("'")[0]) if len(part) > 1]
        for part in found:
            if part not in STOP_WORDS:
                words.append(part)
                if before:
                    pairs.append(before + part)
            before = part if part not in STOP_WORDS else ""
        if len(found) > 1:
            pairs.append("".join(found))
    return tuple(dict.fromkeys(words)), tuple(dict.fromkeys(map(stem, pairs)))
