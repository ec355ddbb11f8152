"""From edges by name to arcs by number: what linking found goes into the store."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from inarch_brief_tracer.facts.file_facts import OVERLOAD
from inarch_brief_tracer.facts.nature import EXPORTED, SHIFT, SPAN_SHIFT, TOP
from inarch_brief_tracer.graph.arcs import FileArcs, packed_arcs
from inarch_brief_tracer.graph.model import Arc, Gate
from inarch_brief_tracer.graph.spans import spans
from inarch_brief_tracer.linking.edge_kinds import CALL_KINDS, CONFIDENCES
from inarch_brief_tracer.linking.edges import Edges, label
from inarch_brief_tracer.store.kept_files import put_state, state

LAMBDA = "lambda"
LAMBDA_PLACE = 1_000_000
"""Places of functions without a name begin here: they are not among a file's facts."""


class Names(NamedTuple):
    """Numbers of all symbols by qualified name, the file of each, and what each is to the choice of entries.

    Files and natures stand at the place of the symbol's number: of a large tree there are half a million. No file is 0.
    """

    ids: dict[str, int]
    file: array[int]
    natures: array[int]
    modules: dict[str, int]

    def put(self, number: int, file: int, nature: int) -> None:
        """Note what a symbol is."""
        missing = number + 1 - len(self.file)
        if missing > 0:
            for column in (self.file, self.natures):
                column.frombytes(bytes(4 * missing))
        self.file[number], self.natures[number] = file, nature

    def file_of(self, name: str) -> int:
        """Give the file of a symbol by its name, 0 where it isn't known."""
        number = self.ids.get(name)
        return 0 if number is None else self.file[number]


def names_of(connection: sqlite3.Connection, shared: Collection[str], files: Collection[int] | None = None) -> Names:
    """Read the qualified names of all that can call or be called, or of some files' only; of equal ones the first.

    Names of modules in `shared`, which several files claim, have the path in front, as in edges.
    """
    names = Names({}, array("I"), array("I"), {})
    among = "" if files is None else f" AND s.file IN ({', '.join('?' * len(files))})"
    rows = connection.execute(
        "SELECT s.id, s.file, f.module, f.path, s.dotted, s.flags FROM symbols s JOIN files f ON f.id = s.file"
        f" WHERE s.kind != 'constant'{among} ORDER BY f.role != 'code', f.path, (s.flags & {OVERLOAD}) != 0, s.place",
        list(files or ()),
    )
    for number, file, module, path, dotted, flags in rows:
        module = label(module, path, shared)
        names.ids.setdefault(f"{module}.{dotted}" if dotted else module, number)
        names.put(number, file, flags >> SHIFT)
        if not dotted:
            names.modules.setdefault(module, file)
    return names


def mark_exports(connection: sqlite3.Connection, names: Names) -> None:
    """Note in the natures what packages hand on, through any number of packages; methods share their class's."""
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
    marks: dict[str, int] = {}
    plain = {_plain(name) for name in names.ids if ":" in name}
    for name in handed:
        if any(part.startswith("_") for part in name.split(".")):
            continue
        found, seen = name, {name}
        while not (found in names.ids or found in plain) and (further := handed.get(found)) and further not in seen:
            found = further
            seen.add(found)
        found = handed.get(found, found)
        if found in names.ids or found in plain:
            marks[found] = marks.get(found, 0) | EXPORTED | (TOP if name.count(".") == 1 else 0)
    whole = {source for _, source in stars if source not in listed}
    for name, number in names.ids.items():
        qualname = _plain(name)
        head, _, last = qualname.rpartition(".")
        mark = marks.get(qualname, 0) or marks.get(head, 0)
        if not mark and not last.startswith("_"):
            around, _, cls = head.rpartition(".")
            if head in whole or (around in whole and not cls.startswith("_")):
                mark = EXPORTED
        if mark and not (last.startswith("_") and not last.endswith("__")):
            names.natures[number] |= mark


def _plain(name: str) -> str:
    """Give a qualified name without the path in front of a module that several files claim."""
    return name.rpartition(":")[2] if ":" in name else name


def add_lambdas(connection: sqlite3.Connection, names: Names, edges: Edges, lines: Mapping[str, int]) -> None:
    """Make nodes of the functions without a name that edges tell of; `lines` says where they stand."""
    nameless = bytes("<" in name and name not in names.ids for name in edges.names)
    ends = (end for caller, callee, *_ in edges.rows() for end in (caller, callee) if nameless[end])
    wanted = [edges.names[end] for end in dict.fromkeys(ends)]
    number = max(state(connection, "symbols") or 0, len(names.file) - 1)
    rows = []
    for qualname in wanted:
        module = next((part for part in _heads(qualname) if part in names.modules), "")
        if not module:
            continue
        number += 1
        file, line = names.modules[module], lines.get(qualname, 1)
        rows.append((number, file, LAMBDA_PLACE + number, "<lambda>", qualname[len(module) + 1 :], LAMBDA, line, line))
        names.ids[qualname] = number
        names.put(number, file, 0)
    connection.executemany("INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', '', 0)", rows)
    put_state(connection, "symbols", number)


def _heads(qualname: str) -> Iterable[str]:
    """Give a dotted name and what stands in front of each of its dots, the longest first."""
    while qualname:
        yield qualname
        qualname = qualname.rpartition(".")[0]


class Columns(NamedTuple):
    """Arcs of many files as columns of numbers: of a large tree there are more than a million."""

    callers: array[int]
    callees: array[int]
    kinds: array[int]
    """Kind and confidence: places in `CALL_KINDS` and `CONFIDENCES`."""
    lines: array[int]


def numbered(names: Names, edges: Edges) -> Columns:
    """Give edges as arcs between numbers; what leads to nothing known is left out."""
    ids = [names.ids.get(name, 0) for name in edges.names]
    found = Columns(array("I"), array("I"), array("B"), array("I"))
    for caller, callee, kind, confidence, line in edges.rows():
        if ids[caller] and ids[callee]:
            found.callers.append(ids[caller])
            found.callees.append(ids[callee])
            found.kinds.append(kind << 2 | confidence)
            found.lines.append(line)
    return found


def by_file(names: Names, columns: Columns) -> Iterator[tuple[int, FileArcs]]:
    """Sort arcs to the files of their callers; each is made when its file's turn comes."""
    places: dict[int, array[int]] = {}
    for place, caller in enumerate(columns.callers):
        places.setdefault(names.file[caller], array("I")).append(place)
    symbols: dict[int, array[int]] = {}
    for number, file in enumerate(names.file):
        if file:
            symbols.setdefault(file, array("I")).append(number)
    for file, numbers in symbols.items():
        found = [_arc(columns, place) for place in places.get(file, ())]
        found.sort(key=lambda arc: (arc.caller, arc.line, arc.callee))
        yield file, FileArcs({number: names.natures[number] for number in numbers}, tuple(found))


def _arc(columns: Columns, place: int) -> Arc:
    kind = columns.kinds[place]
    return Arc(
        columns.callers[place], columns.callees[place], CALL_KINDS[kind >> 2], CONFIDENCES[kind & 3],
        columns.lines[place],
    )  # fmt: skip


def mark_spans(names: Names, columns: Columns) -> None:
    """Note in the natures how much each symbol reaches."""
    callees: dict[int, array[int]] = {}
    for caller, callee in zip(columns.callers, columns.callees, strict=True):
        callees.setdefault(caller, array("I")).append(callee)
    for number, span in spans(callees, callees).items():
        names.natures[number] |= span << SPAN_SHIFT


def put_arcs(connection: sqlite3.Connection, files: Iterable[tuple[int, FileArcs]], mode: str) -> None:
    """Keep the arcs of files."""
    connection.executemany(
        "INSERT OR REPLACE INTO arcs VALUES (?, ?, ?)", ((file, mode, packed_arcs(found)) for file, found in files)
    )


def put_gates(connection: sqlite3.Connection, gates: Collection[Gate]) -> None:
    """Keep the entry points, in place of those that were known."""
    connection.execute("DELETE FROM gates")
    connection.executemany("INSERT INTO gates VALUES (?, ?, ?, ?)", gates)
