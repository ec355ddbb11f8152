"""The graph of a tree, for one use of its index: nodes from the store, arcs from memory."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from typing import Any

from attrs import Factory, define

from inarch_brief.tracer.facts.file_facts import OVERLOAD, TESTING
from inarch_brief.tracer.facts.modules import TEST
from inarch_brief.tracer.graph.arcs import Adjacency, Costs
from inarch_brief.tracer.graph.model import Arc, Node
from inarch_brief.tracer.store.kept_files import Shelf

_PLACE = re.compile(r"(.+\.\w+):(\d+)")
_COLUMNS = (
    "SELECT s.id, f.module, s.dotted, s.kind, f.path, s.line, s.end,"
    f" CASE WHEN s.flags & {TESTING} THEN '{TEST}' ELSE f.role END, s.signature, s.doc"
    " FROM symbols s JOIN files f ON f.id = s.file WHERE s.kind != 'constant'"
)


@define(eq=False, repr=False)
class Graph:
    """Callers and callees of a tree's functions."""

    shelf: Shelf
    adjacency: Adjacency
    costs: Costs
    linked: str = ""
    _nodes: dict[int, Node] = Factory(dict)

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection to the index."""
        return self.shelf.connection

    def nodes(self, ids: Iterable[int]) -> dict[int, Node]:
        """Read several nodes at once, without deleted ones."""
        wanted = list(dict.fromkeys(ids))
        missing = [number for number in wanted if number not in self._nodes]
        for start in range(0, len(missing), 500):
            part = missing[start : start + 500]
            self._keep(f"{_COLUMNS} AND s.id IN ({', '.join('?' * len(part))})", part)
        return {number: self._nodes[number] for number in wanted if number in self._nodes}

    def node(self, number: int) -> Node | None:
        """Return a node by its number."""
        return self.nodes([number]).get(number)

    def at(self, file: int, place: int) -> Node | None:
        """Return the node of a search hit: its file's number and its index in the file."""
        found = self._keep(f"{_COLUMNS} AND s.file = ? AND s.place = ?", (file, place))
        return found[0] if found else None

    def callers(self, number: int) -> list[Arc]:
        """Return the arcs into a node, the cheapest first."""
        return self._arcs(self.adjacency.into.get(number, ()))

    def callees(self, number: int) -> list[Arc]:
        """Return the arcs out of a node in the order of their lines."""
        return sorted(self._arcs(self.adjacency.out.get(number, ())), key=lambda arc: arc.line)

    def _arcs(self, numbers: Iterable[int]) -> list[Arc]:
        # Numbers depend on the order of changes; names of nodes do not.
        found = [(self.costs.of(number), self.adjacency.arc(number)) for number in numbers]
        return [arc for _, arc in sorted(found, key=lambda item: (item[0], item[1][:2], item[1].line))]

    def find(self, text: str) -> list[Node]:
        """Find nodes by `path:line`, by qualified name, or by its last components, the best match first."""
        text = text.strip().removesuffix("()")
        placed = _PLACE.fullmatch(text)
        if placed:
            return self._at_line(placed[1], int(placed[2]))
        last = text.rpartition(".")[2]
        if not last:
            return []
        found = self._keep(f"{_COLUMNS} AND s.name = ? AND (s.flags & {OVERLOAD}) = 0", (last,))
        ranked = [(rank, node) for node in found if (rank := _exactness(node, text)) is not None]
        ranked.sort(key=lambda item: (item[0], item[1].role != "code", item[1].file, item[1].line))
        best = ranked[0][0] if ranked else 0
        return [node for rank, node in ranked if rank == best]

    def _at_line(self, path: str, line: int) -> list[Node]:
        name = path.removeprefix("./")
        tail = "%/" + name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        found = self._keep(
            f"{_COLUMNS} AND (f.path = ? OR f.path LIKE ? ESCAPE '\\' OR ? LIKE '%/' || f.path)"
            " AND s.line <= ? AND s.end >= ?",
            (name, tail, f"/{name}", line, line),
        )
        found.sort(key=lambda node: (node.file != name, node.kind == "module", node.end - node.line, node.file))
        return found[:1]

    def _keep(self, query: str, arguments: Iterable[Any]) -> list[Node]:
        found = []
        for number, module, dotted, *rest in self.connection.execute(query, tuple(arguments)):
            node = Node(number, f"{module}.{dotted}" if dotted else module, *rest)
            found.append(node)
            self._nodes[number] = node
        return found


def _exactness(node: Node, text: str) -> int | None:
    """Rank how a text names a node: whole, by its last components, through its package. Return None without a match."""
    if node.qualname == text:
        return 0
    if node.qualname.endswith((f".{text}", f"/{text}")):
        return 1
    head, _, rest = text.partition(".")
    if rest and node.qualname.startswith(f"{head}.") and node.qualname.endswith(f".{rest}"):
        return 2
    return None
