"""What the kept index knows of files: their stamps, and their facts when asked for."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import Factory, define

from inarch_brief.tracer.facts.file_facts import Facts, decode
from inarch_brief.tracer.facts.modules import NOTEBOOK

if TYPE_CHECKING:
    from inarch_brief.search import Answer
    from inarch_brief.search.index import Index as Search


class Stamp(NamedTuple):
    """What `stat` says of a file, and when its bytes were read (nanoseconds)."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    read_ns: int = 0


class Kept(NamedTuple):
    """What the store knows of a file before it is looked at again."""

    id: int
    module: str
    level: str
    hash: str
    stamp: Stamp


def kept_files(connection: sqlite3.Connection) -> dict[str, Kept]:
    """Give what is kept of each file."""
    rows = connection.execute(
        "SELECT path, id, module, level, hash, size, mtime_ns, ctime_ns, inode, read_ns FROM files"
    )
    return {row[0]: Kept(row[1], row[2], row[3], row[4], Stamp(*row[5:])) for row in rows}


def state(connection: sqlite3.Connection, name: str) -> Any:
    """Give a value that is kept beside the tables; None if there is none."""
    row = connection.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
    return row[0] if row else None


def put_state(connection: sqlite3.Connection, name: str, value: object) -> None:
    """Keep a value beside the tables."""
    connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))


@lru_cache(maxsize=64)
def _unpacked(blob: bytes) -> Facts:
    """Unpack the facts of a file: questions in a row often look at the same files."""
    return decode(blob)


@define(eq=False, repr=False)
class Shelf:
    """Facts of files: kept ones, and those of tests, which are extracted when asked for.

    Args:
        connection: The index.
        read: Gives the bytes of a file, None if that is not possible (any more).
    """

    connection: sqlite3.Connection
    read: Callable[[str], bytes | None]
    answers: dict[tuple[str, Collection[str]], Answer] = Factory(dict)
    """What was found by words, by the question and the natures of what it was looked for among."""
    _words: Search | None = None
    _known: dict[int, tuple[str, str, str, Facts]] = Factory(dict)

    @property
    def words(self) -> Search:
        """What is found by words."""
        if self._words is None:
            from inarch_brief.search.index import Index

            self._words = Index(self.connection)
        return self._words

    def facts(self, number: int) -> tuple[str, str, str, Facts]:
        """Give path, module, role and facts of a file.

        Raises:
            sqlite3.DatabaseError: they are damaged.
        """
        known = self._known.get(number)
        if known is None:
            path, module, role, blob = self.connection.execute(
                "SELECT path, module, role, facts FROM files WHERE id = ?", (number,)
            ).fetchone()
            try:
                facts = _unpacked(blob) if blob else self._read_facts(path)
            except ValueError as error:
                raise sqlite3.DatabaseError(str(error)) from error
            known = self._known[number] = (path, module, role, facts)
        return known

    def _read_facts(self, path: str) -> Facts:
        from inarch_brief.tracer.facts.parser import facts_of  # here: only tests are not kept

        data = self.read(path) or b""
        if path.endswith(NOTEBOOK):
            from inarch_brief.languages.notebooks import code_of

            data = code_of(data)
        return facts_of(data)
