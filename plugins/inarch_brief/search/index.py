"""The index: documents by file in SQLite. Only changed files are read again, and a question loads only its own terms.

The postings of one update form a segment (`segments`). A later update adds another segment and crosses out what it
replaces in the old ones. The order of updates does not change the answers.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from inarch_brief.search.documents import CLASS, FIELDS, FUNCTION, METHOD, NATURES, PRODUCT, TEXTS, WEIGHTS, Document
from inarch_brief.search.segments import SCHEMA, Postings, Segments, put_in, storable
from inarch_brief.search.tokens import terms
from inarch_brief.search.word_vectors import embedded

FORMAT = "6"
_SCHEMA = (
    "CREATE TABLE search_about(name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE search_files(path TEXT PRIMARY KEY, stamp TEXT NOT NULL)",
    "CREATE TABLE search_documents(id INTEGER PRIMARY KEY, file TEXT NOT NULL, line INTEGER NOT NULL,"
    " end INTEGER NOT NULL, kind TEXT NOT NULL, nature TEXT NOT NULL, name TEXT NOT NULL, qualified TEXT NOT NULL,"
    " summary TEXT NOT NULL, vector BLOB NOT NULL)",
    "CREATE INDEX search_by_file ON search_documents(file)",
    "CREATE INDEX search_by_name ON search_documents(name COLLATE NOCASE)",
)
EMBEDDED = (FUNCTION, METHOD, CLASS)
"""Kinds of places that have a vector: code other than tests."""
_TIMES, _MOST_TIMES = 3.0, 16
"""The factor from a term's weight to its count in the vector, and the largest count."""
_COLUMNS = "id, file, line, end, kind, nature, name, qualified, summary"


def format_of() -> str:
    """Return the fingerprint of this version's format."""
    return hashlib.sha256(repr((FORMAT, sorted(WEIGHTS.items()))).encode()).hexdigest()


def kept_format(connection: sqlite3.Connection) -> str:
    """Return the format of a database, or "" if it has none."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'search_about'").fetchone():
        return ""
    row = connection.execute("SELECT value FROM search_about WHERE name = 'format'").fetchone()
    return str(row[0]) if row else ""


class Kept(NamedTuple):
    """A stored document: its place and identity, without its words."""

    id: int
    file: str
    line: int
    end: int
    kind: str
    nature: str
    name: str
    qualified: str
    summary: str


class Index:
    """Documents by file, and their terms.

    Args:
        where: a file, created if missing; `":memory:"`; or a connection, whose other tables stay untouched.

    Raises:
        sqlite3.DatabaseError: the file is not a database, or is damaged.
    """

    def __init__(self, where: Path | str | sqlite3.Connection = ":memory:") -> None:
        self._own = not isinstance(where, sqlite3.Connection)
        self.connection = where if isinstance(where, sqlite3.Connection) else sqlite3.connect(where)
        self.segments = Segments(self.connection)
        self._version = (-1, -1)
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """Return the index itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the index."""
        self.close()

    def close(self) -> None:
        """Close the database, unless the caller supplied the connection."""
        if self._own:
            self.connection.close()

    def _begin(self) -> None:
        """Create the tables, and drop those of another format."""
        told = format_of()
        if kept_format(self.connection) == told:
            return
        with self._whole():
            for table in ("about", "files", "segments", "postings", "documents"):
                self.connection.execute(f"DROP TABLE IF EXISTS search_{table}")
            for statement in (*_SCHEMA, *SCHEMA):
                self.connection.execute(statement)
            self.connection.execute("INSERT INTO search_about VALUES ('format', ?)", (told,))

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Write all or nothing. Inside a caller's transaction the writes end with it."""
        self.connection.execute("SAVEPOINT search_writes")
        try:
            yield
        except BaseException:
            self.connection.execute("ROLLBACK TO search_writes")
            self.segments.forget()
            raise
        finally:
            self.connection.execute("RELEASE search_writes")

    def stamps(self) -> dict[str, str]:
        """Return the stored stamp of each file."""
        return dict(self.connection.execute("SELECT path, stamp FROM search_files"))

    def update(
        self,
        changed: Mapping[str, Sequence[Document]],
        gone: Iterable[str] = (),
        stamps: Mapping[str, str] | None = None,
        more: bool = False,
    ) -> None:
        """Store the documents of new and changed files and drop those of deleted files, all or nothing.

        Args:
            changed: each file's documents; they replace the old ones.
            gone: deleted files.
            stamps: the caller's own marks, by which it later recognises a changed file; stored unchanged.
            more: whether another update follows at once. Only the last one merges small segments.
        """
        self.refresh()
        with self._whole():
            self._drop({*changed, *gone})
            self._add([document for path in sorted(changed) for document in changed[path]])
            rows = [(path, (stamps or {}).get(path, "")) for path in changed]
            self.connection.executemany("INSERT OR REPLACE INTO search_files VALUES (?, ?)", rows)
            if not more:
                self.segments.merge()

    def _drop(self, paths: set[str]) -> None:
        dropped: set[int] = set()
        for path in paths:
            if self.connection.execute("DELETE FROM search_files WHERE path = ?", (path,)).rowcount:
                rows = self.connection.execute("SELECT id FROM search_documents WHERE file = ?", (path,))
                dropped.update(number for (number,) in rows)
                self.connection.execute("DELETE FROM search_documents WHERE file = ?", (path,))
        if dropped:
            self.segments.cross_out(dropped)

    def _add(self, documents: Sequence[Document]) -> None:
        if not documents:
            return
        (last,) = self.connection.execute("SELECT coalesce(max(id), 0) FROM search_documents").fetchone()
        # An id is not reused while a segment mentions it: crossed out ids are 0 there.
        vectors: dict[int, bytes] = {}
        for sort in (True, False):  # texts have their own segments: rarity in code counts code alone
            some = [(row, each) for row, each in enumerate(documents, last + 1) if (each.nature in TEXTS) is sort]
            gathered: defaultdict[str, list[int]] = defaultdict(list)
            for number, (_, document) in enumerate(some):
                weights = put_in(gathered, number, document)
                if document.nature == PRODUCT and document.kind in EMBEDDED:
                    vectors[some[number][0]] = embedded(_counted(weights))
            if some:
                natures = bytes(NATURES.index(document.nature) for _, document in some)
                self.segments.add(array("q", (row for row, _ in some)), natures, gathered)
        rows = [
            (number, *document[:2], document.end, document.kind, document.nature, document.name, document.qualified,
             document.summary, vectors.get(number, b""))
            for number, document in enumerate(documents, last + 1)
        ]  # fmt: skip
        self.connection.executemany("INSERT INTO search_documents VALUES (?,?,?,?,?,?,?,?,?,?)", map(_storable, rows))

    def refresh(self) -> None:
        """Forget cached rows if this connection or another wrote since."""
        (version,) = self.connection.execute("PRAGMA data_version").fetchone()
        if (version, self.connection.total_changes) != self._version:
            self._version = version, self.connection.total_changes
            self.segments.forget()

    def size(self, texts: bool = True) -> int:
        """Return the number of documents, in all or of code alone."""
        return self.segments.size(texts)

    def spread(self, term: str, texts: bool = True) -> int:
        """Return the number of documents with a term, in all or of code alone."""
        found = self.postings(term)
        aside = () if texts else self.segments.texts
        return sum(len(postings.entries) for first, postings in found if first not in aside)

    def postings(self, term: str) -> list[tuple[int, Postings]]:
        """Return the postings of a term: the number of each segment's first document, and the entries in it."""
        return self.segments.postings(term)

    def calling(self, name: str) -> set[str]:
        """Return the files that call something of that name."""
        bit = 1 << FIELDS.index("callees")
        numbers = [
            first + (entry >> 8)
            for term in terms(name.rpartition(".")[2])[-1:]
            for first, found in self.postings(term)
            for entry, fields in zip(found.entries, found.fields, strict=True)
            if fields & bit
        ]
        return {one.file for one in self.kept([self.segments.ids[number] for number in numbers]).values()}

    def in_file(self, path: str) -> list[Kept]:
        """Return the documents of a file. Its path may be absolute, or only the end of the stored one."""
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

    def named(self, name: str) -> list[Kept]:
        """Return the documents of a name, ignoring case."""
        rows = self.connection.execute(
            f"SELECT {_COLUMNS} FROM search_documents WHERE name = ? COLLATE NOCASE ORDER BY file, line",
            (storable(name),),
        )
        return [Kept(*row) for row in rows]

    def kept(self, ids: Sequence[int]) -> dict[int, Kept]:
        """Return documents by their ids."""
        found: dict[int, Kept] = {}
        for first in range(0, len(ids), 500):
            some = ids[first : first + 500]
            marks = ",".join("?" * len(some))
            rows = self.connection.execute(f"SELECT {_COLUMNS} FROM search_documents WHERE id IN ({marks})", some)
            found.update((row[0], Kept(*row)) for row in rows)
        return found

    def vectors(self, ids: Sequence[int]) -> dict[int, bytes]:
        """Return the vectors of those documents that have one."""
        marks = ",".join("?" * len(ids))
        rows = self.connection.execute(f"SELECT id, vector FROM search_documents WHERE id IN ({marks})", ids)
        return {number: vector for number, vector in rows if vector}


def _counted(weights: Mapping[str, float]) -> Iterator[tuple[str, int]]:
    """Yield each term of a document with its count, heaviest first."""
    for term, weight in sorted(weights.items(), key=itemgetter(1), reverse=True):
        yield term, min(_MOST_TIMES, int(_TIMES * weight) or 1)


def _storable(row: Sequence[object]) -> Sequence[object]:
    texts = [item for item in row if isinstance(item, str)]
    return row if "".join(texts).isascii() else [storable(item) if isinstance(item, str) else item for item in row]
