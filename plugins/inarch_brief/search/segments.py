"""Segments of postings. An update crosses out replaced documents, and small segments are merged.

An entry is a document's number in its segment, the term's weight in it (all fields together, one of 256 steps), and the
set of fields that contain it. Weights are computed at indexing time with usual lengths instead of averages. So an entry
stays valid whatever else the index holds. Document numbers run on from segment to segment.
"""

from __future__ import annotations

import itertools
import sqlite3
import zlib
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from operator import itemgetter
from typing import NamedTuple

from inarch_brief.search.documents import FIELDS, NATURES, TEXTS, WEIGHTS, Document
from inarch_brief.search.tokens import terms

STEPS = 256
_SCALE = 8.0
"""A weight of w is step 8 · √(8 · w): fine for small weights, up to 127."""
_ROOT = _SCALE * sqrt(_SCALE)
_ENTRY = 6
_AS_IT_IS, _PACKED = b"=", b"z"
_WORTH_PACKING = 240
"""From this many bytes on, packing saves more room than it costs time."""
_MANY = 24
"""With more terms than this in a field, count repeated terms first."""
_COMMON = (FIELDS.index("qualified"), FIELDS.index("path"))
"""Fields that the documents of a file have in common."""
MOST_TERMS = 4_000
"""The most terms that count of one field of one document."""
MOST_CHARACTERS = 200_000


class Postings(NamedTuple):
    """Postings of a term in one segment: document numbers shifted by the weight's eight bits, and sets of fields."""

    entries: array[int]
    fields: array[int]


def empty() -> Postings:
    """Return postings without an entry."""
    return Postings(array("I"), array("H"))


def packed(postings: Postings) -> bytes:
    """Pack postings into bytes. Only large ones are compressed."""
    raw = postings.entries.tobytes() + postings.fields.tobytes()
    return _AS_IT_IS + raw if len(raw) < _WORTH_PACKING else _PACKED + zlib.compress(raw, 1)


def unpacked(data: bytes) -> Postings:
    """Unpack postings.

    Raises:
        ValueError: the bytes are damaged.
    """
    raw = data[1:]
    if data[:1] != _AS_IT_IS:
        try:
            raw = zlib.decompress(raw)
        except zlib.error as error:
            raise ValueError(f"damaged postings: {error}") from error
    count, rest = divmod(len(raw), _ENTRY)
    if rest:
        raise ValueError("damaged postings: a part of an entry is missing")
    found = empty()
    found.entries.frombytes(raw[: 4 * count])
    found.fields.frombytes(raw[4 * count :])
    return found


def weight_of(step: int) -> float:
    """Return the weight of a step."""
    return (step / _SCALE) ** 2 / _SCALE


def step_of(weight: float) -> int:
    """Return the nearest step of a weight, at least 1."""
    step = int(_ROOT * sqrt(weight) + 0.5) or 1
    return step if step < STEPS else STEPS - 1


def put_in(gathered: defaultdict[str, list[int]], number: int, document: Document) -> dict[str, float]:
    """Add a document's terms to `gathered`: for each an entry and a set of fields, alternating.

    Returns:
        Each term with its weight.
    """
    weights: dict[str, float] = {}
    places: dict[str, int] = {}
    weight_now, places_now = weights.get, places.get
    for bit, text in enumerate(_texts(document)):
        if not text:
            continue
        weight, length, usual = WEIGHTS[FIELDS[bit]]
        found = _terms_again(text) if bit in _COMMON else terms(text[:MOST_CHARACTERS])[:MOST_TERMS]
        share = weight / (1.0 - length + length * len(found) / usual)
        field = 1 << bit
        if len(found) > _MANY:
            for term, times in Counter(found).items():
                weights[term] = weight_now(term, 0.0) + share * times
                places[term] = places_now(term, 0) | field
        else:
            for term in found:
                weights[term] = weight_now(term, 0.0) + share
                places[term] = places_now(term, 0) | field
    first = number << 8
    for term, summed in weights.items():
        gathered[term] += first | step_of(summed), places[term]
    return weights


@lru_cache(maxsize=64)
def _terms_again(text: str) -> list[str]:
    return terms(text)


def of_list(values: Sequence[int]) -> Postings:
    """Return the postings of alternating entries and sets of fields."""
    return Postings(array("I", values[::2]), array("H", values[1::2]))


def _texts(document: Document) -> Iterable[str]:
    stem, _, _ = document.file.rpartition(".")
    path = (stem or document.file).replace("/__init__", "")
    return (
        document.name,
        document.qualified.removesuffix(document.name),
        document.signature,
        document.summary,
        document.docstring,
        document.comments,
        document.strings,
        document.body,
        path,
        document.callers,
        document.callees,
    )


MOST_SEGMENTS = 8
MOST_READ = 2_000
"""Terms whose postings stay in memory between questions."""
_MOST_GONE = 1_000
"""Crossed out documents that are tolerated beyond half of all."""
_AT_A_TIME = 4_000
"""Terms written at a time."""
_SMALLER = 2
"""A segment is merged with the later ones if they are together at least half its size."""
SCHEMA = (
    "CREATE TABLE search_segments(id INTEGER PRIMARY KEY, ids BLOB NOT NULL, natures BLOB NOT NULL)",
    # By segment first: inserts append at the end, and a merged segment is deleted in one piece.
    "CREATE TABLE search_postings(segment INTEGER NOT NULL, term TEXT NOT NULL, data BLOB NOT NULL,"
    " PRIMARY KEY(segment, term)) WITHOUT ROWID",
)


_TEXTS = frozenset(NATURES.index(nature) for nature in TEXTS)


class Segment(NamedTuple):
    """Documents that were added together.

    Args:
        id: its row.
        first: the number of its first document among all.
        ids: the rows of its documents, 0 for crossed out ones.
        natures: their natures, as indexes into `NATURES`.
        gone: the positions of the crossed out documents.
    """

    id: int
    first: int
    ids: array[int]
    natures: bytes
    gone: tuple[int, ...]

    @property
    def is_texts(self) -> bool:
        """Return whether it holds texts; a segment holds either texts or code."""
        return bool(self.natures) and self.natures[0] in _TEXTS


class Segments:
    """All segments of a database, read on demand."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.forget()

    def forget(self) -> None:
        """Forget cached rows, which may be outdated."""
        self._all: list[Segment] | None = None
        self._read: dict[str, list[tuple[int, Postings]]] = {}

    def all(self) -> list[Segment]:
        """Return all segments in the order of their numbers."""
        if self._all is None:
            self._all = []
            self.ids, natures = array("q"), []
            for row, data, some in self.connection.execute("SELECT * FROM search_segments ORDER BY id"):
                ids = array("q")
                ids.frombytes(data)
                gone = tuple(place for place, number in enumerate(ids) if not number) if 0 in ids else ()
                self._all.append(Segment(row, len(self.ids), ids, some, gone))
                self.ids += ids
                natures.append(some)
            self.natures = b"".join(natures)
            self.texts = frozenset(segment.first for segment in self._all if segment.is_texts)
        return self._all

    def size(self, texts: bool = True) -> int:
        """Return the number of documents, in all or of code alone."""
        kept = (segment for segment in self.all() if texts or not segment.is_texts)
        return sum(len(segment.ids) - len(segment.gone) for segment in kept)

    def postings(self, term: str) -> list[tuple[int, Postings]]:
        """Return the postings of a term: the first number of each segment, and the entries that are not crossed out."""
        known = self._read.get(term)
        if known is None:
            by_row = {segment.id: segment for segment in self.all()}
            rows = self.connection.execute(
                "SELECT segment, data FROM search_postings WHERE term = ?"
                " AND segment IN (SELECT id FROM search_segments)",
                (storable(term),),
            )
            living = ((by_row[row].first, _living(by_row[row], unpacked(data))) for row, data in rows)
            known = self._read[term] = [pair for pair in living if pair[1].entries]
            if len(self._read) > MOST_READ:
                self._read.pop(next(iter(self._read)))
        return known

    def cross_out(self, dropped: set[int]) -> None:
        """Cross out documents by their rows."""
        for segment in self.all():
            if not dropped.isdisjoint(segment.ids):
                ids = array("q", [0 if row in dropped else row for row in segment.ids])
                self.connection.execute("UPDATE search_segments SET ids = ? WHERE id = ?", (ids.tobytes(), segment.id))
        self.forget()

    def add(self, ids: array[int], natures: bytes, gathered: Mapping[str, Sequence[int]]) -> None:
        """Add documents by their rows, with alternating entries and sets of fields for each term."""
        self._put(ids, natures, ((storable(term), packed(of_list(gathered[term]))) for term in sorted(gathered)))
        self.forget()

    def _put(self, ids: array[int], natures: bytes, terms: Iterator[tuple[str, bytes]]) -> None:
        """Write a segment. Its terms arrive in order, and in batches: they may come from the same table."""
        segment = self.connection.execute(
            "INSERT INTO search_segments(ids, natures) VALUES (?, ?)", (ids.tobytes(), natures)
        ).lastrowid
        while some := [(segment, *row) for row in itertools.islice(terms, _AT_A_TIME)]:
            self.connection.executemany("INSERT INTO search_postings VALUES (?, ?, ?)", some)

    def merge(self) -> None:
        """Merge small segments, or all if many documents are crossed out, so that a question reads few of them."""
        living = self.size()
        is_thin = len(self.ids) > 2 * living + _MOST_GONE
        for segments in ([part for part in self.all() if part.is_texts is sort] for sort in (False, True)):
            if is_thin and segments:
                self._make_one(segments)
            elif len(segments) > MOST_SEGMENTS:
                first = len(segments) - 2
                after = len(segments[-1].ids) + len(segments[-2].ids)
                while first and len(segments[first - 1].ids) <= _SMALLER * after:
                    first -= 1
                    after += len(segments[first].ids)
                self._make_one(segments[first:])

    def _make_one(self, segments: Sequence[Segment]) -> None:
        """Merge segments without their crossed out documents, one term at a time to limit memory."""
        ids, natures, numbers = array("q"), bytearray(), dict[int, list[int]]()
        for segment in segments:
            fresh = itertools.count(len(ids))
            numbers[segment.id] = [next(fresh) if row else -1 for row in segment.ids]
            ids.extend(filter(None, segment.ids))
            natures += bytes(nature for nature, row in zip(segment.natures, segment.ids, strict=True) if row)
        rows = self.connection.execute(
            f"SELECT term, segment, data FROM search_postings WHERE segment IN ({', '.join('?' * len(numbers))})"
            " ORDER BY term, segment",
            list(numbers),
        )
        self._put(ids, bytes(natures), _joined(rows, numbers))
        for table, column in (("search_postings", "segment"), ("search_segments", "id")):
            self.connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(part.id,) for part in segments])
        self.forget()


def _joined(
    rows: Iterable[tuple[str, int, bytes]], numbers: Mapping[int, Sequence[int]]
) -> Iterator[tuple[str, bytes]]:
    """Yield each term once with its living entries of all segments, by their new numbers."""
    for term, group in itertools.groupby(rows, itemgetter(0)):
        kept = [
            (new << 8 | entry & 255, some)
            for _, segment, data in group
            for entry, some in zip(*unpacked(data), strict=True)
            if (new := numbers[segment][entry >> 8]) >= 0
        ]
        if kept:
            entries, fields = zip(*kept, strict=True)
            yield term, packed(Postings(array("I", entries), array("H", fields)))


def _living(segment: Segment, postings: Postings) -> Postings:
    """Remove crossed out entries. Entries are in the order of their documents."""
    entries = postings.entries
    gone: list[int] = []
    for number in segment.gone:
        place = bisect_left(entries, number << 8, gone[-1] if gone else 0)
        if place < len(entries) and entries[place] >> 8 == number:
            gone.append(place)
    for place in reversed(gone):
        del postings.entries[place], postings.fields[place]
    return postings


def storable(text: str) -> str:
    """Replace lone surrogates, which SQLite rejects, with question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
