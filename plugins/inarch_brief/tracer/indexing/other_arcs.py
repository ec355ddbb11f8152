"""Arcs of files in other languages, linked again after a change, and in several calls if it takes long."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from inarch import Workspace
from inarch_brief.tracer.facts.kinds import CALL_KINDS, CONFIDENCES
from inarch_brief.tracer.facts.modules import is_other
from inarch_brief.tracer.indexing.arc_rows import CallRow, put_calls, put_gates
from inarch_brief.tracer.indexing.entry_nodes import gates_of
from inarch_brief.tracer.indexing.file_reader import Limit
from inarch_brief.tracer.linking.other_language_calls import OtherEdge, linked_others
from inarch_brief.tracer.linking.other_names import Manifests, Names, OtherFile
from inarch_brief.tracer.store.database import Busy, transaction
from inarch_brief.tracer.store.kept_files import Shelf, put_state, state

MOST_FILES = 3_000
"""The most files that one call links, because all their facts are in memory. `inarch trace index` links more."""
_MANIFESTS = "**/{package.json,tsconfig.json,jsconfig.json,go.mod,Cargo.toml}"
_MOST_MANIFESTS = 300
_STATE = "others"
_CALL = CALL_KINDS.index("call")
_GO_MODULE = re.compile(r"^module[ \t]+(\S+)", re.M)
_CRATE = re.compile(r"^\[package\][^\[]*?^name\s*=\s*\"([^\"]+)\"", re.M | re.S)
_COMMENTS = re.compile(r'("(?:[^"\\\n]|\\.)*+"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.S)
_LAST_COMMA = re.compile(r",(?=\s*[}\]])")


def bring_others(
    connection: sqlite3.Connection,
    workspace: Workspace,
    read: Callable[[str], bytes | None],
    is_patient: bool,
    seconds: float,
) -> str:
    """Link the files of other languages if they changed, and return a note."""
    rows = [row for row in connection.execute("SELECT id, path, hash FROM files").fetchall() if is_other(row[1])]
    version = hashlib.sha256(repr(rows).encode("utf-8", "surrogatepass")).hexdigest() if rows else ""
    kept, *places = (state(connection, _STATE) or "").split(" ")
    if kept == version and not places:
        return ""
    if len(rows) > MOST_FILES and not is_patient:
        return f"calls in {len(rows):,} files of other languages are not linked: `inarch trace index` links them"
    begin = int(places[0]) if places and kept == version else 0
    shelf = Shelf(connection, read)
    files = {number: OtherFile(number, path, shelf.facts(number)[3]) for number, path, _ in sorted(rows)}
    names, limit = Names(files, _manifests(workspace, read)), Limit(seconds)
    edges, end = linked_others(names, begin, lambda: limit.is_over)
    try:
        with transaction(connection):
            put_calls(connection, list(_rows(connection, edges)), list(files)[begin:end], "whole")
            put_gates(connection, gates_of(shelf))
            put_state(connection, _STATE, f"{version} {end}" if end < len(files) else version)
            put_state(connection, "linked", (state(connection, "linked") or 0) + 1)
    except Busy:
        return "another process is writing the index: the graph is from before its changes"
    if end == len(files):
        return ""
    return f"{end:,} of {len(rows):,} files of other languages are linked, the next call continues"


def _rows(connection: sqlite3.Connection, edges: Iterable[OtherEdge]) -> Iterator[CallRow]:
    """Yield edges between symbol numbers, the most confident first."""
    numbers = {
        (file, place): number for number, file, place in connection.execute("SELECT id, file, place FROM symbols")
    }
    for edge in sorted(edges, key=lambda edge: CONFIDENCES.index(edge.confidence)):
        caller, callee = numbers.get(edge.caller), numbers.get(edge.callee)
        if caller is not None and callee is not None:
            yield edge.caller.file, caller, callee, _CALL, CONFIDENCES.index(edge.confidence), edge.line


def _manifests(workspace: Workspace, read: Callable[[str], bytes | None]) -> Manifests:
    """Read the manifests' mapping of imports to folders."""
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
    """Read JSON as TypeScript allows it, with comments and trailing commas."""
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
