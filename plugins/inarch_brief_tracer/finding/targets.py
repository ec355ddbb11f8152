"""Which function a query is about, and which one a name names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from attrs import frozen

from inarch_brief_tracer.facts.modules import TEXT
from inarch_brief_tracer.finding.hits import Hit
from inarch_brief_tracer.finding.search import search
from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.graph.model import Node
from inarch_search import understood
from inarch_search.confidence import SURE
from inarch_search.tokens import pieces, stem
from inarch_search.vocabulary import WEAK_WORDS

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
    """What a query is about: the best target first, and whether it is beyond doubt."""

    nodes: tuple[Node, ...]
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
    """Find what a query is about, functions and classes before anything else."""
    found = search(graph.shelf, query, limit=_LOOKED_AT_IN_FILE if file else _LOOKED_AT)
    hits = [hit for hit in found.hits if hit.role != TEXT and _stands_in(hit.path, file)]
    nodes = list(dict.fromkeys(_nodes(graph, hits)))
    if not nodes:
        return Match(())
    best = next((node for node in nodes if node.kind != "module"), nodes[0])
    if hits[0].score >= _SURE:
        best = nodes[0]
    else:
        order = understood(query).order
        best = next((node for node in nodes[:_NEAR_FIRST] if _is_said_together(node, order)), best)
    others = (node for node in nodes if node.id != best.id)
    return Match((best, *others), _is_strong(query, hits, best, found.confidence))


def _is_strong(query: str, hits: list[Hit], best: Node, confidence: float) -> bool:
    """Whether the best match is meant beyond doubt: named, its whole name said in the query, or well explained."""
    sure = [hit for hit in hits if hit.score >= _SURE]
    if sure:
        return len(sure) <= _MOST_NAMED and best.kind != "module"
    is_said = _is_telling(best) and understood(query).terms.keys() >= {*_parts(best)}
    is_explained = confidence >= SURE and (best.file, best.line) == (hits[0].path, hits[0].line)
    return best.role == "code" and best.kind != "module" and (is_said or is_explained)


def _is_said_together(node: Node, order: Sequence[str]) -> bool:
    """Whether words that stand next to each other in a query are those of a name: table validation, validate_table."""
    parts = sorted(_parts(node))
    windows = (sorted(order[first : first + len(parts)]) for first in range(len(order)))
    return node.role == "code" and node.kind != "module" and _is_telling(node) and parts in windows


def _is_telling(node: Node) -> bool:
    return len([part for part in _parts(node) if part not in WEAK_WORDS]) >= 2


def _parts(node: Node) -> list[str]:
    return [stem(piece) for piece in pieces(node.qualname.rpartition(".")[2])]


def _nodes(graph: Graph, hits: Iterable[Hit]) -> Iterator[Node]:
    for hit in hits:
        node = graph.at(hit.file, hit.place)
        if node is not None:
            yield node


def _apart(nodes: Iterable[Node]) -> list[Node]:
    """Keep one of several definitions under one name in one file."""
    return list({(node.file, node.qualname): node for node in reversed(list(nodes))}.values())[::-1]


def _stands_in(path: str, file: str) -> bool:
    wanted = file.replace("\\", "/").removeprefix("./")
    return not wanted or path == wanted or path.endswith(f"/{wanted}") or path.startswith(f"{wanted.rstrip('/')}/")
