"""Changes to the kept index: rows of files go in and out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from inarch_brief_tracer.doors import TESTS, doors_of
from inarch_brief_tracer.facts import CLASS, METHOD, MODULE, NAMES, Facts, encode
from inarch_brief_tracer.light import names_of, tests_in
from inarch_brief_tracer.modules import TEST
from inarch_brief_tracer.rows import Stamp
from inarch_brief_tracer.words import IDENTIFIER, bag, stems


class Entry(NamedTuple):
    """A file to be kept: its place, its stamp, its text, and its facts unless names are enough (tests)."""

    path: str
    module: str
    role: str
    stamp: Stamp
    hash: str
    facts: Facts | None
    text: str


def remove(connection: sqlite3.Connection, paths: Iterable[str]) -> None:
    """Forget files."""
    for path in paths:
        found = connection.execute("SELECT id, role FROM files WHERE path = ?", (path,)).fetchone()
        if found is None:
            continue
        number = found[0]
        if found[1] == TEST:
            connection.execute("DELETE FROM test_words WHERE rowid = ?", (number,))
        else:
            symbols = connection.execute("SELECT id FROM symbols WHERE file = ?", (number,)).fetchall()
            connection.executemany("DELETE FROM words WHERE rowid = ?", symbols)
        connection.execute("DELETE FROM callees WHERE rowid = ?", (number,))
        connection.execute("DELETE FROM symbols WHERE file = ?", (number,))
        connection.execute("DELETE FROM entries WHERE file = ?", (number,))
        connection.execute("DELETE FROM files WHERE id = ?", (number,))


def touch(connection: sqlite3.Connection, stamps: Iterable[tuple[str, Stamp]]) -> None:
    """Note new stamps of files whose bytes are as they were."""
    connection.executemany(
        "UPDATE files SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, read_ns = ? WHERE path = ?",
        [(s.size, s.mtime_ns, s.ctime_ns, s.inode, s.read_ns, path) for path, s in stamps],
    )


def add(connection: sqlite3.Connection, entries: Iterable[Entry]) -> None:
    """Keep files that the store does not hold (any more)."""
    number = connection.execute("SELECT coalesce(max(id), 0) FROM files").fetchone()[0]
    symbol = connection.execute("SELECT coalesce(max(id), 0) FROM symbols").fetchone()[0]
    files: list[tuple[Any, ...]] = []
    symbols: list[tuple[Any, ...]] = []
    words: list[tuple[Any, ...]] = []
    tests: list[tuple[int, str]] = []
    callees: list[tuple[int, str]] = []
    doors: list[tuple[Any, ...]] = []
    for entry in entries:
        number += 1
        stamp, facts = entry.stamp, entry.facts
        level, unparsable, blob = (facts.level, facts.unparsable, encode(facts)) if facts else (NAMES, "", b"")
        files.append(
            (number, entry.path, entry.module, entry.role, level, stamp.size, stamp.mtime_ns, stamp.ctime_ns,
             stamp.inode, stamp.read_ns, entry.hash, unparsable, blob)
        )  # fmt: skip
        if facts is None:
            names, imported = names_of(entry.text)
            tests.append((number, " ".join(names).lower()))
            callees.append((number, " ".join(imported)))
            count = tests_in(entry.text)
            if count:
                doors.append((number, TESTS, entry.path, 0, 1, f"{count} test{'s' * (count != 1)}", ""))
            continue
        callees.append((number, " ".join(_called_names(facts))))
        doors += [(number, *door) for door in doors_of(entry.path, entry.module, entry.role, facts)]
        for place, (kind, dotted, line, end, signature, doc, _decorators, _bases, flags, *_) in enumerate(
            facts.symbols
        ):
            name = dotted.rpartition(".")[2] or entry.module.rpartition(".")[2]
            symbols.append((symbol + place + 1, number, place, name, dotted, kind, line, end, signature, doc, flags))
        words.extend(_word_rows(entry, facts, symbol + 1))
        symbol += len(facts.symbols)
    connection.executemany(f"INSERT INTO files VALUES ({_marks(13)})", files)
    connection.executemany(f"INSERT INTO symbols VALUES ({_marks(11)})", symbols)
    connection.executemany(f"INSERT INTO entries VALUES ({_marks(7)})", doors)
    connection.executemany("INSERT INTO words(rowid, name, qualname, doc, path, body) VALUES (?, ?, ?, ?, ?, ?)", words)
    connection.executemany("INSERT INTO test_words(rowid, names) VALUES (?, ?)", tests)
    connection.executemany("INSERT INTO callees(rowid, names) VALUES (?, ?)", callees)


def _called_names(facts: Facts) -> set[str]:
    """Give the names under which a file may call something: last parts of callees, and what imports rename."""
    names = {call.callee.rpartition(".")[2] for call in facts.calls}
    names.update(item.target for item in facts.imports if item.name != item.target)
    return names


def _marks(count: int) -> str:
    return ", ".join("?" * count)


def _word_rows(entry: Entry, facts: Facts, first: int) -> Iterator[tuple[int, str, str, str, str, str]]:
    """Give the searchable words of each symbol of a file."""
    lines = entry.text.split("\n")
    path = bag(IDENTIFIER.findall(entry.path.removesuffix(".py")))
    symbols = facts.symbols
    for place, symbol in enumerate(symbols):
        parts = symbol.name.split(".") if symbol.name else entry.module.split(".")[-1:]
        start, end = symbol.line - 1, symbol.end
        if symbol.kind == MODULE:
            body = bag(facts.exports or (), 80)
        else:
            if symbol.kind == CLASS:
                # What stands before the first method; methods speak for themselves.
                after = symbols[place + 1 : place + 60]
                end = min((other.line for other in after if other.kind == METHOD and other.line <= end), default=end)
            body = bag(IDENTIFIER.findall("\n".join(lines[start:end])))
        yield (
            first + place,
            stems(parts[-1]),
            bag(parts[:-1]),
            bag(IDENTIFIER.findall(symbol.doc)),
            path,
            body,
        )
