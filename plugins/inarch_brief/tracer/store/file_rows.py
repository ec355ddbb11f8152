"""Changes to the stored index: inserts and deletes of files."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from attrs import Factory, define

from inarch_brief.search import Document, Index
from inarch_brief.search.texts import documents_of_text
from inarch_brief.tracer.facts import kinds
from inarch_brief.tracer.facts.documents import documents_of
from inarch_brief.tracer.facts.entry_points import entry_points_of
from inarch_brief.tracer.facts.file_facts import CONSTANT, SHIFT, TEST_FUNCTION, Facts, encode, exports_of, nature
from inarch_brief.tracer.facts.modules import TEST, TEXT, VENDORED
from inarch_brief.tracer.store.kept_files import Stamp, put_state, state


class FileRow(NamedTuple):
    """A file to store: its path, stamp, text, and its facts unless names are enough (tests)."""

    path: str
    module: str
    role: str
    stamp: Stamp
    hash: str
    facts: Facts | None
    text: str
    links: bytes = b""
    """Its packed link facts; of a test only once tests are linked."""


class Former(NamedTuple):
    """The numbers of a file and of its symbols before a change, which arcs of other files still use."""

    file: int
    symbols: Mapping[str, list[int]]


def remove(connection: sqlite3.Connection, paths: Iterable[str]) -> dict[str, Former]:
    """Delete files except for their words, which `add` replaces, and return their old numbers."""
    former: dict[str, Former] = {}
    for path in paths:
        found = connection.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
        if found is None:
            continue
        (number,) = found
        rows = connection.execute("SELECT id, dotted FROM symbols WHERE file = ? ORDER BY place", (number,)).fetchall()
        symbols: dict[str, list[int]] = {}
        for symbol, dotted in rows:
            symbols.setdefault(dotted, []).append(symbol)
        former[path] = Former(number, symbols)
        connection.executemany("DELETE FROM gates WHERE symbol = ?", [row[:1] for row in rows])
        for table in ("symbols", "entries", "link_facts", "exports"):
            connection.execute(f"DELETE FROM {table} WHERE file = ?", (number,))
        # Until it is linked again, its former arcs are the best available. A deleted file has none.
        connection.execute("UPDATE linked SET mode = 'former' WHERE file = ?", (number,))
        connection.execute("DELETE FROM files WHERE id = ?", (number,))
    return former


def unless_newer(connection: sqlite3.Connection, entries: Iterable[FileRow]) -> list[FileRow]:
    """Drop entries that another process has read more recently."""
    query = "SELECT 1 FROM files WHERE path = ? AND read_ns > ?"
    return [entry for entry in entries if not connection.execute(query, (entry.path, entry.stamp.read_ns)).fetchone()]


def touch(connection: sqlite3.Connection, stamps: Iterable[tuple[str, Stamp]]) -> None:
    """Store new stamps of files with unchanged bytes."""
    connection.executemany(
        "UPDATE files SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, read_ns = ? WHERE path = ?",
        [(s.size, s.mtime_ns, s.ctime_ns, s.inode, s.read_ns, path) for path, s in stamps],
    )


@define(eq=False, repr=False)
class _Rows:
    """Rows of all tables, collected to write each table at once."""

    files: list[tuple[Any, ...]] = Factory(list)
    symbols: list[tuple[Any, ...]] = Factory(list)
    documents: dict[str, list[Document]] = Factory(dict)
    entry_points: list[tuple[Any, ...]] = Factory(list)
    links: list[tuple[int, bytes]] = Factory(list)
    exports: list[tuple[int, str, str]] = Factory(list)

    def write(self, connection: sqlite3.Connection, gone: Iterable[str], more: bool) -> None:
        connection.executemany(f"INSERT INTO files VALUES ({_marks(13)})", self.files)
        connection.executemany(f"INSERT INTO symbols VALUES ({_marks(11)})", self.symbols)
        connection.executemany(f"INSERT INTO entries VALUES ({_marks(7)})", self.entry_points)
        Index(connection).update(self.documents, gone, more=more)
        connection.executemany("INSERT INTO link_facts VALUES (?, ?)", self.links)
        connection.executemany("INSERT INTO exports VALUES (?, ?, ?)", self.exports)


def add(
    connection: sqlite3.Connection,
    entries: Iterable[FileRow],
    former: Mapping[str, Former],
    gone: Iterable[str] = (),
    more: bool = False,
) -> None:
    """Store files that the store does not contain (any more), under their `former` numbers if they had some."""
    number = connection.execute("SELECT coalesce(max(id), 0) FROM files").fetchone()[0]
    number = max([number, *(before.file for before in former.values())])
    # A number is never reused: arcs may still lead to a deleted symbol.
    known = connection.execute("SELECT coalesce(max(id), 0) FROM symbols").fetchone()[0]
    fresh = itertools.count(max(known, state(connection, "symbols") or 0) + 1)
    rows = _Rows()
    for entry in entries:
        before = former.get(entry.path)
        number += before is None
        file = before.file if before else number
        _add_file(rows, entry, file)
        if entry.facts is not None:
            _add_symbols(rows, entry, file, entry.facts, before.symbols if before else {}, fresh)
    rows.write(connection, gone, more)
    for table in ("calls", "linked"):
        connection.execute(f"DELETE FROM {table} WHERE file NOT IN (SELECT id FROM files)")
    put_state(connection, "symbols", next(fresh) - 1)


def _add_file(rows: _Rows, entry: FileRow, file: int) -> None:
    stamp, facts = entry.stamp, entry.facts
    level, unparsable, blob = (facts.level, facts.unparsable, encode(facts)) if facts else (TEXT, "", b"")
    rows.files.append(
        (file, entry.path, entry.module, entry.role, level, stamp.size, stamp.mtime_ns, stamp.ctime_ns,
         stamp.inode, stamp.read_ns, entry.hash, unparsable, blob)
    )  # fmt: skip
    if facts is None:
        rows.documents[entry.path] = documents_of_text(entry.path, entry.text)
        return
    rows.documents[entry.path] = documents_of(entry.path, entry.module, entry.role, facts, entry.text)
    if entry.links:
        rows.links.append((file, entry.links))
    if facts.language:
        _add_other(rows, entry, file, facts)
    elif entry.role == TEST:
        count = sum(nature(symbol, entry.module, TEST) & TEST_FUNCTION != 0 for symbol in facts.symbols)
        if count:
            rows.entry_points.append((file, kinds.TEST, entry.path, 0, 1, f"{count} test{'s' * (count != 1)}", ""))
    else:
        rows.exports += [(file, *pair) for pair in exports_of(entry.path, entry.module, entry.role, facts)]
        found = entry_points_of(entry.path, entry.module, entry.role, facts)
        rows.entry_points += [(file, *entry_point) for entry_point in found]


def _add_other(rows: _Rows, entry: FileRow, file: int, facts: Facts) -> None:
    """Store the entry points of a file in another language. Its tests are counted, and found by their names."""
    tests = sum(shown.kind == kinds.TEST for shown in facts.shown)
    if tests:
        rows.entry_points.append((file, kinds.TEST, entry.path, 0, 1, f"{tests} test{'s' * (tests != 1)}", ""))
    if entry.role in (TEST, VENDORED):
        return
    for kind, name, place, line, how, target in facts.shown:
        if kind != kinds.TEST:
            rows.entry_points.append((file, kind, name or entry.path, place, line, how, target))


def _add_symbols(
    rows: _Rows, entry: FileRow, file: int, facts: Facts, before: Mapping[str, list[int]], fresh: Iterator[int]
) -> None:
    left = {dotted: list(numbers) for dotted, numbers in before.items()}
    for place, (kind, dotted, line, end, signature, doc, _decorators, _bases, flags, *_) in enumerate(facts.symbols):
        if entry.role == TEST and kind == CONSTANT:
            continue
        name = dotted.rpartition(".")[2] or entry.module.rpartition(".")[2]
        known = left.get(dotted)
        symbol = known.pop(0) if known else next(fresh)
        flags |= nature(facts.symbols[place], entry.module, entry.role) << SHIFT
        rows.symbols.append((symbol, file, place, name, dotted, kind, line, end, signature, doc, flags))


def _marks(count: int) -> str:
    return ", ".join("?" * count)
