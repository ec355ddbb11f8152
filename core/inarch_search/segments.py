"""Segments: the postings of what was put in together; what is replaced is crossed out, small ones become one.

All documents are numbered through, segment after segment: a term's entries tell numbers within a segment, counted from
the number of its first document.
"""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarch_search.postings import Postings, of_list, packed, unpacked

MOST_SEGMENTS = 8
MOST_READ = 2_000
"""Terms whose postings stay in memory between questions."""
_MOST_GONE = 1_000
"""Crossed out documents beyond half of all that are still carried along."""
_SMALLER = 2
"""A segment is made one with those after it that are at least a half of it together."""
SCHEMA = (
    "CREATE TABLE search_segments(id INTEGER PRIMARY KEY, ids BLOB NOT NULL, natures BLOB NOT NULL)",
    # By segment first: what is put in goes to the end, and what became one goes away in one piece.
    "CREATE TABLE search_postings(segment INTEGER NOT NULL, term TEXT NOT NULL, data BLOB NOT NULL,"
    " PRIMARY KEY(segment, term)) WITHOUT ROWID",
)


class Segment(NamedTuple):
    """Documents that were put in together.

    Args:
        id: its row.
        first: the number of its first document among all.
        ids: the rows of its documents, 0 where crossed out.
        natures: their natures, places in `NATURES`.
        gone: the numbers of those that are crossed out, counted from its first.
    """

    id: int
    first: int
    ids: array[int]
    natures: bytes
    gone: tuple[int, ...]


class Segments:
    """All segments of a database, read when they are asked for."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.forget()

    def forget(self) -> None:
        """Forget what was read: it may be another by now."""
        self._all: list[Segment] | None = None
        self._read: dict[str, list[tuple[int, Postings]]] = {}

    def all(self) -> list[Segment]:
        """Give all segments in the order of their numbers."""
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
        return self._all

    def size(self) -> int:
        """Give how many documents there are."""
        return sum(len(segment.ids) - len(segment.gone) for segment in self.all())

    def postings(self, term: str) -> list[tuple[int, Postings]]:
        """Give where a term stands: the number that each segment begins with, and its entries that are not gone."""
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

    def beginning(self, start: str) -> list[str]:
        """Give the terms that begin with some letters."""
        rows = self.connection.execute(
            "SELECT DISTINCT term FROM search_postings WHERE segment IN (SELECT id FROM search_segments)"
            " AND term >= ? AND term < ?",
            (storable(start), storable(start + "\U0010ffff")),
        )
        return [term for (term,) in rows]

    def cross_out(self, dropped: set[int]) -> None:
        """Cross documents out by their rows."""
        for segment in self.all():
            if not dropped.isdisjoint(segment.ids):
                ids = array("q", [0 if row in dropped else row for row in segment.ids])
                self.connection.execute("UPDATE search_segments SET ids = ? WHERE id = ?", (ids.tobytes(), segment.id))
        self.forget()

    def add(self, ids: array[int], natures: bytes, gathered: Mapping[str, Sequence[int]]) -> None:
        """Put in documents by their rows, with entries and sets of fields one after the other for each term."""
        segment = self.connection.execute(
            "INSERT INTO search_segments(ids, natures) VALUES (?, ?)", (ids.tobytes(), natures)
        ).lastrowid
        self.connection.executemany(
            "INSERT INTO search_postings VALUES (?, ?, ?)",
            ((segment, storable(term), packed(of_list(gathered[term]))) for term in sorted(gathered)),
        )
        self.forget()

    def merge(self) -> None:
        """Make small segments one, or all where much is crossed out, so that a question reads few of them."""
        segments = self.all()
        if len(self.ids) > 2 * self.size() + _MOST_GONE:
            self._make_one(segments)
        elif len(segments) > MOST_SEGMENTS:
            first = len(segments) - 2
            after = len(segments[-1].ids) + len(segments[-2].ids)
            while first and len(segments[first - 1].ids) <= _SMALLER * after:
                first -= 1
                after += len(segments[first].ids)
            self._make_one(segments[first:])

    def _make_one(self, segments: Sequence[Segment]) -> None:
        """Make some segments one, without what is crossed out."""
        ids, natures = array("q"), bytearray()
        gathered: defaultdict[str, list[int]] = defaultdict(list)
        for segment in segments:
            numbers = [-1] * len(segment.ids)
            for place, row in enumerate(segment.ids):
                if row:
                    numbers[place] = len(ids)
                    ids.append(row)
                    natures.append(segment.natures[place])
            for term, data in self.connection.execute(
                "SELECT term, data FROM search_postings WHERE segment = ?", (segment.id,)
            ):
                for entry, fields in zip(*unpacked(data), strict=True):
                    if (number := numbers[entry >> 8]) >= 0:
                        gathered[term] += number << 8 | entry & 255, fields
        for table, column in (("search_postings", "segment"), ("search_segments", "id")):
            self.connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(part.id,) for part in segments])
        self.add(ids, bytes(natures), gathered)


def _living(segment: Segment, postings: Postings) -> Postings:
    """Leave out what is crossed out; entries stand in the order of their documents."""
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
    """Make a text such as SQLite keeps: half of a pair of surrogates becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
