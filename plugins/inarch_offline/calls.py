"""The tool calls that plans make, each with the arguments of its tool."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inarch import PlannedCall

_SPECIAL = r"[.^$*+?()\[\]{}|\\]"


def list_files(pattern: str = "**/*", limit: int = 200) -> PlannedCall:
    """List files by a glob."""
    return PlannedCall("list_files", {"pattern": pattern, "limit": limit})


def read_file(path: str, start: int | None = None, end: int | None = None) -> PlannedCall:
    """Read a file, or its lines from `start` to `end`."""
    lines = {"start_line": start, "end_line": end}
    return PlannedCall("read_file", {"file_path": path, **{name: line for name, line in lines.items() if line}})


def read_output(ref: str, offset: int, limit: int) -> PlannedCall:
    """Read on in a result that was too long to be shown whole; bytes."""
    return PlannedCall("read_output", {"output_ref": ref, "offset": offset, "limit": limit})


def search(pattern: str, path: str = ".", glob: str = "", ignore_case: bool = False, limit: int = 100) -> PlannedCall:
    """Search for a regular expression."""
    more = {"path": path if path != "." else "", "glob": glob, "ignore_case": ignore_case}
    return PlannedCall(
        "search_files", {"pattern": pattern, "limit": limit} | {key: it for key, it in more.items() if it}
    )


def find_symbols(query: str, kind: str = "", limit: int = 8) -> PlannedCall:
    """Find definitions by words or by name."""
    return PlannedCall("find_symbols", {"query": query, "limit": limit} | ({"kind": kind} if kind else {}))


def context_get(query: str) -> PlannedCall:
    """Find what a question is about, with its code, callers and callees."""
    return PlannedCall("context_get", {"query": query})


def entry_points(kind: str = "all") -> PlannedCall:
    """Find the ways into the program."""
    return PlannedCall("find_entry_points", {} if kind == "all" else {"kind": kind})


def git_log(paths: Iterable[str] = (), limit: int = 10) -> PlannedCall:
    """List commits, the newest first; with paths only those that changed them."""
    return PlannedCall("git_log", {"limit": limit} | ({"paths": kept} if (kept := list(paths)) else {}))


def literal(text: str) -> str:
    """Escape a text for a regular expression that every search engine reads alike."""
    return re.sub(_SPECIAL, lambda found: f"\\{found[0]}", text)


def any_of(words: Iterable[str]) -> str:
    """Give a pattern that matches any of some words."""
    return "|".join(literal(word) for word in words)
