"""Search over symbols: exact names in a question first, then matches by its words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inarch_brief.search import Answer, Kept, Question, documents
from inarch_brief.search import search as searched
from inarch_brief.search.questions import REPORT
from inarch_brief.search.tokens import terms
from inarch_brief.tracer.facts.file_facts import CONSTANT, MODULE
from inarch_brief.tracer.facts.modules import TEXT
from inarch_brief.tracer.finding.hits import JOINED, SCANNED, Hit, flagged, order, preference
from inarch_brief.tracer.store.kept_files import Shelf

PLACED = 1000.0
"""Scores from here on belong to symbols at a place that the question names, in their order."""
NAMED = 100.0
"""Scores from here on belong to symbols that the question names; matches by words stay below."""
_TIES = 10.0
"""The most that the other words of a question add to the score of a named symbol."""
_BY_LAST_NAME, _IN_OTHER_LETTERS = 2.0, 1.0
"""Exactness of a name without its qualifiers, and of one with other capitals."""
_DEEPEST = 200
_OF_TEXTS = (documents.SECTION, documents.SETTING)
"""Kinds of places in texts."""
_MORE = 20
"""Symbols to rank beyond the limit, because some of them count less."""


class Found(NamedTuple):
    """The symbols and files that a question is about."""

    hits: list[Hit]
    files: list[str]
    confidence: float
    unknown: tuple[str, ...]


def search(shelf: Shelf, text: str, kind: str = "any", limit: int = 20) -> Found:
    """Find the symbols that a question, an identifier or a `path:line` is about, best first."""
    try:
        among = documents.TEXTS if kind in _OF_TEXTS else documents.NATURES
        if (answer := shelf.answers.get((text, among))) is None:  # an answer searches twice
            answer = shelf.answers[text, among] = searched(shelf.words, text, _DEEPEST, among=among)
    except ValueError as error:
        raise sqlite3.DatabaseError(str(error)) from error
    worded = _worded(shelf, answer, kind, limit)
    named = {} if answer.question.shape == REPORT else _exact(shelf, answer.question)
    best = _tied(answer.question, _exported_first(shelf, list(named.values())), worded)
    hits = [hit for hit in best if kind in ("any", hit.kind)] + [hit for hit in worded if hit.key not in named]
    files = list(dict.fromkeys([*(hit.path for hit in best), *answer.files]))
    return Found(hits[:limit], files, 1.0 if best else answer.confidence, answer.unknown)


def _tied(question: Question, named: Sequence[Hit], worded: Sequence[Hit]) -> list[Hit]:
    """Order equal matches of a name by the other words of the question, or without any by depth."""
    if _has_only_names(question):
        return sorted((hit._replace(score=hit.score - _depth(hit) / 10) for hit in named), key=order)
    known: dict[str, float] = {}
    for hit in worded:  # a repeated definition, such as a property's setter, stays behind the first
        known[hit.qualname] = max(known.get(hit.qualname, 0.0), hit.score)
    most = max(known.values(), default=1.0)
    worth = {hit.key: _TIES * known.get(hit.qualname, 0.0) / most for hit in named if hit.score < PLACED}
    return sorted((hit._replace(score=hit.score + worth.get(hit.key, 0.0)) for hit in named), key=order)


def _depth(hit: Hit) -> float:
    """Return how deep a symbol is nested. A declaration comes a little behind its definition."""
    return hit.dotted.count(".") + 0.2 * hit.path.endswith((".d.ts", ".d.mts", ".d.cts", ".pyi"))


def _exported_first(shelf: Shelf, named: Sequence[Hit]) -> list[Hit]:
    """Raise exported symbols slightly above others of the same name: users know only these."""
    if len(named) < 2:
        return list(named)
    marks = ", ".join("?" * len(named))
    rows = shelf.connection.execute(
        f"SELECT target FROM exports WHERE target IN ({marks})", [hit.qualname for hit in named]
    )
    handed_out = {target for (target,) in rows}
    return [hit._replace(score=hit.score + 0.05 * (hit.qualname in handed_out)) for hit in named]


def _has_only_names(question: Question) -> bool:
    return question.terms.keys() <= {term for name in question.identifiers for term in terms(name)}


def _worded(shelf: Shelf, answer: Answer, kind: str, limit: int) -> list[Hit]:
    """Return the symbols that match by words, with less weight for aliases and stubs."""
    places = [hit for hit in answer.hits if kind in ("any", hit.place.kind)]
    most = max((hit.score for hit in places), default=1.0) or 1.0
    hits = [
        flagged(hit._replace(score=NAMED * 0.99 * found.score / most, reasons=tuple(found.reasons)))
        for found in places[: limit + _MORE]
        if (hit := _symbol(shelf, found.place))
    ]
    return sorted(hits, key=order)


def _symbol(shelf: Shelf, place: Kept) -> Hit | None:
    """Return the symbol at a place: a test's as scanned, a text's as the search index stores it."""
    if place.nature in documents.TEXTS:
        (file,) = shelf.connection.execute("SELECT id FROM files WHERE path = ?", (place.file,)).fetchone()
        return _text(place, file)
    found = shelf.connection.execute(f"{JOINED} WHERE f.path = ? AND s.line = ?", (place.file, place.line))
    return next((hit for row in found if (hit := Hit(*row)).qualname == place.qualified), None)


def _exact(shelf: Shelf, question: Question) -> dict[tuple[int, int, str], Hit]:
    """Return the symbols that a question names by place or identifier."""
    found: dict[tuple[int, int, str], Hit] = {}
    for hit in [*_placed(shelf, question), *_named(shelf, question)]:
        if hit.key not in found or found[hit.key].score < hit.score:
            found[hit.key] = hit
    return found


def _placed(shelf: Shelf, question: Question) -> list[Hit]:
    """Find the symbols at the places a question names: the innermost symbol, or the file's module."""
    hits: list[Hit] = []
    for number, frame in enumerate(question.frames, 1):
        there = shelf.words.in_file(frame.file)
        if not there:
            continue
        around = [
            hit
            for hit in _in_file(shelf, there)
            if hit.line <= frame.line <= hit.end or hit.kind == MODULE or (hit.role == TEXT and not frame.line)
        ]
        around.sort(key=lambda hit: (hit.kind == MODULE, hit.end - hit.line, -hit.line))
        # Tracebacks name the innermost call last.
        said = f"{frame.file}:{frame.line}"
        hits += [
            hit._replace(score=PLACED + number - place / 10, reasons=(said,)) for place, hit in enumerate(around[:3])
        ]
    return hits


def _in_file(shelf: Shelf, there: Sequence[Kept]) -> list[Hit]:
    """Return the symbols of a file."""
    (file,) = shelf.connection.execute("SELECT id FROM files WHERE path = ?", (there[0].file,)).fetchone()
    if there[0].nature in documents.TEXTS:
        return [_text(place, file) for place in there]
    return [Hit(*row) for row in shelf.connection.execute(f"{JOINED} WHERE f.id = ?", (file,))]


def _text(place: Kept, file: int) -> Hit:
    return Hit(
        0, place.file, place.file, TEXT, file, SCANNED, place.qualified, place.kind, place.line, place.end, "",
        place.summary, 0,
    )  # fmt: skip


def _named(shelf: Shelf, question: Question) -> list[Hit]:
    """Find symbols by the identifiers of a question."""
    hits: list[Hit] = []
    is_bare = _has_only_names(question)
    for place, identifier in enumerate(question.identifiers):
        last = identifier.rpartition(".")[2]
        if not is_bare and _is_of_the_language(identifier):
            continue
        for hit in _called(shelf, last):
            exactness = _exactness(hit, identifier)
            if exactness * NAMED > place and (is_bare or _is_meant(hit, exactness)):
                score = (exactness * NAMED - place) * preference(hit, is_bare)
                hits.append(hit._replace(score=score, reasons=(identifier,)))
    names = {hit.name for hit in hits}
    for capital in question.capitals if len(question.terms) < 3 else ():
        if capital not in names:
            rows = shelf.connection.execute(
                f"{JOINED} WHERE s.name = ? AND s.kind = 'class' AND f.role = 'code'", (capital,)
            )
            hits += [Hit(*row)._replace(score=50.0, reasons=(capital,)) for row in rows]
    return hits


def _called(shelf: Shelf, name: str) -> Iterator[Hit]:
    """Yield the symbols of a name: stored ones, and those of tests."""
    for row in shelf.connection.execute(f"{JOINED} WHERE s.name = ? COLLATE NOCASE", (name,)):
        yield Hit(*row)


def _is_meant(hit: Hit, exactness: float) -> bool:
    """Return whether a sentence with a name is about the symbol. A field's bare name mostly refers to other code."""
    is_field = hit.kind == CONSTANT and not hit.name.isupper()
    return exactness > (_BY_LAST_NAME if is_field else _IN_OTHER_LETTERS)


def _is_of_the_language(identifier: str) -> bool:
    """Return whether an identifier is a special name such as `__repr__`. In a sentence it names no single symbol."""
    return identifier.startswith("__") and identifier.endswith("__") and "." not in identifier


def _exactness(hit: Hit, identifier: str) -> float:
    qualname = f".{hit.qualname}"
    if qualname == f".{identifier}":
        return 3.0
    if qualname.endswith(f".{identifier}"):
        return _BY_LAST_NAME
    if qualname.lower().endswith(f".{identifier.lower()}"):
        return _IN_OTHER_LETTERS if len(identifier) > 3 else 0.0
    # `Client.get` may be written through the package: httpx.Client.get for httpx._client.Client.get.
    head, _, rest = identifier.partition(".")
    if rest and hit.module.split(".")[0] == head and f".{hit.dotted}".endswith(f".{rest}"):
        return 2.5
    return 0.0
