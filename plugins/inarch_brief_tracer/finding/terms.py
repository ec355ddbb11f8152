"""The terms of a question, weighed by how rare they are in this code."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarch_brief_tracer.facts.words import WEAK_WORDS, stem
from inarch_brief_tracer.finding.query import Query
from inarch_brief_tracer.store.kept_files import state

UNNAMED = 0.5
WEAK = 0.4
GUESSED = 0.5


class Terms(NamedTuple):
    """The terms of a query: how much each counts, and the words it stands for.

    Args:
        weights: inverse document frequency of each term, less for words that no name uses and for guesses.
        source: the words of the question that a term stands for: itself, or those it abbreviates or joins.
        total: what the question's own words count together.
    """

    weights: Mapping[str, float]
    source: Mapping[str, tuple[str, ...]]
    total: float


def terms_of(connection: sqlite3.Connection, query: Query) -> Terms:
    """Weigh the words of a question, the compounds they make and the abbreviations that names use for them."""
    size = max(1, state(connection, "words") or connection.execute("SELECT count(*) FROM words").fetchone()[0])
    weights: dict[str, float] = {}
    source: dict[str, tuple[str, ...]] = {}

    def weigh(term: str, known: Sequence[tuple[str, int]]) -> float:
        count = max((number for _, number in known), default=0)
        weight = math.log(1 + (size - count + 0.5) / (count + 0.5))
        # A word that no name of this code uses is rather a word of the question.
        return weight if any(column in ("name", "qualname") for column, _ in known) else weight * UNNAMED

    own = tuple(dict.fromkeys(map(stem, query.words)))
    weak = {stem(word) for word in query.words if word in WEAK_WORDS}
    for term in own:
        weights[term] = weigh(term, _columns(connection, term)) * (WEAK if term in weak else 1.0)
        source[term] = (term,)
    for term in query.pairs:
        known = _columns(connection, term)
        if known:
            weights.setdefault(term, weigh(term, known))
            source.setdefault(term, (term,))
    for word, after in zip(query.words, [*query.words[1:], ""], strict=False):
        if len(word) < 5:
            continue
        rows = connection.execute(
            "SELECT DISTINCT term FROM vocabulary WHERE term >= ? AND term < ? AND col IN ('name', 'qualname')",
            (word[:3], word[:3] + "\U0010ffff"),
        ).fetchall()
        for (term,) in rows:
            if term in weights:
                continue
            if abbreviates(term, word):
                source[term] = (stem(word),)
            elif joins(term, word, after):
                source[term] = (stem(word), stem(after))
            else:
                continue
            weights[term] = GUESSED * min(weights[stem(word)], weigh(term, _columns(connection, term)))
    return Terms(weights, source, sum(weights[term] for term in own))


def _columns(connection: sqlite3.Connection, term: str) -> list[tuple[str, int]]:
    return connection.execute("SELECT col, doc FROM vocabulary WHERE term = ?", (term,)).fetchall()


def abbreviates(term: str, word: str) -> bool:
    """Whether a name's term is the beginning of a longer word: env, config, attr."""
    return 3 <= len(term) <= len(word) - 2 and word.startswith(term)


def joins(term: str, word: str, after: str) -> bool:
    """Whether a name's term is made of the beginnings of two adjacent words: envvar, autoescape."""
    return any(word.startswith(term[:cut]) and after.startswith(term[cut:]) for cut in range(3, len(term) - 2))
