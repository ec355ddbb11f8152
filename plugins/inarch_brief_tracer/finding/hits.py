"""Symbols as answers: read from the index, weighed by what they are; the files that they speak for."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from inarch_brief_tracer.facts.file_facts import (
    ALIAS,
    CLASS,
    CONSTANT,
    DEPRECATED,
    FUNCTION,
    METHOD,
    MODULE,
    NESTED,
    OVERLOAD,
    STUB,
)
from inarch_brief_tracer.facts.modules import CODE, EXAMPLE, TEST, VENDORED
from inarch_brief_tracer.facts.source import first_sentence
from inarch_brief_tracer.store.kept_files import Shelf
from inarch_brief_tracer.store.word_bags import Texts, texts, unpacked_lines

_ROLES = {CODE: 1.0, TEST: 0.35, EXAMPLE: 0.5, VENDORED: 0.4}
_KINDS = {MODULE: 0.55, CLASS: 0.75, FUNCTION: 1.0, METHOD: 1.0, CONSTANT: 0.6}
_FLAGS = {OVERLOAD: 0.2, STUB: 0.5, DEPRECATED: 0.5, NESTED: 0.8, ALIAS: 0.6}

JOINED = (
    "SELECT s.id, f.path, f.module, f.role, f.id, s.place, s.dotted, s.kind, s.line, s.end, s.signature, s.doc, s.flags"
    " FROM symbols s JOIN files f ON f.id = s.file"
)
"""Reads the fields of `Hit`."""
CANDIDATES = 300
"""How many symbols vote for their files."""
_FLATTENING = 10
"""Reciprocal rank fusion: how slowly the vote of a symbol falls with its rank."""
_VOTES = 5
"""A file's best symbols that count; more would prefer long files."""


class Hit(NamedTuple):
    """A symbol with where it stands and how well it answers."""

    id: int
    path: str
    module: str
    role: str
    file: int
    place: int
    dotted: str
    kind: str
    line: int
    end: int
    signature: str
    doc: str
    flags: int
    score: float = 0.0

    @property
    def qualname(self) -> str:
        """Module and name: `click.core.Command.invoke`."""
        return f"{self.module}.{self.dotted}" if self.dotted else self.module

    @property
    def key(self) -> tuple[int, int]:
        """What tells symbols apart: the file and the place in its facts."""
        return self.file, self.place

    @property
    def name(self) -> str:
        """The last part of the qualified name."""
        return self.qualname.rpartition(".")[2]


def order(hit: Hit) -> tuple[float, str, int]:
    """Sort by score; equal ones by place, so that the order never depends on the index's history."""
    return -round(hit.score, 6), hit.path, hit.line


def by_ids(connection: sqlite3.Connection, ids: Iterable[int]) -> list[Hit]:
    """Read symbols by their numbers."""
    numbers = list(ids)
    marks = ", ".join("?" * len(numbers))
    return [Hit(*row) for row in connection.execute(f"{JOINED} WHERE s.id IN ({marks})", numbers)]


def file_hits(shelf: Shelf, number: int) -> list[Hit]:
    """Give the symbols of a file from its facts; symbols of tests stand nowhere else."""
    path, module, role, facts = shelf.facts(number)
    return [
        Hit(-(number * 100_000 + place + 1), path, module, role, number, place, symbol.name, symbol.kind, symbol.line,
            symbol.end, symbol.signature, symbol.doc, symbol.flags)
        for place, symbol in enumerate(facts.symbols)
    ]  # fmt: skip


def preference(hit: Hit) -> float:
    """Weigh a symbol by what it is, whatever is asked."""
    value = _ROLES[hit.role] * _KINDS[hit.kind]
    for flag, factor in _FLAGS.items():
        if hit.flags & flag:
            value *= factor
            break
    name = hit.name
    if name.startswith("__") and name.endswith("__"):
        value *= 0.8
    return value


def texts_of(connection: sqlite3.Connection, hits: Collection[Hit]) -> Iterator[tuple[Hit, Texts]]:
    """Read the words of some symbols."""
    files = {hit.file for hit in hits}
    marks = ", ".join("?" * len(files))
    bags = {
        file: unpacked_lines(blob)
        for file, blob in connection.execute(f"SELECT file, texts FROM bags WHERE file IN ({marks})", list(files))
    }
    for hit in hits:
        lines = bags.get(hit.file, [])
        if hit.place + 1 < len(lines):
            yield hit, texts(lines[0], lines[hit.place + 1])


def best_files(hits: Iterable[Hit]) -> list[str]:
    """Order the files of ranked symbols by the reciprocal ranks of their best ones."""
    scores: dict[str, float] = {}
    votes: Counter[str] = Counter()
    for rank, hit in enumerate(hits):
        votes[hit.path] += 1
        if votes[hit.path] <= _VOTES:
            scores[hit.path] = scores.get(hit.path, 0.0) + 1 / (_FLATTENING + rank)
    return sorted(scores, key=lambda path: (-round(scores[path], 9), path))


def described(hit: Hit) -> dict[str, Any]:
    """Give a symbol as the tools show it."""
    return {
        "qualname": hit.qualname,
        "kind": hit.kind,
        "file": hit.path,
        "line": hit.line,
        "end_line": hit.end,
        "signature": hit.signature,
        "doc": first_sentence(hit.doc),
        "score": round(hit.score, 3),
        "test": hit.role == TEST,
    }
