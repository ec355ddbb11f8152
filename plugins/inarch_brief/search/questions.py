"""A parsed question: a name, a sentence or a report, its words, and the weight of each part."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from inarch_brief.search.tokens import pieces, stem, terms_of_word, words
from inarch_brief.search.vocabulary import STOP_WORDS, WEAK_WORDS

SYMBOL, SENTENCE, REPORT = "symbol", "sentence", "report"
LONGEST = 40_000
"""Characters of a question that count."""

TITLE, PROSE, CODE, MESSAGE, OUTPUT = "title", "prose", "code", "message", "output"
SHARES = {TITLE: 2.5, PROSE: 1.0, CODE: 0.35, MESSAGE: 1.5, OUTPUT: 0.25}
"""The weight of a word in each part of a report."""

# Patterns for a few questions are compiled on use: each question on the command line is a process.
_TICKED = re.compile(r"(?<!`)`+([^`\n]{1,200})`")
# Each run of characters is tried from its beginning only, so that any text takes one pass.
_PLACE = re.compile(
    r"(?<![\w./\\-])([\w./\\-]*[\w-]\.(?:pyi?|[cm]?[jt]sx?|go|rs|java|[ch](?:pp|c|h)?|rb|kt|cs|php|md|rst|toml|ya?ml|json|ini|cfg|txt))\b(?::(\d+))?"
)
_FRAME = r'(?m)^\s*File "([^"\n]+)", line (\d+)(?:, in (\S+))?'
_DOTTED = re.compile(r"(?<![\w./])[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_SNAKE = re.compile(r"(?<![\w/])(?=\w*[^\W_]_\w|_\w)[^\W\d]\w*")
_CAMEL = re.compile(r"(?<!\w)(?:[a-z]+[A-Z]\w*|[A-Z]\w*[a-z][A-Z]\w*|[A-Z]{2,}[a-z]\w+)")
_CALLED = re.compile(r"(?<![\w.])([^\W\d]\w*)\(")
_CAPITAL = r"(?<=[a-z,;:)'\"] )[A-Z][a-z]\w+"
_URL = re.compile(r"https?://\S+")
_COMMENT = r"(?s)<!--.*?(?:-->|\Z)"
_ERROR = r"^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt)\b:?.*$"
_VERSIONS = r"^(?:[-*] )?[\w.+ -]{1,40}(?:==|:|\s)\s*v?\d+\.\d[\w.+-]*\s*$"
_ASKS_TESTS = r"(?i)\btests? (?:for|of|that|which|cover\w*|cases?)\b|\b(?:which|what|unit) tests\b|\btested\b"
_ASKS_TEXTS = (
    r"(?i)^(?:so )?how (?:to|does one|(?:do|can|should|would|must) (?:i|we|you|one|people))\b (?:\w+ )?"
    r"(?:install|set up|deploy|configure|contribute|upgrade|migrate|get started|start|build|compile|release|publish|"
    r"run (?:the |all |its )*tests)\b|"
    r"\b(?:docs?|documentation|documented|read ?me|guides?|tutorials?|change ?log|manual|faq|licen[sc]e|"
    r"install(?:ation|ing)|pyproject|package\.json|tsconfig|makefile|dockerfile|docker[ -]compose|tox\.ini|setup\.cfg|"
    r"go\.mod|cargo\.toml|github actions|ci (?:workflow|pipeline|job)s?|\.env)\b|"
    r"\b(?:which|what) (?:\w+ )?versions?\b.*\b(?:need|require|support|work)"
)
"""Questions that documentation and configuration answer rather than code."""
_ASKS_KIND = r"(?i)\b(?:which|what) (function|method|class|module|constant)\b"


class Part(NamedTuple):
    """A stretch of a question: a title, prose, code, an error's message, or output."""

    sort: str
    text: str


class Frame(NamedTuple):
    """A place that a question names: a file, a line (0 if unknown) and a function."""

    file: str
    line: int
    function: str


class Term(NamedTuple):
    """A term of a question: its weight, and its original word."""

    weight: float
    word: str


class Question(NamedTuple):
    """A parsed question.

    Args:
        text: the original text.
        shape: a name, a sentence, or a report of several lines.
        terms: its informative terms.
        order: its terms in order, "" between two that are not adjacent.
        identifiers: names written as code in prose, each with its weight.
        pasted: names in pasted code. They count only if the repository defines them.
        frames: the places it names, a traceback's innermost frame last.
        kind: the kind of place it asks for, or "".
        about_tests: whether it asks for tests.
        about_texts: whether it asks for documentation or configuration.
        capitals: capitalised words inside a sentence.
    """

    text: str
    shape: str
    terms: dict[str, Term]
    order: tuple[str, ...]
    identifiers: dict[str, float]
    pasted: tuple[str, ...]
    frames: tuple[Frame, ...]
    kind: str
    about_tests: bool
    about_texts: bool
    capitals: tuple[str, ...]


@lru_cache(maxsize=8)  # an answer reads its question several times
def understood(text: str) -> Question:
    """Parse a question, a name, a `path:line`, a traceback or a whole report."""
    text = text[:LONGEST].encode("utf-8", "replace").decode()
    parts = parts_of(text)
    identifiers: dict[str, float] = {}
    pasted: dict[str, None] = {}
    frames = [Frame(found[1].replace("\\", "/"), int(found[2]), found[3] or "") for found in re.finditer(_FRAME, text)]
    for part in parts:
        if part.sort in (TITLE, PROSE, MESSAGE):
            named = [Frame(found[1].replace("\\", "/"), int(found[2] or 0), "") for found in _PLACE.finditer(part.text)]
            frames = [*named, *frames]
            share = max(1.0, SHARES[part.sort] / 2)
            for name in written_as_code(_PLACE.sub(" ", part.text)):
                identifiers[name] = max(identifiers.get(name, 0.0), share)
        else:
            pasted.update(dict.fromkeys(written_as_code(part.text)))
    shape = _shape(text, parts)
    if shape == SYMBOL and not identifiers and not frames:
        identifiers = dict.fromkeys(words(text), 1.0)
    kind = re.search(_ASKS_KIND, text) if shape == SENTENCE else None
    return Question(
        text,
        shape,
        *_terms(parts),
        identifiers,
        tuple(name for name in pasted if name not in identifiers),
        tuple(dict.fromkeys(frames)),
        kind[1].lower() if kind else "",
        shape == SENTENCE and bool(re.search(_ASKS_TESTS, text)),
        shape == SENTENCE and bool(re.search(_ASKS_TEXTS, text)),
        tuple(dict.fromkeys(re.findall(_CAPITAL, text))) if shape == SENTENCE else (),
    )


def _shape(text: str, parts: list[Part]) -> str:
    if len(parts) > 1 or text.strip().count("\n") > 1:
        return REPORT
    bare = text.strip().strip("`").removesuffix("()")
    return SYMBOL if re.fullmatch(r"[\w.:/\\#-]+", bare) and bare else SENTENCE


def written_as_code(text: str) -> list[str]:
    """Return the names written as code in a text: in back-ticks, dotted, with underscores or inner capitals."""
    found: list[str] = []
    for ticked in _TICKED.findall(text):
        name = ticked.strip().removesuffix("()").lstrip("@.")
        if re.fullmatch(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*", name):
            found.append(name)
    for pattern in (_DOTTED, _SNAKE, _CAMEL):
        found += [match[0] for match in pattern.finditer(text)]
    found += _CALLED.findall(text)
    inside = {part for name in found if "." in name for part in name.split(".")}
    return [name for name in dict.fromkeys(found) if name not in inside and name.lower() not in STOP_WORDS]


def parts_of(text: str) -> list[Part]:
    """Split a report. Its first line is the title. Code is fenced, indented or typed at a prompt."""
    text = _URL.sub(" ", re.sub(_COMMENT, " ", text)).strip("\n")
    if "\n" not in text.strip():
        return [Part(PROSE, text)]
    parts: list[Part] = []
    sort, fenced = TITLE, False
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            fenced = not fenced
            continue
        if not stripped:
            continue
        if parts and sort == TITLE:
            sort = PROSE
        now = sort if not parts else _sort(line, stripped, fenced)
        if parts and parts[-1].sort == now:
            parts[-1] = Part(now, f"{parts[-1].text}\n{line}")
        else:
            parts.append(Part(now, line))
    return parts


def _sort(line: str, stripped: str, fenced: bool) -> str:
    if re.match(_ERROR, stripped.removeprefix("E ").strip()):
        return MESSAGE
    if stripped.startswith(('File "', "Traceback (most")) or re.match(_VERSIONS, stripped):
        return OUTPUT
    if fenced or stripped.startswith((">>>", "... ", "$ ")) or line.startswith(("    ", "\t")):
        return CODE
    return PROSE


def _terms(parts: list[Part]) -> tuple[dict[str, Term], tuple[str, ...]]:
    order: list[str] = []
    weighed: dict[str, Term] = {}
    for part in parts:
        share = SHARES[part.sort]
        for written in words(part.text):
            mine = [] if written.lower() in STOP_WORDS else _own(written)
            for word, term in mine:
                before = weighed.get(term)
                weight = share * (0.4 if word in WEAK_WORDS else 1.0)
                # A repeated word counts a little more; code repeats the same names often.
                weight = weight if before is None else max(before.weight, weight) + 0.15 * min(before.weight, weight)
                weighed[term] = Term(weight, word)
            order += [term for _, term in mine] if len(mine) == 1 else ["", *(term for _, term in mine), ""]
    return weighed, tuple(order)


def _own(written: str) -> list[tuple[str, str]]:
    """Return the parts of a word with their terms."""
    parts = [part for part in pieces(written) if part not in STOP_WORDS]
    found = [(part, stem(part)) for part in parts if len(part) > 1 or not part.isascii()]
    whole = terms_of_word(written)
    if len(parts) > 1 and whole and whole[-1] not in {term for _, term in found}:
        found.append((written.lower(), whole[-1]))
    return found
