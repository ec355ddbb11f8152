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
from inarch_brief_tracer.linking.edges import Edge, label
from inarch_brief_tracer.store.kept_files import put_state, state

LAMBDA = "lambda"
LAMBDA_PLACE = 1_000_000
"""Places of functions without a name begin here: they are not among a file's facts."""
_SURENESS = {name: place for place, name in enumerate(CONFIDENCES)}


class Names(NamedTuple):
    """Numbers of all symbols by qualified name, the file of each, and what each is to the choice of entries."""

    ids: dict[str, int]
    file: dict[int, int]
    natures: dict[int, int]
    modules: dict[str, int]


def names_of(connection: sqlite3.Connection, shared: Collection[str], files: Collection[int] | None = None) -> Names:
    """Read the qualified names of all that can call or be called, or of some files' only; of equal ones the first.

    Names of modules in `shared`, which several files claim, have the path in front, as in edges.
    """
    names = Names({}, {}, {}, {})
    among = "" if files is None else f" AND s.file IN ({', '.join('?' * len(files))})"
    rows = connection.execute(
        "SELECT s.id, s.file, f.module, f.path, s.dotted, s.flags FROM symbols s JOIN files f ON f.id = s.file"
        f" WHERE s.kind != 'constant'{among} ORDER BY f.role != 'code', f.path, (s.flags & {OVERLOAD}) != 0, s.place",
        list(files or ()),
    )
    for number, file, module, path, dotted, flags in rows:
        module = label(module, path, shared)
        names.ids.setdefault(f"{module}.{dotted}" if dotted else module, number)
        names.file[number] = file
        names.natures[number] = flags >> SHIFT
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
    known = {_plain(name) for name in names.ids}
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


def add_lambdas(connection: sqlite3.Connection, names: Names, edges: Iterable[Edge], lines: Mapping[str, int]) -> None:
    """Make nodes of the functions without a name that edges tell of; `lines` says where they stand."""
    wanted = dict.fromkeys(name for edge in edges for name in edge[:2] if "<" in name and name not in names.ids)
    number = max(state(connection, "symbols") or 0, max(names.file, default=0))
    rows = []
    for qualname in wanted:
        module = next((part for part in _heads(qualname) if part in names.modules), "")
        if not module:
            continue
        number += 1
        file, line = names.modules[module], lines.get(qualname, 1)
        rows.append((number, file, LAMBDA_PLACE + number, "<lambda>", qualname[len(module) + 1 :], LAMBDA, line, line))
        names.ids[qualname], names.file[number], names.natures[number] = number, file, 0
    connection.executemany("INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', '', 0)", rows)
    put_state(connection, "symbols", number)


def _heads(qualname: str) -> Iterable[str]:
    """Give a dotted name and what stands in front of each of its dots, the longest first."""
    while qualname:
        yield qualname
        qualname = qualname.rpartition(".")[0]


def by_file(names: Names, edges: Iterable[Edge]) -> Iterator[tuple[int, FileArcs]]:
    """Sort edges to the files of their callers; of several between two nodes of a kind the surest and first counts.

    Of a large tree there are half a million: they are numbers until their file's turn comes.
    """
    best: dict[int, int] = {}
    for caller_name, callee_name, kind, confidence, line in edges:
        caller, callee = names.ids.get(caller_name), names.ids.get(callee_name)
        if caller is None or callee is None:
            continue
        key = (caller << 32 | callee) << 3 | CALL_KINDS.index(kind)
        value = _SURENESS[confidence] << 32 | line
        if value < best.get(key, value + 1):
            best[key] = value
    arcs: dict[int, list[int]] = {}
    for key in best:
        arcs.setdefault(names.file[key >> 35], []).append(key)
    symbols: dict[int, array[int]] = {}
    for number, file in names.file.items():
        symbols.setdefault(file, array("I")).append(number)
    for file, numbers in symbols.items():
        found = [_arc(key, best[key]) for key in arcs.get(file, ())]
        found.sort(key=lambda arc: (arc.caller, arc.line, arc.callee))
        yield file, FileArcs({number: names.natures[number] for number in numbers}, tuple(found))


def _arc(key: int, value: int) -> Arc:
    mask = (1 << 32) - 1
    return Arc(key >> 35, key >> 3 & mask, CALL_KINDS[key & 7], CONFIDENCES[value >> 32], value & mask)


def mark_spans(names: Names, edges: Iterable[Edge]) -> None:
    """Note in the natures how much each symbol reaches."""
    callees: dict[int, list[int]] = {}
    for edge in edges:
        caller, callee = names.ids.get(edge.caller), names.ids.get(edge.callee)
        if caller is not None and callee is not None:
            callees.setdefault(caller, []).append(callee)
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
