"""Arcs in the store, by file, and in memory for path search: from both ends, each with its cost."""

from __future__ import annotations

import math
import sqlite3
import sys
import zlib
from array import array
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from attrs import Factory, define

from inarch_brief.tracer.facts.file_facts import TEST_SIDE
from inarch_brief.tracer.facts.kinds import CALL_KINDS, CONFIDENCES
from inarch_brief.tracer.graph.model import Arc, Gate


class FileArcs(NamedTuple):
    """The linker's result for one file: the nature of its symbols, and the arcs that leave them."""

    symbols: Mapping[int, int]
    arcs: tuple[Arc, ...]


def packed_arcs(file: FileArcs) -> bytes:
    """Pack the arcs of a file: columns of numbers, the symbols' first."""
    kinds = [CALL_KINDS.index(arc.kind) * 4 + CONFIDENCES.index(arc.confidence) for arc in file.arcs]
    columns = (
        array("I", (len(file.symbols), len(file.arcs))),
        array("I", file.symbols),
        array("I", (arc.caller for arc in file.arcs)),
        array("I", (arc.callee for arc in file.arcs)),
        array("I", (arc.line for arc in file.arcs)),
        array("H", file.symbols.values()),
        array("B", kinds),
    )
    if sys.byteorder == "big":
        for column in columns:
            column.byteswap()
    return zlib.compress(b"".join(column.tobytes() for column in columns), 6)


@define(eq=False, repr=False)
class Adjacency:
    """All arcs of a tree as columns, with lookups from both ends. An arc's number is its index in the columns."""

    callers: array[int] = Factory(lambda: array("I"))
    callees: array[int] = Factory(lambda: array("I"))
    lines: array[int] = Factory(lambda: array("I"))
    marks: array[int] = Factory(lambda: array("B"))
    nature: dict[int, int] = Factory(dict)
    into: defaultdict[int, list[int]] = Factory(lambda: defaultdict(list))
    out: defaultdict[int, list[int]] = Factory(lambda: defaultdict(list))
    gates: dict[int, list[Gate]] = Factory(dict)
    """Entry points of each node, the most telling first."""
    prominences: dict[int, float] = Factory(dict)
    """Cached prominence of nodes."""
    begins: list[int] = Factory(list)
    """The likeliest entry points of the tree, after the first request."""

    def __len__(self) -> int:
        return len(self.callers)

    def load(self, blob: bytes) -> None:
        """Add the arcs of a file; `join` builds the lookups.

        Raises:
            sqlite3.DatabaseError: the blob is damaged.
        """
        try:
            data = memoryview(zlib.decompress(blob))
            symbols, arcs = _numbers(data[:8])
            ends = [8 + 4 * (symbols + count * arcs) for count in range(4)]
            self.callers.extend(_numbers(data[ends[0] : ends[1]]))
            self.callees.extend(_numbers(data[ends[1] : ends[2]]))
            self.lines.extend(_numbers(data[ends[2] : ends[3]]))
            self.marks.frombytes(data[ends[3] + 2 * symbols :])
            natures = _numbers(data[ends[3] : ends[3] + 2 * symbols], "H")
            numbers = _numbers(data[8 : ends[0]])
            self.nature.update(zip(numbers, natures, strict=True))
            if not len(self.callers) == len(self.callees) == len(self.lines) == len(self.marks):
                raise ValueError("columns differ in length")
        except (zlib.error, ValueError) as error:
            raise sqlite3.DatabaseError(f"damaged arcs: {error}") from error

    def join(self) -> Adjacency:
        """Build the lookups from both ends after all files are loaded."""
        into, out = self.into, self.out
        for number, (caller, callee) in enumerate(zip(self.callers, self.callees, strict=True)):
            if caller != callee:
                into[callee].append(number)
                out[caller].append(number)
        return self

    def arc(self, number: int) -> Arc:
        """Return an arc by its number."""
        mark = self.marks[number]
        return Arc(
            self.callers[number], self.callees[number], CALL_KINDS[mark // 4], CONFIDENCES[mark % 4], self.lines[number]
        )


def _numbers(data: memoryview, code: str = "I") -> array[int]:
    numbers = array(code)
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def calls_kept(connection: sqlite3.Connection) -> int:
    """Count the arcs of all files by the heads of their columns.

    Raises:
        sqlite3.DatabaseError: a blob is damaged.
    """
    blobs = connection.execute("SELECT rows FROM arcs")
    try:
        return sum(_numbers(memoryview(zlib.decompressobj().decompress(blob, 8)))[1] for (blob,) in blobs)
    except (zlib.error, ValueError, IndexError) as error:
        raise sqlite3.DatabaseError(f"damaged arcs: {error}") from error


def adjacency(connection: sqlite3.Connection) -> Adjacency:
    """Read the arcs of all files, and the entry points."""
    whole = Adjacency()
    for (blob,) in connection.execute("SELECT rows FROM arcs ORDER BY file"):
        whole.load(blob)
    for row in connection.execute("SELECT symbol, kind, name, how FROM gates ORDER BY rowid"):
        whole.gates.setdefault(row[0], []).append(Gate(*row))
    for gates in whole.gates.values():
        gates.sort(key=lambda gate: gate.rank)
    return whole.join()


_KINDS = (0.0, 0.2, 0.2, 0.5, 0.5, 0.5)
"""Extra cost in steps of a call, a property, a dunder, a decorator, a callback, and a framework call."""
_CONFIDENCES = (0.0, 0.3, 0.8, 3.0)
"""Extra cost of an exact call, an inferred one, one of several overrides, and a match by name alone."""
_INTO = 0.25
"""Extra cost for each doubling of the callee's callers: a widely used function says little about the path."""
_TESTS = 2.0
"""Extra cost of a path through tests or examples."""

Priced = tuple[int, int, float]
"""An arc, the node at its other end, and its cost."""


@define(eq=False, repr=False)
class Costs:
    """The cost of each arc, computed on demand."""

    adjacency: Adjacency
    _known: dict[int, float] = Factory(dict)
    _into: dict[int, list[Priced]] = Factory(dict)
    _out: dict[int, list[Priced]] = Factory(dict)

    def of(self, arc: int) -> float:
        """Return the cost of an arc."""
        known = self._known.get(arc)
        if known is None:
            mark, into = self.adjacency.marks[arc], self.adjacency.into[self.adjacency.callees[arc]]
            known = 1.0 + _KINDS[mark // 4] + _CONFIDENCES[mark % 4] + _INTO * math.log2(len(into))
            if self.adjacency.nature.get(self.adjacency.callers[arc], 0) & TEST_SIDE:
                known += _TESTS
            self._known[arc] = known
        return known

    def into(self, node: int) -> list[Priced]:
        """Return the arcs into a node with the callers."""
        if node not in self._into:
            callers = self.adjacency.callers
            self._into[node] = [(arc, callers[arc], self.of(arc)) for arc in self.adjacency.into.get(node, ())]
        return self._into[node]

    def out(self, node: int) -> list[Priced]:
        """Return the arcs out of a node with the callees."""
        if node not in self._out:
            callees = self.adjacency.callees
            self._out[node] = [(arc, callees[arc], self.of(arc)) for arc in self.adjacency.out.get(node, ())]
        return self._out[node]
