"""Which function a query is about, and which one a name names."""

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
"""Score from which on a hit was named, not described."""
_MOST_NAMED = 3
_NEAR_FIRST = 5
"""Matches among which one whose name is said word for word comes first."""


LONGEST = 4_000
"""Characters of a name or `path:line` that are looked at."""


class Named(NamedTuple):
    """What a name stands for: one function, several, or none, with names that are like it."""

    node: Node | None
    candidates: tuple[Node, ...] = ()
    nearest: tuple[str, ...] = ()


@frozen(eq=False, repr=False)
class Match:
    """What a query is about.

    Args:
        hits: All that was found, best first; the product before its tests.
        nodes: The functions and classes among them, in the same order; modules last.
        confidence: How sure the first hit is right, up to 1.
        unknown: Words of the query that are nowhere.
        is_strong: Whether the first node is meant beyond doubt.
    """

    hits: tuple[Hit, ...] = ()
    nodes: tuple[Node, ...] = ()
    confidence: float = 0.0
    unknown: tuple[str, ...] = ()
    is_strong: bool = False


def by_name(graph: Graph, text: str) -> Named:
    """Find the one function that a name or `path:line` names."""
    text = text[:LONGEST].encode("utf-8", "replace").decode()  # half a character can't be looked for
    found = _apart(graph.find(text))
    if [node.kind for node in found] == ["module"] and "." not in text:
        # A script is often called like the function in it, and that is what is asked for.
        found = _apart(graph.find(f"{found[0].qualname}.{found[0].name}")) or found
    if len(found) == 1:
        return Named(found[0])
    if found:
        return Named(None, tuple(found))
    return Named(None, (), nearest(graph, text))


def nearest(graph: Graph, text: str) -> tuple[str, ...]:
    """Give the qualified names that are most like an unknown one."""
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
    """Find what a query is about: what it names, then what its words find."""
    found = search(graph.shelf, query, limit=_LOOKED_AT_IN_FILE if file else _LOOKED_AT)
    asked = understood(query)
    hits = product_first([hit for hit in found.hits if _stands_in(hit.path, file)], query)
    if hits and hits[0].score < _SURE:
        together = [hit for hit in hits[:_NEAR_FIRST] if _is_said_together(hit, asked.order)]
        hits = [*together[:1], *(hit for hit in hits if hit not in together[:1])]
    nodes = list(dict.fromkeys(_nodes(graph, hits)))
    if nodes and not (hits[0].score >= _SURE and nodes[0].kind == "module"):
        nodes.sort(key=lambda node: node.kind == "module")
    is_strong = bool(nodes) and _is_strong(asked.terms.keys(), hits, nodes[0], found.confidence)
    return Match(tuple(hits), tuple(nodes), found.confidence, found.unknown, is_strong)


def product_first(hits: Sequence[Hit], query: str) -> list[Hit]:
    """Put tests that are not named last, unless tests are asked for."""
    if understood(query).about_tests:
        return list(hits)
    return sorted(hits, key=lambda hit: hit.role == TEST and hit.score < _SURE)


def _is_strong(said: Collection[str], hits: Sequence[Hit], best: Node, confidence: float) -> bool:
    """Whether the best match is meant beyond doubt: named, its whole name said in the query, or well explained."""
    named = [hit for hit in hits if hit.score >= _SURE]
    if named:
        return len(named) <= _MOST_NAMED and best.kind != "module"
    parts = _parts(best.qualname)
    is_said = _is_telling(parts) and {*said} >= {*parts}
    is_explained = confidence >= SURE and (best.file, best.line) == (hits[0].path, hits[0].line)
    return best.role == CODE and best.kind != "module" and (is_said or is_explained)


def _is_said_together(hit: Hit, order: Sequence[str]) -> bool:
    """Whether words that are next to each other in a query are those of a name: table validation, validate_table."""
    parts = sorted(_parts(hit.qualname))
    windows = (sorted(order[first : first + len(parts)]) for first in range(len(order)))
    return hit.role == CODE and hit.kind != "module" and _is_telling(parts) and parts in windows


def _is_telling(parts: Sequence[str]) -> bool:
    return len([part for part in parts if part not in WEAK_WORDS]) >= 2


def _parts(qualname: str) -> list[str]:
    return [stem(piece) for piece in pieces(qualname.rpartition(".")[2])]


def _nodes(graph: Graph, hits: Iterable[Hit]) -> Iterator[Node]:
    for hit in hits:
        node = graph.at(hit.file, hit.place) if hit.role != TEXT else None
        if node is not None:
            yield node


def _apart(nodes: Iterable[Node]) -> list[Node]:
    """Keep one of several definitions under one name in one file."""
    return list({(node.file, node.qualname): node for node in reversed(list(nodes))}.values())[::-1]


def _stands_in(path: str, file: str) -> bool:
    wanted = file.replace("\\", "/").removeprefix("./")
    return not wanted or path == wanted or path.endswith(f"/{wanted}") or path.startswith(f"{wanted.rstrip('/')}/")
