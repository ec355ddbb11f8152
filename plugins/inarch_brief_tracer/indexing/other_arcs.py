"""Arcs of files in other languages: linked all at once whenever one of them changed, which is quick."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from inarch import Workspace
from inarch_brief_tracer.facts.file_names import is_other
from inarch_brief_tracer.facts.nature import SHIFT, SPAN_SHIFT
from inarch_brief_tracer.graph.arcs import FileArcs
from inarch_brief_tracer.graph.model import CALL, Arc
from inarch_brief_tracer.graph.spans import spans
from inarch_brief_tracer.indexing.arc_rows import put_arcs, put_gates
from inarch_brief_tracer.indexing.entry_nodes import gates_of
from inarch_brief_tracer.linking.other_linking import linked_others
from inarch_brief_tracer.linking.other_names import Manifests, Names, OtherFile
from inarch_brief_tracer.store.database import Busy, transaction
from inarch_brief_tracer.store.kept_files import Shelf, put_state, state

MOST_FILES = 3_000
"""Files that one call links: it takes about a millisecond a file. `inarch trace index` links more."""
_MANIFESTS = "**/{package.json,tsconfig.json,jsconfig.json,go.mod,Cargo.toml}"
_MOST_MANIFESTS = 300
_STATE = "others"
_GO_MODULE = re.compile(r"^module[ \t]+(\S+)", re.M)
_CRATE = re.compile(r"^\[package\][^\[]*?^name\s*=\s*\"([^\"]+)\"", re.M | re.S)
_COMMENTS = re.compile(r'("(?:[^"\\\n]|\\.)*+"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.S)
_LAST_COMMA = re.compile(r",(?=\s*[}\]])")


def bring_others(
    connection: sqlite3.Connection, workspace: Workspace, read: Callable[[str], bytes | None], is_patient: bool
) -> str:
    """Link the files of other languages if they aren't as they were; give what has to be said."""
    rows = [row for row in connection.execute("SELECT id, path, hash FROM files").fetchall() if is_other(row[1])]
    version = hashlib.sha256(repr(rows).encode("utf-8", "surrogatepass")).hexdigest() if rows else ""
    if (state(connection, _STATE) or "") == version:
        return ""
    if len(rows) > MOST_FILES and not is_patient:
        return f"calls in {len(rows):,} files of other languages are not linked: `inarch trace index` does it"
    shelf = Shelf(connection, read)
    files = {number: OtherFile(number, path, shelf.facts(number)[3]) for number, path, _ in rows}
    edges = list(linked_others(Names(files, _manifests(workspace, read))))
    try:
        with transaction(connection):
            put_arcs(connection, _arcs(connection, files, edges).items(), "whole")
            put_gates(connection, gates_of(shelf))
            put_state(connection, _STATE, version)
            put_state(connection, "linked", (state(connection, "linked") or 0) + 1)
    except Busy:
        return "another process is writing the index: the graph is from before its changes"
    return ""


def _arcs(connection: sqlite3.Connection, files: Mapping[int, OtherFile], edges: Iterable[Any]) -> dict[int, FileArcs]:
    """Sort edges to the files of their callers, as arcs between the numbers of symbols."""
    numbers: dict[tuple[int, int], int] = {}
    natures: dict[int, dict[int, int]] = {file: {} for file in files}
    for number, file, place, flags in connection.execute("SELECT id, file, place, flags FROM symbols"):
        if file in files:
            numbers[file, place] = number
            natures[file][number] = flags >> SHIFT
    arcs: dict[int, list[Arc]] = {file: [] for file in files}
    callees: dict[int, list[int]] = {}
    for edge in edges:
        caller, callee = numbers.get(edge.caller), numbers.get(edge.callee)
        if caller is not None and callee is not None:
            arcs[edge.caller.file].append(Arc(caller, callee, CALL, edge.confidence, edge.line))
            callees.setdefault(caller, []).append(callee)
    reached = dict(spans(callees, callees))
    return {
        file: FileArcs(
            {number: nature | reached.get(number, 0) << SPAN_SHIFT for number, nature in natures[file].items()},
            tuple(sorted(found, key=lambda arc: (arc.caller, arc.line, arc.callee))),
        )
        for file, found in arcs.items()
    }


def _manifests(workspace: Workspace, read: Callable[[str], bytes | None]) -> Manifests:
    """Read what manifests say of imports that are no paths."""
    packages: dict[str, str] = {}
    aliases: list[tuple[str, str]] = []
    modules: list[tuple[str, str]] = []
    for path in workspace.walk(_MANIFESTS, _MOST_MANIFESTS).paths:
        folder, _, name = path.rpartition("/")
        text = (read(path) or b"").decode("utf-8", "replace")
        if name == "go.mod" and (found := _GO_MODULE.search(text)):
            modules.append((found[1].strip('"'), folder))
        elif name == "Cargo.toml" and (found := _CRATE.search(text)):
            packages[f"rust:{found[1].replace('-', '_')}"] = posixpath.join(folder, "src")
        elif name == "package.json":
            named = _json(text).get("name")
            if isinstance(named, str):
                packages[named] = folder
        elif name.endswith("config.json"):
            aliases += _aliases(folder, _json(text))
    modules.sort(key=lambda item: -len(item[0]))
    return Manifests(packages, tuple(aliases), tuple(modules))


def _json(text: str) -> Mapping[str, Any]:
    """Read JSON as TypeScript allows it, with comments and a comma too many."""
    try:
        data = json.loads(_LAST_COMMA.sub("", _COMMENTS.sub(lambda found: found[1] or "", text)))
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, Mapping) else {}


def _aliases(folder: str, config: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    options = config.get("compilerOptions")
    paths = options.get("paths") if isinstance(options, Mapping) else None
    base = options.get("baseUrl", ".") if isinstance(options, Mapping) else "."
    for name, targets in paths.items() if isinstance(paths, Mapping) and isinstance(base, str) else ():
        if isinstance(targets, list) and targets and isinstance(targets[0], str):
            yield name.removesuffix("*"), posixpath.join(folder, base, targets[0].removesuffix("*"))
