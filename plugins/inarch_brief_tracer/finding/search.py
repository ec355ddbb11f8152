"""Search over symbols: exact identifiers first, then BM25 over fields with what a reader would prefer."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from inarch_brief_tracer.facts.file_facts import CLASS, FUNCTION, METHOD, MODULE
from inarch_brief_tracer.facts.words import stems
from inarch_brief_tracer.finding.hits import JOINED, Hit, by_ids, file_hits, order, preference, texts_of
from inarch_brief_tracer.finding.query import Query, parsed
from inarch_brief_tracer.finding.ranking import Document, ranked
from inarch_brief_tracer.finding.spreading import spread
from inarch_brief_tracer.finding.terms import Terms, terms_of
from inarch_brief_tracer.store.kept_files import Shelf
from inarch_brief_tracer.store.word_bags import Texts

_CANDIDATES = 300
OTHER_KIND = 0.6
"""What a symbol of another kind than asked for counts."""


def search(shelf: Shelf, text: str, kind: str = "any", limit: int = 20) -> list[Hit]:
    """Find the symbols that a question, an identifier or a `path:line` is about, best first."""
    connection, query = shelf.connection, parsed(text)
    terms = terms_of(connection, query)
    found: dict[tuple[int, int], Hit] = {}
    for hit in [*_placed(shelf, query), *_named(shelf, query)]:
        if hit.key not in found or found[hit.key].score < hit.score:
            found[hit.key] = hit
    worded = _worded(shelf, query, terms)
    if found:
        # Exact matches stand first; the words of the question order those of equal exactness and fill the rest.
        boost = {hit.key: hit.score for hit in _scored(connection, terms, [hit.id for hit in found.values()])}
        found = {key: hit._replace(score=hit.score + boost.get(key, 0.0)) for key, hit in found.items()}
    best = sorted(found.values(), key=order)
    if not found and not query.about_tests:
        worded = spread(shelf, worded)
    best += _apart([hit for hit in worded if hit.key not in found])
    return [hit for hit in best if kind in ("any", hit.kind)][:limit]


def _placed(shelf: Shelf, query: Query) -> list[Hit]:
    """Find what stands at the places a question names: the innermost symbol, or the file's module."""
    hits: list[Hit] = []
    for number, (path, line) in enumerate(query.places):
        name = path.lstrip("./")
        row = shelf.connection.execute(
            "SELECT id FROM files WHERE path = ? OR path LIKE ? ESCAPE '\\'"
            " ORDER BY path = ? DESC, length(path), path LIMIT 1",
            (name, "%/" + name.replace("%", "\\%").replace("_", "\\_"), name),
        ).fetchone()
        # An absolute path, as tracebacks have it, ends with the path of a file.
        row = (
            row
            or shelf.connection.execute(
                "SELECT id FROM files WHERE ? LIKE '%/' || path ORDER BY length(path) DESC, path LIMIT 1", (f"/{name}",)
            ).fetchone()
        )
        if row is None:
            continue
        around = [hit for hit in file_hits(shelf, row[0]) if hit.line <= line <= hit.end or hit.kind == MODULE]
        around.sort(key=lambda hit: (hit.kind == MODULE, hit.end - hit.line, -hit.line))
        # Tracebacks name the innermost call last.
        hits += [hit._replace(score=1000.0 + number - place / 10) for place, hit in enumerate(around[:3])]
    return hits


def _named(shelf: Shelf, query: Query) -> list[Hit]:
    """Find symbols by the identifiers of a question."""
    hits: list[Hit] = []
    for place, identifier in enumerate(query.identifiers):
        *_, last = identifier.split(".")
        for row in shelf.connection.execute(f"{JOINED} WHERE s.name = ? COLLATE NOCASE", (last,)):
            hit = Hit(*row)
            hits.append(hit._replace(score=(_exactness(hit, identifier) * 100 - place) * preference(hit)))
        for (number,) in shelf.connection.execute(
            "SELECT rowid FROM test_words WHERE test_words MATCH ? ORDER BY rowid LIMIT 20", (_phrase(last),)
        ).fetchall():
            hits += [
                hit._replace(score=(_exactness(hit, identifier) * 100 - place) * preference(hit))
                for hit in file_hits(shelf, number)
            ]
    hits = [hit for hit in hits if hit.score > 0]
    names = {hit.name for hit in hits}
    for capital in query.capitals:
        if capital not in names:
            rows = shelf.connection.execute(
                f"{JOINED} WHERE s.name = ? AND s.kind = 'class' AND f.role = 'code'", (capital,)
            )
            hits += [Hit(*row)._replace(score=50.0) for row in rows if len(query.words) < 3]
    return hits


def _phrase(identifier: str) -> str:
    """Match an identifier as the tokenizer cuts it: at underscores."""
    return '"' + identifier.lower().replace("_", " ") + '"'


def _exactness(hit: Hit, identifier: str) -> float:
    qualname = f".{hit.qualname}"
    if qualname == f".{identifier}":
        return 3.0
    if qualname.endswith(f".{identifier}"):
        return 2.0
    if qualname.lower().endswith(f".{identifier.lower()}"):
        return 1.0 if len(identifier) > 3 else 0.0
    # `Client.get` may be written through the package: httpx.Client.get for httpx._client.Client.get.
    head, _, rest = identifier.partition(".")
    if rest and hit.module.split(".")[0] == head and f".{hit.dotted}".endswith(f".{rest}"):
        return 2.5
    return 0.0


def _worded(shelf: Shelf, query: Query, terms: Terms) -> list[Hit]:
    if not terms.weights:
        return []
    match = " OR ".join(f'"{term}"' for term in terms.weights)
    rows = shelf.connection.execute(
        "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 8.0, 2.0, 3.0, 1.0, 1.0), rowid LIMIT ?",
        (match, _CANDIDATES),
    ).fetchall()
    hits = _scored(shelf.connection, terms, [row[0] for row in rows])
    if query.kind:
        hits = [hit if _is(hit, query.kind) else hit._replace(score=hit.score * OTHER_KIND) for hit in hits]
    if query.about_tests or len(hits) < 5:
        hits += _tests(shelf, terms, query.about_tests)
    return sorted(hits, key=order)


def _is(hit: Hit, kind: str) -> bool:
    """Whether a symbol is of a kind as people name kinds: a method is a function, too."""
    return hit.kind == kind or (kind in ("function", "method") and hit.kind in (FUNCTION, METHOD))


def _apart(hits: Sequence[Hit]) -> list[Hit]:
    """Put the `__init__` of a class that stands higher last: it says the same again."""
    seen: set[str] = set()
    first: list[Hit] = []
    again: list[Hit] = []
    for hit in hits:
        owner, _, name = hit.qualname.rpartition(".")
        (again if name == "__init__" and owner in seen else first).append(hit)
        seen.add(hit.qualname)
    return first + again


def _tests(shelf: Shelf, terms: Terms, asked: bool) -> list[Hit]:
    """Find tests by the words of their names; preferred to the code where tests are what is `asked` for."""
    match = " OR ".join(f'"{term}"*' for term in terms.weights)
    rows = shelf.connection.execute(
        "SELECT rowid FROM test_words WHERE test_words MATCH ? ORDER BY bm25(test_words), rowid LIMIT 30", (match,)
    ).fetchall()
    hits: list[Hit] = []
    for (number,) in rows:
        for hit in file_hits(shelf, number):
            matched = sum(terms.weights.get(term, 0.0) for term in set(stems(hit.name).split()))
            if matched and hit.kind != MODULE:
                hits.append(hit._replace(score=matched * (1.5 if asked else preference(hit))))
    return sorted(hits, key=order)[:50]


def _scored(connection: sqlite3.Connection, terms: Terms, ids: Sequence[int]) -> list[Hit]:
    """Score symbols by the words of a question."""
    if not terms.weights or not ids:
        return []
    hits = {hit.id: hit for hit in by_ids(connection, ids)}
    documents = [_document(hit, texts) for hit, texts in texts_of(connection, hits.values())]
    return sorted((hits[key]._replace(score=score) for key, score, _ in ranked(terms, documents)), key=order)


def _document(hit: Hit, texts: Texts) -> Document:
    whole = (hit.file, hit.dotted) if hit.kind == CLASS else None
    part_of = (hit.file, hit.dotted.rpartition(".")[0]) if hit.kind == METHOD else None
    return Document(hit.id, texts, preference(hit), whole, part_of)
