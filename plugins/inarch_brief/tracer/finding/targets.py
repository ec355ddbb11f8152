"""The function that a query is about, and the function that a name means."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from attrs import frozen

from inarch_brief.search import understood
from inarch_brief.search.confidence import SURE
from inarch_brief.search.tokens import pieces, stem
from inarch_brief.search.vocabulary import WEAK_WORDS
from inarch_brief.tracer.facts.modules import CODE, TEST, TEXT
from inarch_brief.tracer.finding.hits import Hit
from inarch_brief.tracer.finding.search import search
from inarch_brief.tracer.graph.call_graph import Graph
from inarch_brief.tracer.graph.model import Node

_LOOKED_AT = 12
_LOOKED_AT_IN_FILE = 200
_SURE = 100.0
"""Score from which on a hit is a match by name."""
_MOST_NAMED = 3
_NEAR_FIRST = 5
"""The first hits among which an exact match of the words of a name comes first."""


LONGEST = 4_000
"""Characters of a name or `path:line` that count."""


class Named(NamedTuple):
    """The meaning of a name: one function, several, or none with similar names."""

    node: Node | None
    candidates: tuple[Node, ...] = ()
    nearest: tuple[str, ...] = ()


@frozen(eq=False, repr=False)
class Match:
    """The result of matching a query."""

    hits: tuple[Hit, ...] = ()
    nodes: tuple[Node, ...] = ()
    confidence: float = 0.0
    unknown: tuple[str, ...] = ()
    is_strong: bool = False


def by_name(graph: Graph, text: str) -> Named:
    """Find the one function that a name or `path:line` means."""
    text = text[:LONGEST].encode("utf-8", "replace").decode()  # SQLite rejects lone surrogates
    found = _apart(graph.find(text))
    if [node.kind for node in found] == ["module"] and "." not in text:
        # A script often has the same name as its function, and users ask for the function.
        found = _apart(graph.find(f"{found[0].qualname}.{found[0].name}")) or found
    if len(found) == 1:
        return Named(found[0])
    if found:
        return Named(None, tuple(found))
    return Named(None, (), nearest(graph, text))


def nearest(graph: Graph, text: str) -> tuple[str, ...]:
    """Return the qualified names most similar to an unknown one."""
    last = text.strip().removesuffix("()").rpartition(".")[2]
    rows = graph.connection.execute(
        "SELECT DISTINCT name FROM symbols WHERE kind IN ('function', 'method', 'class')"
        " AND (substr(name, 1, 1) = ? COLLATE NOCASE OR substr(name, -1) = ? COLLATE NOCASE)"
        " AND length(name) BETWEEN ? AND ?",
        (last[:1], last[-1:], len(last) - 4, len(last) + 6),
    )
    from difflib import get_close_matches  # most names are known

    names = get_close_matches(last, [row[0] for row in rows], 4, 0.6) if last else []
    return tuple(dict.fromkeys(node.qualname for name in names for node in graph.find(name)[:2]))[:4]


def matching(graph: Graph, query: str, file: str = "") -> Match:
    """Find the symbols that a query names, then those that match by words."""
    found = search(graph.shelf, query, limit=_LOOKED_AT_IN_FILE if file else _LOOKED_AT)
    asked = understood(query)
    hits = product_first([hit for hit in found.hits if _is_below(hit.path, file)], query)
    if hits and hits[0].score < _SURE:
        together = [hit for hit in hits[:_NEAR_FIRST] if _is_adjacent(hit, asked.order)]
        hits = [*together[:1], *(hit for hit in hits if hit not in together[:1])]
    nodes = list(dict.fromkeys(_nodes(graph, hits)))
    if nodes and not (hits[0].score >= _SURE and nodes[0].kind == "module"):
        nodes.sort(key=lambda node: node.kind == "module")
    is_strong = bool(nodes) and _is_strong(asked.terms.keys(), hits, nodes[0], found.confidence)
    return Match(tuple(hits), tuple(nodes), found.confidence, found.unknown, is_strong)


def product_first(hits: Sequence[Hit], query: str) -> list[Hit]:
    """Put unnamed tests last, unless the query asks for tests."""
    if understood(query).about_tests:
        return list(hits)
    return sorted(hits, key=lambda hit: hit.role == TEST and hit.score < _SURE)


def _is_strong(said: Collection[str], hits: Sequence[Hit], best: Node, confidence: float) -> bool:
    """Return whether the best match is beyond doubt: named, its whole name in the query, or well explained."""
    named = [hit for hit in hits if hit.score >= _SURE]
    if named:
        return len(named) <= _MOST_NAMED and best.kind != "module"
    parts = _parts(best.qualname)
    is_said = _is_specific(parts) and {*said} >= {*parts}
    is_explained = confidence >= SURE and (best.file, best.line) == (hits[0].path, hits[0].line)
    return best.role == CODE and best.kind != "module" and (is_said or is_explained)


def _is_adjacent(hit: Hit, order: Sequence[str]) -> bool:
    """Return whether adjacent words of a query form a name: table validation, validate_table."""
    parts = sorted(_parts(hit.qualname))
    windows = (sorted(order[first : first + len(parts)]) for first in range(len(order)))
    return hit.role == CODE and hit.kind != "module" and _is_specific(parts) and parts in windows


def _is_specific(parts: Sequence[str]) -> bool:
    return len([part for part in parts if part not in WEAK_WORDS]) >= 2


def _parts(qualname: str) -> list[str]:
    return [stem(piece) for piece in pieces(qualname.rpartition(".")[2])]


def _nodes(graph: Graph, hits: Iterable[Hit]) -> Iterator[Node]:
    for hit in hits:
        node = graph.at(hit.file, hit.place) if hit.role != TEXT else None
        if node is not None:
            yield node


def _apart(nodes: Iterable[Node]) -> list[Node]:
    """Keep one of several definitions of one name in one file."""
    return list({(node.file, node.qualname): node for node in reversed(list(nodes))}.values())[::-1]


def _is_below(path: str, file: str) -> bool:
    wanted = file.replace("\\", "/").removeprefix("./")
    return not wanted or path == wanted or path.endswith(f"/{wanted}") or path.startswith(f"{wanted.rstrip('/')}/")
