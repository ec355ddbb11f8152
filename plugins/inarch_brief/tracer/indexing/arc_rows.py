"""Storage of the linker's results: calls between numbered symbols, exports, entry points."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Collection, Iterable, Iterator

from inarch_brief.tracer.facts.file_facts import EXPORTED, OVERLOAD, SHIFT, TOP
from inarch_brief.tracer.facts.link_facts import ScopeFacts
from inarch_brief.tracer.graph.model import Gate
from inarch_brief.tracer.linking.edges import Linked
from inarch_brief.tracer.store.kept_files import put_state, state

LAMBDA = "lambda"
LAMBDA_PLACE = 1_000_000
"""Places of functions without a name begin here: they are not among a file's facts."""
_OF_FILE = (
    f"SELECT id, dotted FROM symbols WHERE file = ? AND kind != 'constant' ORDER BY flags & {OVERLOAD} != 0, place"
)
"""The symbols of a file that can call or be called; mere declarations come last."""

CallRow = tuple[int, int, int, int, int, int]
"""A stored call: file, caller, callee, kind, confidence, line."""


def put_linked(connection: sqlite3.Connection, found: Linked, files: Collection[int], mode: str) -> None:
    """Replace the calls out of some files by those found, and add the functions without a name that occur in them."""
    put_calls(connection, list(_rows(connection, found, files)), files, mode)


def put_calls(connection: sqlite3.Connection, rows: Iterable[CallRow], files: Iterable[int], mode: str) -> None:
    """Replace the calls out of some files. Of several between two symbols, the first one counts."""
    marks = [(file, mode) for file in files]
    connection.executemany("DELETE FROM calls WHERE file = ?", [mark[:1] for mark in marks])
    connection.executemany("INSERT OR IGNORE INTO calls VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.executemany("INSERT OR REPLACE INTO linked VALUES (?, ?)", marks)


def _rows(connection: sqlite3.Connection, found: Linked, files: Collection[int]) -> Iterator[CallRow]:
    numbers = dict(connection.execute("SELECT path, id FROM files"))
    ids, homes = array("I"), array("I")
    names: list[ScopeFacts] = []
    for path, _, functions in found.files:
        file = numbers.get(path, 0)
        own = {name: number for number, name in reversed(connection.execute(_OF_FILE, (file,)).fetchall())}
        ids.extend(own.get(row.name, 0) for row in functions)
        homes.extend([file] * len(functions))
        names += functions
    fresh = state(connection, "symbols") or 0
    made: dict[tuple[int, str], int] = {}
    for caller, callee, kind, confidence, line in found.calls():
        if homes[caller] not in files:
            continue
        for end in (caller, callee):
            key = homes[end], names[end].name
            if not ids[end] and homes[end] and "<" in key[1]:
                if key not in made:
                    fresh += 1
                    made[key] = fresh
                    at = names[end].line
                    row = (fresh, key[0], LAMBDA_PLACE + fresh, "<lambda>", key[1], LAMBDA, at, at)
                    connection.execute("INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', '', 0)", row)
                ids[end] = made[key]
        if ids[caller] and ids[callee]:
            yield homes[caller], ids[caller], ids[callee], kind, confidence, line
    put_state(connection, "symbols", fresh)


def mark_exports(connection: sqlite3.Connection) -> None:
    """Mark exported symbols in their natures, through any number of packages. Methods share the mark of their class."""
    handed, listed, stars = _exports(connection)
    asked = {*handed, *handed.values()}
    known = {name for name, _ in _qualified(connection) if name in asked}
    marks: dict[str, int] = {}
    for name in handed:
        if any(part.startswith("_") for part in name.split(".")):
            continue
        found, seen = name, {name}
        while found not in known and (further := handed.get(found)) and further not in seen:
            found = further
            seen.add(found)
        found = handed.get(found, found)
        if found in known:
            marks[found] = marks.get(found, 0) | EXPORTED | (TOP if name.count(".") == 1 else 0)
    whole = {source for _, source in stars if source not in listed}
    rows = []
    for qualname, number in _qualified(connection):
        head, _, last = qualname.rpartition(".")
        mark = marks.get(qualname, 0) or marks.get(head, 0)
        if not mark and not last.startswith("_"):
            around, _, cls = head.rpartition(".")
            if head in whole or (around in whole and not cls.startswith("_")):
                mark = EXPORTED
        if mark and not (last.startswith("_") and not last.endswith("__")):
            rows.append((mark << SHIFT, number))
    both = (EXPORTED | TOP) << SHIFT
    connection.execute(f"UPDATE symbols SET flags = flags & ~{both} WHERE flags & {both}")
    connection.executemany("UPDATE symbols SET flags = flags | ? WHERE id = ?", rows)


def _exports(connection: sqlite3.Connection) -> tuple[dict[str, str], dict[str, list[str]], list[tuple[str, str]]]:
    """Return the targets of exported names, the names that `*` imports from a module, and the imports by `*`."""
    handed: dict[str, str] = {}
    listed: dict[str, list[str]] = {}
    stars: list[tuple[str, str]] = []
    for module, name, target in connection.execute(
        "SELECT f.module, e.name, e.target FROM exports e JOIN files f ON f.id = e.file"
    ):
        if name == "*":
            stars.append((module, target.removesuffix(".*")))
        elif name[0] == "=":
            listed.setdefault(module, []).append(name[1:])
        else:
            handed[f"{module}.{name}"] = target
    for module, source in stars:
        for name in listed.get(source, ()):
            handed.setdefault(f"{module}.{name}", f"{source}.{name}")
    return handed, listed, stars


def _qualified(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    """Yield the qualified names of all linked symbols, with their numbers."""
    yield from connection.execute(
        "SELECT CASE s.dotted WHEN '' THEN f.module ELSE f.module || '.' || s.dotted END, s.id FROM symbols s"
        " JOIN files f ON f.id = s.file JOIN link_facts l ON l.file = f.id WHERE s.kind != 'constant'"
    )


def put_gates(connection: sqlite3.Connection, gates: Collection[Gate]) -> None:
    """Replace the stored entry points."""
    connection.execute("DELETE FROM gates")
    connection.executemany("INSERT INTO gates VALUES (?, ?, ?, ?)", gates)
