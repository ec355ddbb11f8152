"""Tool calls of plans, and continued reads: long files in ranges, long lists in pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from attrs import evolve

from inarch import PlannedCall, ToolResult
from inarch_brief.offline.page import Asking
from inarch_brief.offline.results import (
    FileText,
    Symbol,
    file_text,
    files,
    is_limited,
    is_partial,
    output_page,
    output_ref,
)

_SPECIAL = r"[.^$*+?()\[\]{}|\\]"


def list_files(pattern: str = "**/*", limit: int = 200) -> PlannedCall:
    """List files by a glob."""
    return PlannedCall("list_files", {"pattern": pattern, "limit": limit})


def read_file(path: str, start: int | None = None, end: int | None = None) -> PlannedCall:
    """Read a file, or its lines from `start` to `end`."""
    lines = {"start_line": start, "end_line": end}
    return PlannedCall("read_file", {"file_path": path, **{name: line for name, line in lines.items() if line}})


def read_output(ref: str, offset: int, limit: int) -> PlannedCall:
    """Read a range, in bytes, of a result that was cut."""
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
    """Find the code that a question is about, with its callers and callees."""
    return PlannedCall("context_get", {"query": query})


def entry_points(kind: str = "all") -> PlannedCall:
    """Find the entry points of the program."""
    return PlannedCall("find_entry_points", {} if kind == "all" else {"kind": kind})


def git_log(paths: Iterable[str] = (), limit: int = 10) -> PlannedCall:
    """List commits, newest first; with paths, only those that changed them."""
    return PlannedCall("git_log", {"limit": limit} | ({"paths": kept} if (kept := list(paths)) else {}))


def literal(text: str) -> str:
    """Escape a text for a regular expression in the syntax of every search engine."""
    return re.sub(_SPECIAL, lambda found: f"\\{found[0]}", text)


def any_of(words: Iterable[str]) -> str:
    """Return a pattern that matches any of some words."""
    return "|".join(literal(word) for word in words)


_MOST_READS = 3
"""Reads of one file, each of as many lines as one result may have."""
_PAGE, _MOST_PAGES = 50_000, 24
"""Bytes of one page of a stored result, and pages of one."""


def whole_file(path: str, first: int = 1, last: int = 0) -> Asking[tuple[FileText | None, ToolResult]]:
    """Read a file, or its lines from `first` to `last`. Return its text, cut if it is too long, and the result."""
    [found] = yield from whole_texts(read_file(path, first, last))
    return found


def whole_texts(*wanted: PlannedCall) -> Asking[list[tuple[FileText | None, ToolResult]]]:
    """Read files beside one another. Return for each what `whole_file` returns."""
    results = yield from whole(*((yield wanted) if wanted else ()))
    texts = list(map(file_text, results))
    for _ in range(_MOST_READS - 1):
        rest = {
            place: read_file(text.path, text.start + len(text.lines), wanted[place].arguments.get("end_line"))
            for place, text in enumerate(texts)
            if text is not None and text.truncated
        }
        more = yield from whole(*((yield list(rest.values())) if rest else ()))
        for place, text in zip(rest, map(file_text, more), strict=True):
            if text is not None and (before := texts[place]):
                texts[place] = text._replace(text="\n".join([*before.lines, text.text]), start=before.start)
    return list(zip(texts, results, strict=True))


def whole_code(target: Symbol) -> Asking[Symbol]:
    """Return a definition with its code from its first line on, reading the file if the index has less."""
    lines = target.code.splitlines()
    if lines and lines[0].lstrip().startswith(("@", "#[")):  # decorators, which may be many lines
        named = rf"\s*(?!@)(?:[\w()]+ )*{re.escape(target.name)}\b"
        lines = lines[next((index for index, line in enumerate(lines) if re.match(named, line)), len(lines)) :]
    if target.kind == "module" or target.end - target.place.line < len(lines):
        return target._replace(code="\n".join(lines))
    text, _ = yield from whole_file(target.place.path, target.place.line, target.end)
    return target._replace(code=text.text if text and not text.truncated else "\n".join(lines))


def whole_list(listed: ToolResult) -> Asking[tuple[list[str], bool]]:
    """Return the paths of a `list_files` and whether they are complete. Beyond its limit, add important ones only."""
    # The list is alphabetical: the top level and the packages may be beyond the limit.
    more = [list_files(pattern, 500) for pattern in ("*", "*/__init__.py", "*/*/__init__.py")]
    beside = (yield more) if is_limited(listed) else []
    [listed] = yield from whole(listed)
    return sorted({*files(listed), *(path for one in beside for path in files(one))}), not is_partial(listed)


def whole(*results: ToolResult) -> Asking[list[ToolResult]]:
    """Return results with the cut ones completed. A result stays cut if a page is missing."""
    refs = [ref for result in results if (ref := output_ref(result))]
    firsts = (yield [read_output(ref, 0, _PAGE) for ref in refs]) if refs else []
    pages = dict(zip(refs, ([one] for one in firsts), strict=True))
    rest = [(ref, at) for ref in refs for at in range(_PAGE, output_page(pages[ref][0])[1], _PAGE)[:_MOST_PAGES]]
    for (ref, _), page in zip(rest, (yield [read_output(*one, _PAGE) for one in rest]) if rest else [], strict=True):
        pages[ref].append(page)
    joined = list(results)
    for index, result in enumerate(results):
        text = "".join(output_page(page)[0] for page in pages.get(output_ref(result), ()))
        if text and len(text.encode()) == output_page(pages[output_ref(result)][0])[1]:  # else a page is missing
            of_file = {**result.data, "content": text} if isinstance(result.data, dict) else {}
            data = of_file if file_text(result) else json.loads(text)  # of a file, its text alone is stored
            joined[index] = evolve(result, data=data, metadata={**result.metadata, "truncated": False})
    return joined
