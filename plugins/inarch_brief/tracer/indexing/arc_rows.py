"""From edges by name to arcs by number: storage of the linker's results."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from inarch_brief.tracer.facts.file_facts import EXPORTED, OVERLOAD, SHIFT, TOP
from inarch_brief.tracer.facts.kinds import CALL_KINDS, CONFIDENCES
from inarch_brief.tracer.graph.arcs import FileArcs, packed_arcs
from inarch_brief.tracer.graph.model import Arc, Gate
from inarch_brief.tracer.linking.edges import Edges, Names, label
from inarch_brief.tracer.store.kept_files import put_state, state

LAMBDA = "lambda"
LAMBDA_PLACE = 1_000_000
"""Places of functions without a name begin here: they are not among a file's facts."""


class Numbers(NamedTuple):
    """Numbers of symbols, with the file and the nature of each.

    The columns are indexed by symbol number: a large tree has half a million. File 0 means none.
    """

    ids: array[int]
    """Symbol numbers, indexed like the names of the edges; 0 if no symbol has the name."""
    file: array[int]
    natures: array[int]
    modules: dict[str, int]
    """Files by the labels of their modules."""

    def put(self, number: int, file: int, nature: int) -> None:
        """Record the file and nature of a symbol."""
        missing = number + 1 - len(self.file)
        if missing > 0:
            for column in (self.file, self.natures):
                column.frombytes(bytes(4 * missing))
        self.file[number], self.natures[number] = file, nature


class _File(NamedTuple):
    """The symbols of a file that can call or be called; mere declarations come last."""

    number: int
    module: str
    """The label of its module."""
    is_linked: bool
    """Whether the file is linked. In other languages a module's name means nothing."""
    symbols: list[tuple[int, str, int]]
    """Number, name inside the file, flags."""

    def named(self) -> dict[str, int]:
        """Return the numbers of symbols by their names inside the file; the first one of several."""
        return {name: number for number, name, _ in reversed(self.symbols)}

    @property
    def prefix(self) -> str:
        """The prefix of its names, without the path in the label of a module that several files claim."""
        return self.module.rpartition(":")[2]


def _read_symbols(
    connection: sqlite3.Connection, shared: Collection[str], files: Collection[int] | None = None
) -> Iterator[_File]:
    """Read all symbols that can call or be called, or only those of some files."""
    among = "" if files is None else f" AND f.id IN ({', '.join('?' * len(files))})"
    rows = connection.execute(
        "SELECT f.id, f.module, f.path, l.file IS NOT NULL, s.id, s.dotted, s.flags FROM files f"
        " CROSS JOIN symbols s ON s.file = f.id LEFT JOIN link_facts l ON l.file = f.id"
        f" WHERE s.kind != 'constant'{among} ORDER BY f.id, (s.flags & {OVERLOAD}) != 0, s.place",
        list(files or ()),
    )
    for file, group in groupby(rows, itemgetter(0)):
        found = list(group)
        _, module, path, is_linked = found[0][:4]
        yield _File(file, label(module, path, shared), bool(is_linked), [row[4:] for row in found])


def numbers_of(
    connection: sqlite3.Connection, shared: Collection[str], names: Names, files: Collection[int] | None = None
) -> Numbers:
    """Number the names in edges, and read the natures of all symbols or of those in some files.

    The labels of modules in `shared`, which several files claim, begin with the path, as in edges.
    """
    found = Numbers(array("I", bytes(4 * names.size)), array("I"), array("I"), {})
    for file in _read_symbols(connection, shared, files):
        for number, _, flags in file.symbols:
            found.put(number, file.number, flags >> SHIFT)
        if file.is_linked:
            found.modules[file.module] = file.number
            own = file.named()
            for place, name in names.inside(file.module):
                found.ids[place] = own.get(name, 0)
    return found


def mark_exports(connection: sqlite3.Connection, shared: Collection[str], numbers: Numbers) -> None:
    """Mark exported symbols in their natures, through any number of packages. Methods share the mark of their class."""
    rows = connection.execute(
        "SELECT f.module, e.name, e.target FROM exports e JOIN files f ON f.id = e.file"
    ).fetchall()
    handed: dict[str, str] = {}
    listed: dict[str, list[str]] = {}
    stars: list[tuple[str, str]] = []
    for module, name, target in rows:
        if name == "*":
            stars.append((module, target.removesuffix(".*")))
        elif name[0] == "=":
            listed.setdefault(module, []).append(name[1:])
        else:
            handed[f"{module}.{name}"] = target
    for module, source in stars:
        for name in listed.get(source, ()):
            handed.setdefault(f"{module}.{name}", f"{source}.{name}")
    asked = {*handed, *handed.values()}
    known = {name for name, _ in _qualified(connection, shared) if name in asked}
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
    for qualname, number in _qualified(connection, shared):
        head, _, last = qualname.rpartition(".")
        mark = marks.get(qualname, 0) or marks.get(head, 0)
        if not mark and not last.startswith("_"):
            around, _, cls = head.rpartition(".")
            if head in whole or (around in whole and not cls.startswith("_")):
                mark = EXPORTED
        if mark and not (last.startswith("_") and not last.endswith("__")):
            numbers.natures[number] |= mark


def _qualified(connection: sqlite3.Connection, shared: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yield the qualified names of all symbols, with their numbers."""
    for file in _read_symbols(connection, shared):
        prefix = file.prefix
        for name, number in file.named().items():
            yield f"{prefix}.{name}" if name else prefix, number


def add_lambdas(connection: sqlite3.Connection, numbers: Numbers, edges: Edges) -> None:
    """Add nodes for the functions without a name that occur in edges."""
    lines = edges.names.lines
    ends = (end for caller, callee, *_ in edges.rows() for end in (caller, callee) if end in lines)
    wanted = {end for end in ends if not numbers.ids[end]}
    number = max(state(connection, "symbols") or 0, len(numbers.file) - 1)
    rows = []
    for place, (module, name) in enumerate(edges.names.parts()):
        file = numbers.modules.get(module, 0)
        if place in wanted and file:
            number += 1
            line = lines[place]
            rows.append((number, file, LAMBDA_PLACE + number, "<lambda>", name, LAMBDA, line, line))
            numbers.ids[place] = number
            numbers.put(number, file, 0)
    connection.executemany("INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', '', 0)", rows)
    put_state(connection, "symbols", number)


class Columns(NamedTuple):
    """Arcs of many files as columns of numbers: a large tree has more than a million."""

    callers: array[int]
    callees: array[int]
    kinds: array[int]
    """Kind and confidence, as indexes into `CALL_KINDS` and `CONFIDENCES`."""
    lines: array[int]


def numbered(numbers: Numbers, edges: Edges) -> Columns:
    """Convert edges to arcs between numbers, and drop those with an unknown end."""
    ids = numbers.ids
    found = Columns(array("I"), array("I"), array("B"), array("I"))
    for caller, callee, kind, confidence, line in edges.rows():
        if ids[caller] and ids[callee]:
            found.callers.append(ids[caller])
            found.callees.append(ids[callee])
            found.kinds.append(kind << 2 | confidence)
            found.lines.append(line)
    return found


def by_file(numbers: Numbers, columns: Columns) -> Iterator[tuple[int, FileArcs]]:
    """Yield the arcs of each file, grouped by the file of their callers and created one file at a time."""
    places: dict[int, array[int]] = {}
    for place, caller in enumerate(columns.callers):
        places.setdefault(numbers.file[caller], array("I")).append(place)
    symbols: dict[int, array[int]] = {}
    for number, file in enumerate(numbers.file):
        if file:
            symbols.setdefault(file, array("I")).append(number)
    for file, own in symbols.items():
        found = [_arc(columns, place) for place in places.get(file, ())]
        found.sort(key=lambda arc: (arc.caller, arc.line, arc.callee))
        yield file, FileArcs({number: numbers.natures[number] for number in own}, tuple(found))


def _arc(columns: Columns, place: int) -> Arc:
    kind = columns.kinds[place]
    return Arc(
        columns.callers[place], columns.callees[place], CALL_KINDS[kind >> 2], CONFIDENCES[kind & 3],
        columns.lines[place],
    )  # fmt: skip


def put_arcs(connection: sqlite3.Connection, files: Iterable[tuple[int, FileArcs]], mode: str) -> None:
    """Store the arcs of files."""
    connection.executemany(
        "INSERT OR REPLACE INTO arcs VALUES (?, ?, ?)", ((file, mode, packed_arcs(found)) for file, found in files)
    )


def put_gates(connection: sqlite3.Connection, gates: Collection[Gate]) -> None:
    """Replace the stored entry points."""
    connection.execute("DELETE FROM gates")
    connection.executemany("INSERT INTO gates VALUES (?, ?, ?, ?)", gates)
