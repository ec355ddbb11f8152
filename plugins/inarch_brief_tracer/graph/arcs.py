"""Arcs as the store keeps them, by file, and as paths need them: in memory, from both ends."""

from __future__ import annotations

import sqlite3
import sys
import zlib
from array import array
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from attrs import Factory, define

from inarch_brief_tracer.graph.model import Arc, Gate
from inarch_brief_tracer.linking.edge_kinds import CALL_KINDS, CONFIDENCES


class FileArcs(NamedTuple):
    """What linking found out of one file: the nature of its symbols, and the arcs that leave them."""

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


class FileColumns(NamedTuple):
    """Where the arcs of a file stand in the columns, its symbols, and what both were loaded from."""

    blob: bytes
    start: int
    stop: int
    symbols: array[int]


@define(eq=False, repr=False)
class Adjacency:
    """All arcs of a tree as columns, found by either end; arc numbers are places in the columns."""

    callers: array[int] = Factory(lambda: array("I"))
    callees: array[int] = Factory(lambda: array("I"))
    lines: array[int] = Factory(lambda: array("I"))
    marks: array[int] = Factory(lambda: array("B"))
    nature: dict[int, int] = Factory(dict)
    into: defaultdict[int, list[int]] = Factory(lambda: defaultdict(list))
    out: defaultdict[int, list[int]] = Factory(lambda: defaultdict(list))
    gates: dict[int, list[Gate]] = Factory(dict)
    """Entry points of each node, the most telling first."""
    files: dict[int, FileColumns] = Factory(dict)
    """What was loaded of each file, for when it changes."""
    dropped: int = 0
    """Arcs in the columns that are not in use any more."""
    prominences: dict[int, float] = Factory(dict)
    """What was worked out of how likely nodes are entries."""
    begins: list[int] = Factory(list)
    """The likeliest entries of the tree, once they were asked for."""

    def __len__(self) -> int:
        return len(self.callers)

    def load(self, blob: bytes, file: int = 0) -> None:
        """Add the arcs of a file; `join` makes the look-ups.

        Raises:
            sqlite3.DatabaseError: the blob is damaged.
        """
        start = len(self.callers)
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
        self.files[file] = FileColumns(blob, start, len(self.callers), numbers)

    def drop(self, file: int) -> None:
        """Take the arcs of a file and its symbols out again."""
        known = self.files.pop(file)
        for number in range(known.start, known.stop):
            for ends, node in ((self.into, self.callees[number]), (self.out, self.callers[number])):
                if number in ends.get(node, ()):
                    ends[node].remove(number)
                    if not ends[node]:
                        del ends[node]
        for symbol in known.symbols:
            self.nature.pop(symbol, None)
        self.dropped += known.stop - known.start

    def join(self, start: int = 0) -> Adjacency:
        """Make the look-ups from both ends, for the arcs from a number on, once everything is loaded."""
        into, out = self.into, self.out
        columns = zip(range(start, len(self)), self.callers[start:], self.callees[start:], strict=True)
        for number, caller, callee in columns:
            if caller != callee:
                into[callee].append(number)
                out[caller].append(number)
        return self

    def arc(self, number: int) -> Arc:
        """Give an arc by its number."""
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
    """Count the arcs of all files by what their columns begin with.

    Raises:
        sqlite3.DatabaseError: a blob is damaged.
    """
    blobs = connection.execute("SELECT rows FROM arcs")
    try:
        return sum(_numbers(memoryview(zlib.decompressobj().decompress(blob, 8)))[1] for (blob,) in blobs)
    except (zlib.error, ValueError, IndexError) as error:
        raise sqlite3.DatabaseError(f"damaged arcs: {error}") from error


def adjacency(connection: sqlite3.Connection, former: Adjacency | None = None) -> Adjacency:
    """Read the arcs of all files, and the entry points; of a former reading only what changed is read again."""
    rows = dict(connection.execute("SELECT file, rows FROM arcs").fetchall())
    whole = former if former is not None and former.dropped <= len(former) // 4 else Adjacency()
    changed = [file for file, known in whole.files.items() if rows.get(file) != known.blob]
    if len(changed) > len(whole.files) // 8:
        whole, changed = Adjacency(), []
    start = len(whole)
    for file in changed:
        whole.drop(file)
    for file, blob in rows.items():
        if file not in whole.files:
            whole.load(blob, file)
    whole.prominences.clear()
    whole.begins.clear()
    whole.gates.clear()
    for row in connection.execute("SELECT symbol, kind, name, how FROM gates ORDER BY rowid"):
        whole.gates.setdefault(row[0], []).append(Gate(*row))
    for gates in whole.gates.values():
        gates.sort(key=lambda gate: gate.rank)
    return whole.join(start)
