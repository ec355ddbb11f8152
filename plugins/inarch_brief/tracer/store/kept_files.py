"""The stored state of files: their stamps, and their facts on demand."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import Factory, define

from inarch_brief.tracer.facts.file_facts import Facts, decode

if TYPE_CHECKING:
    from inarch_brief.search import Answer
    from inarch_brief.search.index import Index as Search


class Stamp(NamedTuple):
    """A file's `stat` values, and the time when its bytes were read (nanoseconds)."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    read_ns: int = 0


class Kept(NamedTuple):
    """The stored state of a file."""

    id: int
    module: str
    level: str
    hash: str
    stamp: Stamp


def kept_files(connection: sqlite3.Connection) -> dict[str, Kept]:
    """Return the stored state of each file."""
    rows = connection.execute(
        "SELECT path, id, module, level, hash, size, mtime_ns, ctime_ns, inode, read_ns FROM files"
    )
    return {row[0]: Kept(row[1], row[2], row[3], row[4], Stamp(*row[5:])) for row in rows}


def state(connection: sqlite3.Connection, name: str) -> Any:
    """Return a value of the state table, or None."""
    row = connection.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
    return row[0] if row else None


def put_state(connection: sqlite3.Connection, name: str, value: object) -> None:
    """Store a value in the state table."""
    connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))


@lru_cache(maxsize=64)
def _unpacked(blob: bytes) -> Facts:
    """Unpack the facts of a file: successive questions often concern the same files."""
    return decode(blob)


@define(eq=False, repr=False)
class Shelf:
    """Facts of files: stored ones, and those of tests, which are extracted on demand."""

    connection: sqlite3.Connection
    read: Callable[[str], bytes | None]
    answers: dict[tuple[str, Collection[str]], Answer] = Factory(dict)
    """Search answers, by question and searched natures."""
    _words: Search | None = None
    _known: dict[int, tuple[str, str, str, Facts]] = Factory(dict)

    @property
    def words(self) -> Search:
        """The search index."""
        if self._words is None:
            from inarch_brief.search.index import Index

            self._words = Index(self.connection)
        return self._words

    def facts(self, number: int) -> tuple[str, str, str, Facts]:
        """Return path, module, role and facts of a file."""
        known = self._known.get(number)
        if known is None:
            path, module, role, blob = self.connection.execute(
                "SELECT path, module, role, facts FROM files WHERE id = ?", (number,)
            ).fetchone()
            try:
                facts = _unpacked(blob)
            except ValueError as error:
                raise sqlite3.DatabaseError(str(error)) from error
            known = self._known[number] = (path, module, role, facts)
        return known
