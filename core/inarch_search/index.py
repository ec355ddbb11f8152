"""The index: documents kept by file in SQLite: a changed file alone is read again, a question loads its own terms.

A segment holds the postings of the files of one update. A later update makes another; what it replaces is crossed out
in the old ones. When there are many, or much is crossed out, they become one. So an index that grew in any order
answers as one made at once.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from inarch_search.documents import NATURES, WEIGHTS, Document, Measure
from inarch_search.postings import Postings, empty, packed, unpacked, weighed

FORMAT = "1"
MOST_SEGMENTS = 8
MOST_READ = 2_000
"""Terms whose postings stay in memory between questions."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS search_about(name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS search_files(path TEXT PRIMARY KEY, stamp TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS search_segments(id INTEGER PRIMARY KEY, ids BLOB NOT NULL, natures BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS search_postings(
  term TEXT NOT NULL, segment INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(term, segment)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_documents(
  id INTEGER PRIMARY KEY, file TEXT NOT NULL, line INTEGER NOT NULL, end INTEGER NOT NULL, kind TEXT NOT NULL,
  nature TEXT NOT NULL, name TEXT NOT NULL, qualified TEXT NOT NULL, summary TEXT NOT NULL,
  prose TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS search_by_file ON search_documents(file);
"""
_COLUMNS = "id, file, line, end, kind, nature, name, qualified, summary"


class Kept(NamedTuple):
    """A document as the index keeps it: what tells where and what it is, without its words."""

    id: int
    file: str
    line: int
    end: int
    kind: str
    nature: str
    name: str
    qualified: str
    summary: str


class Segment(NamedTuple):
    """The documents of a segment by number: their ids, 0 where crossed out, and their natures (places in `NATURES`)."""

    id: int
    ids: array[int]
    natures: bytes
    whole: bool


class Index:
    """Documents by file, and their terms.

    Args:
        where: a file, made if it isn't there; `":memory:"`; or a connection, whose other tables are left alone.
        measures: what each field counts; one index is made and asked with the same.

    Raises:
        sqlite3.DatabaseError: the file is no database, or damaged.
    """

    def __init__(
        self, where: Path | str | sqlite3.Connection = ":memory:", measures: Mapping[str, Measure] = WEIGHTS
    ) -> None:
        self._own = not isinstance(where, sqlite3.Connection)
        self.connection = where if isinstance(where, sqlite3.Connection) else sqlite3.connect(where)
        self.measures = measures
        self._segments: list[Segment] | None = None
        self._read: dict[str, list[tuple[Segment, Postings]]] = {}
        self._version = -1
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """Give the index itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Let go of the database, unless it was lent."""
        if self._own:
            self.connection.close()

    def _begin(self) -> None:
        """Make the tables; what another format or other measures wrote is thrown away."""
        told = hashlib.sha256(repr((FORMAT, sorted(self.measures.items()))).encode()).hexdigest()
        with self.connection:
            self.connection.executescript(_SCHEMA)
            row = self.connection.execute("SELECT value FROM search_about WHERE name = 'format'").fetchone()
            if row != (told,):
                for table in ("files", "segments", "postings", "documents"):
                    self.connection.execute(f"DELETE FROM search_{table}")
                self.connection.execute("INSERT OR REPLACE INTO search_about VALUES ('format', ?)", (told,))

    def stamps(self) -> dict[str, str]:
        """Give the stamp that each file was put in with."""
        return dict(self.connection.execute("SELECT path, stamp FROM search_files"))

    def update(
        self,
        changed: Mapping[str, Sequence[Document]],
        gone: Iterable[str] = (),
        stamps: Mapping[str, str] | None = None,
    ) -> None:
        """Put in the documents of new and changed files, and drop those of files that are gone, all or nothing.

        Args:
            changed: each file's documents; those it had before are replaced.
            gone: files that are no more.
            stamps: what tells later whether a file has changed; the caller's own, kept as it is.
        """
        with self.connection:
            self._drop({*changed, *gone})
            self._add([document for path in sorted(changed) for document in changed[path]])
            rows = [(path, (stamps or {}).get(path, "")) for path in changed]
            self.connection.executemany("INSERT OR REPLACE INTO search_files VALUES (?, ?)", rows)
            self._forget()
            if self._worn():
                self._merge()
                self._forget()

    def _drop(self, paths: set[str]) -> None:
        dropped: set[int] = set()
        for path in paths:
            if self.connection.execute("DELETE FROM search_files WHERE path = ?", (path,)).rowcount:
                rows = self.connection.execute("SELECT id FROM search_documents WHERE file = ?", (path,))
                dropped.update(number for (number,) in rows)
                self.connection.execute("DELETE FROM search_documents WHERE file = ?", (path,))
        if not dropped:
            return
        for segment in self.segments():
            if not dropped.isdisjoint(segment.ids):
                ids = array("q", [0 if number in dropped else number for number in segment.ids])
                self.connection.execute("UPDATE search_segments SET ids = ? WHERE id = ?", (ids.tobytes(), segment.id))
        self._forget()

    def _add(self, documents: Sequence[Document]) -> None:
        if not documents:
            return
        (last,) = self.connection.execute("SELECT coalesce(max(id), 0) FROM search_documents").fetchone()
        # An id is never given twice while a segment still tells of it: crossed out ones are 0 there.
        rows = [
            (number, *document[:2], document.end, document.kind, document.nature, document.name, document.qualified,
             document.summary, document.docstring)
            for number, document in enumerate(documents, last + 1)
        ]  # fmt: skip
        self.connection.executemany("INSERT INTO search_documents VALUES (?,?,?,?,?,?,?,?,?,?)", map(_storable, rows))
        gathered: dict[str, Postings] = {}
        for number, document in enumerate(documents):
            for term, (step, fields) in weighed(document, self.measures).items():
                postings = gathered.get(term) or gathered.setdefault(term, empty())
                postings.entries.append(number << 8 | step)
                postings.fields.append(fields)
        ids = array("q", range(last + 1, last + 1 + len(documents)))
        natures = bytes(NATURES.index(document.nature) for document in documents)
        self._write(ids, natures, gathered)

    def _write(self, ids: array[int], natures: bytes, gathered: Mapping[str, Postings]) -> None:
        segment = self.connection.execute(
            "INSERT INTO search_segments(ids, natures) VALUES (?, ?)", (ids.tobytes(), natures)
        ).lastrowid
        self.connection.executemany(
            "INSERT INTO search_postings VALUES (?, ?, ?)",
            ((_storable((term,))[0], segment, packed(gathered[term])) for term in sorted(gathered)),
        )

    def _worn(self) -> bool:
        segments = self.segments()
        there = sum(len(segment.ids) for segment in segments)
        return len(segments) > MOST_SEGMENTS or there > 2 * self.size() + 1_000

    def _merge(self) -> None:
        """Make all segments one, without what is crossed out."""
        ids, natures = array("q"), bytearray()
        numbers: dict[int, list[int]] = {}
        for segment in self.segments():
            numbers[segment.id] = mine = [-1] * len(segment.ids)
            for place, number in enumerate(segment.ids):
                if number:
                    mine[place] = len(ids)
                    ids.append(number)
                    natures.append(segment.natures[place])
        gathered: dict[str, Postings] = {}
        for term, segment_id, data in self.connection.execute("SELECT * FROM search_postings ORDER BY term, segment"):
            mine, old = numbers[segment_id], unpacked(data)
            new = gathered.get(term) or gathered.setdefault(term, empty())
            for entry, fields in zip(*old, strict=True):
                if (number := mine[entry >> 8]) >= 0:
                    new.entries.append(number << 8 | entry & 255)
                    new.fields.append(fields)
        self.connection.execute("DELETE FROM search_postings")
        self.connection.execute("DELETE FROM search_segments")
        self._write(ids, bytes(natures), {term: postings for term, postings in gathered.items() if postings.entries})

    def _forget(self) -> None:
        self._segments = None
        self._read.clear()

    def refresh(self) -> None:
        """Forget what was read if another connection has written since."""
        (version,) = self.connection.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            self._version = version
            self._forget()

    def segments(self) -> list[Segment]:
        """Give all segments."""
        if self._segments is None:
            self._segments = []
            for number, data, natures in self.connection.execute(
                "SELECT id, ids, natures FROM search_segments ORDER BY id"
            ):
                ids = array("q")
                ids.frombytes(data)
                self._segments.append(Segment(number, ids, natures, 0 not in ids))
        return self._segments

    def size(self) -> int:
        """Give how many documents there are."""
        return sum(len(segment.ids) if segment.whole else sum(map(bool, segment.ids)) for segment in self.segments())

    def postings(self, term: str) -> list[tuple[Segment, Postings]]:
        """Give where a term stands, by segment, crossed out documents left out."""
        known = self._read.get(term)
        if known is None:
            by_id = {segment.id: segment for segment in self.segments()}
            rows = self.connection.execute(
                "SELECT segment, data FROM search_postings WHERE term = ?", _storable((term,))
            )
            living = ((by_id[number], _living(by_id[number], unpacked(data))) for number, data in rows)
            known = self._read[term] = [pair for pair in living if pair[1].entries]
            if len(self._read) > MOST_READ:
                self._read.pop(next(iter(self._read)))
        return known

    def in_file(self, path: str) -> list[Kept]:
        """Give the documents of a file; its path may be longer than that from the root, or only its end."""
        exact = self._of_file(path)
        if exact:
            return exact
        tail = re.sub(r"^(?:\.{0,2}/)+", "", path.replace("\\", "/"))
        rows = self.connection.execute(
            "SELECT path FROM search_files WHERE ? = path OR ? LIKE '%/' || path"
            " OR path LIKE '%/' || ? ESCAPE '\\' ORDER BY length(path), path LIMIT 1",
            (*_storable((tail, f"/{tail}", tail.replace("%", "\\%").replace("_", "\\_"))),),
        ).fetchone()
        return self._of_file(rows[0]) if rows else []

    def _of_file(self, path: str) -> list[Kept]:
        rows = self.connection.execute(
            f"SELECT {_COLUMNS} FROM search_documents WHERE file = ? ORDER BY line, end DESC, id", _storable((path,))
        )
        return [Kept(*row) for row in rows]

    def kept(self, ids: Sequence[int]) -> dict[int, Kept]:
        """Give documents by their ids."""
        found: dict[int, Kept] = {}
        for first in range(0, len(ids), 500):
            some = ids[first : first + 500]
            marks = ",".join("?" * len(some))
            rows = self.connection.execute(f"SELECT {_COLUMNS} FROM search_documents WHERE id IN ({marks})", some)
            found.update((row[0], Kept(*row)) for row in rows)
        return found

    def prose(self, number: int) -> str:
        """Give the docstring of a document."""
        row = self.connection.execute(
            "SELECT summary || char(10) || prose FROM search_documents WHERE id = ?", (number,)
        ).fetchone()
        return str(row[0]) if row else ""


def _living(segment: Segment, postings: Postings) -> Postings:
    if segment.whole:
        return postings
    places = [place for place, entry in enumerate(postings.entries) if segment.ids[entry >> 8]]
    return Postings(
        array("I", [postings.entries[place] for place in places]),
        array("H", [postings.fields[place] for place in places]),
    )


def _storable(row: Sequence[object]) -> tuple[object, ...]:
    """Make a row's texts such as SQLite keeps: half of a pair of surrogates becomes a question mark."""
    return tuple(
        item.encode("utf-8", "replace").decode() if isinstance(item, str) and not item.isascii() else item
        for item in row
    )
