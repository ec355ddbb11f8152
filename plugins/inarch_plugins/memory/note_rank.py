"""Which notes fit a question: by its words, rare ones first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import log

from inarch_plugins.memory.memory import Note

_WORD = re.compile(r"\w+")
_SHORTEST_STEM = 4
_COMMON = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "by", "do", "for", "from", "in", "is", "it", "of", "on", "or", "the",
     "this", "to", "was", "what", "which", "with")
)  # fmt: skip


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, parts of snake_case names among them."""
    found = _WORD.findall(text.casefold())
    return found + [part for word in found if "_" in word for part in word.split("_") if part]


def ranked(notes: Sequence[Note], query: str) -> list[Note]:
    """Return the notes that have words of the query, best first, of equal ones the newest; all where it has none."""
    wanted = set(words_of(query)) - _COMMON or set(words_of(query))
    newest = [*reversed(notes)]
    if not wanted:
        return newest
    words = [words_of(note.text) for note in newest]
    weights = {one: log(1 + len(notes) / (1 + sum(_fit(one, found) > 0 for found in words))) for one in wanted}
    scores = [sum(weight * _fit(one, found) for one, weight in weights.items()) for found in words]
    order = sorted(range(len(newest)), key=lambda place: -scores[place])
    return [newest[place] for place in order if scores[place] > 0]


def _fit(wanted: str, words: Sequence[str]) -> float:
    """Return 1 for the word itself, half for one with the same beginning, such as `test` and `tests`."""
    if wanted in words:
        return 1.0
    if len(wanted) < _SHORTEST_STEM:
        return 0.0
    return 0.5 * any(
        word.startswith(wanted) or (len(word) >= _SHORTEST_STEM and wanted.startswith(word)) for word in words
    )
