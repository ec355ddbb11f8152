"""Export in the shapes of the first Brief: one JSON object a line, `manifest.jsonl` and `relationships.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from inarch_brief_tracer.facts.file_facts import CLASS, FUNCTION, METHOD, Symbol
from inarch_brief_tracer.facts.modules import TEST
from inarch_brief_tracer.graph.call_graph import Graph

MANIFEST, RELATIONSHIPS = "manifest.jsonl", "relationships.jsonl"


def export(graph: Graph, write: Callable[[str, Iterable[str]], None]) -> dict[str, int]:
    """Write both files and say how many lines each has.

    Args:
        graph: What is exported.
        write: Given the name of a file and its lines, with line ends.
    """
    counts: dict[str, int] = {}
    for name, rows in ((MANIFEST, manifest(graph)), (RELATIONSHIPS, relationships(graph))):
        counts[name] = 0

        def lines(name: str = name, rows: Iterator[dict[str, object]] = rows) -> Iterator[str]:
            for row in rows:
                counts[name] += 1
                yield json.dumps(row, ensure_ascii=False) + "\n"

        write(name, lines())
    return counts


def manifest(graph: Graph) -> Iterator[dict[str, object]]:
    """Give a record for each file, class and function."""
    rows = graph.connection.execute("SELECT id, path, module, role FROM files ORDER BY path").fetchall()
    for number, path, module, role in rows:
        if role == TEST and not _is_kept(graph, number):
            continue
        facts = graph.shelf.facts(number)[3]
        yield {"type": "file", "path": path, "module": module, "docstring": facts.symbols[0].doc}
        for symbol in facts.symbols:
            if symbol.kind in (CLASS, FUNCTION, METHOD):
                yield _record(path, module, symbol)


def _is_kept(graph: Graph, number: int) -> bool:
    """Whether a test has been read whole."""
    return graph.connection.execute("SELECT 1 FROM symbols WHERE file = ? LIMIT 1", (number,)).fetchone() is not None


def _record(path: str, module: str, symbol: Symbol) -> dict[str, object]:
    around, _, name = symbol.name.rpartition(".")
    record: dict[str, object] = {
        "type": CLASS if symbol.kind == CLASS else FUNCTION,
        "name": name,
        "qualname": f"{module}.{symbol.name}",
        "file": path,
        "line": symbol.line,
        "end_line": symbol.end,
        "signature": name + symbol.signature,
        "docstring": symbol.doc,
        "decorators": [text.partition("(")[0] for text in symbol.decorators],
    }
    if symbol.kind == CLASS:
        return {**record, "bases": list(symbol.bases)}
    return {**record, "class_name": around if symbol.kind == METHOD else None}


def relationships(graph: Graph) -> Iterator[dict[str, object]]:
    """Give a record for each arc: the names of both ends, short and qualified, and the call site."""
    adjacency = graph.adjacency
    nodes = graph.nodes(sorted({*adjacency.callers, *adjacency.callees}))
    arcs = [adjacency.arc(number) for number in range(len(adjacency))]
    known = [(nodes[arc.caller], nodes[arc.callee], arc) for arc in arcs if arc.caller in nodes and arc.callee in nodes]
    known.sort(key=lambda row: (row[0].file, row[2].line, row[0].qualname, row[1].qualname, row[2].kind))
    for caller, callee, arc in known:
        yield {
            "type": "calls",
            "from_func": caller.name,
            "to_func": callee.name,
            "file": caller.file,
            "line": arc.line,
            "to_file": callee.file,
            "from_qualname": caller.qualname,
            "to_qualname": callee.qualname,
            "kind": arc.kind,
            "confidence": arc.confidence,
        }
