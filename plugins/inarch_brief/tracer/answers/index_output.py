"""Work and output of `inarch trace index`: the index updated, counted, rebuilt, exported."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inarch_brief.tracer.answers import command_index
from inarch_brief.tracer.answers.flow_words import count, joined
from inarch_brief.tracer.facts.file_facts import LIGHT
from inarch_brief.tracer.facts.modules import TEXT, is_other
from inarch_brief.tracer.graph.call_graph import Graph
from inarch_brief.tracer.graph.model import Node
from inarch_brief.tracer.indexing.index import NOTHING, Coverage
from inarch_brief.tracer.store.kept_files import Shelf
from inarch_lib.staging import write_whole

_TABLES = ("files", "symbols", "gates")


def index(status: bool, rebuild: bool, folder: str | None, as_json: bool) -> None:
    """Run the command, and print the figures."""
    if status:
        with command_index.room() as room:
            store = room.index.store
            figures = {"path": store.path, **_kept(store.path)}
    else:
        with command_index.room(command_index.BUILDING_SECONDS) as room:
            if rebuild:
                room.index.recover("rebuilt", in_memory=False)
            figures = {"path": room.index.store.path, **room.linked(_built)}
            if folder is not None:
                figures["exported"] = room.graph(lambda graph, _: _exported(graph, folder))
    if as_json:
        command_index.say_json(figures)
        return
    for line in _lines(figures):
        command_index.say(line)


def _kept(path: str) -> dict[str, Any]:
    """Count what the index holds, without looking at the files."""
    if not os.path.exists(path):
        return {"files": 0, "note": "nothing is indexed yet"}
    try:
        connection = sqlite3.connect(f"{Path(path).as_uri()}?mode=ro", uri=True)
        try:
            figures = _counted(connection)
        finally:
            connection.close()
    except sqlite3.Error as error:
        return {"files": 0, "note": f"the index can't be read ({error}): the next question rebuilds it"}
    return {**figures, "bytes": os.path.getsize(path)}


def _counted(connection: sqlite3.Connection) -> dict[str, Any]:
    files, symbols, gates = (connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in _TABLES)
    (texts,) = connection.execute("SELECT count(*) FROM files WHERE role = ?", (TEXT,)).fetchone()
    linked = connection.execute("SELECT count(*) FROM linked").fetchone()[0]
    unparsable = connection.execute(
        "SELECT path, unparsable FROM files WHERE unparsable != '' ORDER BY path"
    ).fetchall()
    large = connection.execute("SELECT path FROM files WHERE unparsable = '' AND level = ? ORDER BY path", (LIGHT,))
    return {
        "files": files - texts,
        "other_files": sum(is_other(path) for (path,) in connection.execute("SELECT path FROM files")),
        "texts": texts,
        "linked_files": linked,
        "symbols": symbols,
        "entry_points": gates,
        "unparsable": [{"path": path, "reason": reason} for path, reason in unparsable],
        "too_large": [path for (path,) in large],
    }


def _built(shelf: Shelf, coverage: Coverage) -> dict[str, Any]:
    """Count what the index holds. Reading the graph of a large tree would take more memory than building it."""
    # Files that do not parse are listed elsewhere.
    rest = coverage._replace(notes=tuple(note for note in coverage.notes if not note.startswith("can't parse")))
    note = joined(rest.note, coverage.linked) or None
    (calls,) = shelf.connection.execute("SELECT count(*) FROM calls").fetchone()
    return {**_counted(shelf.connection), "calls": calls, "note": note}


def _exported(graph: Graph, folder: str) -> dict[str, int]:
    try:
        return export(graph, Path(folder))
    except OSError as error:
        command_index.fail(f"{folder} can't be written: {error.strerror or error}")


def _files(figures: Mapping[str, Any]) -> str:
    """Return the number of files, with those of other languages counted separately."""
    others = figures.get("other_files", 0)
    python = count(figures["files"] - others, "Python file")
    return f"{python} and {count(others, 'file')} in other languages" if others else python


def _lines(figures: dict[str, Any]) -> Iterator[str]:
    if figures["files"]:
        calls = f", {count(figures['calls'], 'call')}" if "calls" in figures else ""
        yield (
            f"{_files(figures)} ({figures['linked_files']:,} linked), "
            f"{count(figures['symbols'], 'symbol')}{calls}, {count(figures['entry_points'], 'declared entry point')}"
        )
        for row in figures["unparsable"][:10]:
            yield f"can't parse {row['path']}: {row['reason']}"
        if len(figures["unparsable"]) > 10:
            yield f"can't parse {len(figures['unparsable']) - 10:,} more"
        for path in figures["too_large"][:10]:
            yield f"{path} is too large to be parsed: only names at its beginning are known"
    elif "note" not in figures or not figures["note"]:
        yield NOTHING
    for name, number in figures.get("exported", {}).items():
        yield f"{count(number, 'record')} in {name}"
    if figures.get("note"):
        yield figures["note"]
    if not os.path.exists(figures["path"]):
        return
    size = f" ({figures['bytes'] / 1_000_000:.1f} MB)" if "bytes" in figures else ""
    yield f"stored in {figures['path']}{size}"


def export(graph: Graph, folder: Path) -> dict[str, int]:
    """Write functions and calls as lines of JSON, and return the number of records by file."""
    folder.mkdir(parents=True, exist_ok=True)
    ids = [
        row[0]
        for row in graph.connection.execute("SELECT id FROM symbols WHERE kind != 'constant' ORDER BY file, line, id")
    ]
    nodes = graph.nodes(ids)
    return {
        "manifest.jsonl": _write(folder / "manifest.jsonl", _records(graph, nodes)),
        "relationships.jsonl": _write(folder / "relationships.jsonl", _calls(graph, nodes)),
    }


def _write(path: Path, rows: Iterator[dict[str, Any]]) -> int:
    written = 0

    def lines() -> Iterator[bytes]:
        nonlocal written
        for row in rows:
            yield f"{json.dumps(row, ensure_ascii=False)}\n".encode()
            written += 1

    write_whole(path, lines(), mode=None, sync=False, former=rf"\.{re.escape(path.name)}\.new")
    return written


def _records(graph: Graph, nodes: dict[int, Node]) -> Iterator[dict[str, Any]]:
    decorators = _decorators(graph)
    for node in nodes.values():
        parent = node.qualname.rpartition(".")[0].rpartition(".")[2] if node.kind == "method" else None
        yield {
            "type": "function" if node.kind in ("method", "lambda") else node.kind,
            "name": node.name,
            "qualname": node.qualname,
            "file": node.file,
            "line": node.line,
            "end_line": node.end,
            "class": parent,
            "signature": node.signature,
            "docstring": node.doc,
            "decorators": list(decorators.get(node.id, ())),
        }


def _decorators(graph: Graph) -> dict[int, tuple[str, ...]]:
    """Return the names of decorators, without their arguments."""
    found: dict[int, tuple[str, ...]] = {}
    for file, number, place in graph.connection.execute("SELECT file, id, place FROM symbols ORDER BY file").fetchall():
        symbols = graph.shelf.facts(file)[3].symbols
        if 0 <= place < len(symbols) and symbols[place].decorators:
            found[number] = tuple(text.partition("(")[0] for text in symbols[place].decorators)
    return found


def _calls(graph: Graph, nodes: dict[int, Node]) -> Iterator[dict[str, Any]]:
    for number in range(len(graph.adjacency)):
        arc = graph.adjacency.arc(number)
        caller, callee = nodes.get(arc.caller), nodes.get(arc.callee)
        if caller is not None and callee is not None:
            yield {
                "type": "calls",
                "from_func": caller.name,
                "to_func": callee.name,
                "file": caller.file,
                "line": arc.line,
                "from_qualname": caller.qualname,
                "to_qualname": callee.qualname,
                "kind": arc.kind,
                "confidence": arc.confidence,
            }
