"""Tool results as typed records. Missing or malformed values are left out, never guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from inarch import ToolResult
from inarch_brief.offline.page import Place
from inarch_brief.search.formats import APART

_SHOWN_ANYWAY = (
    r"No matches found|No files found|nothing found|no Python files here|code cut to|added folders have paths of"
)


class Symbol(NamedTuple):
    """A definition, as `find_symbols` and `context_get` describe it."""

    qualname: str
    kind: str
    place: Place
    end: int
    signature: str
    doc: str
    test: bool
    code: str = ""
    reasons: tuple[str, ...] = ()
    """Words of the question that matched it, if the search includes them."""

    @property
    def name(self) -> str:
        """The last component of the qualified name; of a section its heading."""
        return self.qualname.rpartition(APART if self.is_text else ".")[2]

    @property
    def is_text(self) -> bool:
        """Whether it is a section of prose or a setting rather than code."""
        return self.kind in ("section", "setting")


class Site(NamedTuple):
    """A call site, with its caller or callee."""

    qualname: str
    place: Place
    text: str
    defined: Place | None = None
    by_name: bool = False
    """Whether it was found by a name alone."""


class Entry(NamedTuple):
    """An entry point: a command, a route, a script."""

    kind: str
    name: str
    qualname: str
    place: Place
    how: str
    doc: str = ""


class Hit(NamedTuple):
    """A line that matched a search."""

    path: str
    line: int
    text: str

    @property
    def place(self) -> Place:
        """The place of the line."""
        return Place(self.path, self.line)


class FileText(NamedTuple):
    """A file's text, or a part of it from `start` on."""

    path: str
    text: str
    start: int = 1
    truncated: bool = False

    def place(self, index: int) -> Place:
        """Return the place of the line at an index of the text."""
        return Place(self.path, self.start + index)


class Commit(NamedTuple):
    """A commit, as `git_log` lists it."""

    commit: str
    author: str
    date: str
    subject: str


class Way(NamedTuple):
    """A path from an entry point: its kind, and the functions on it with the place of each call."""

    entry: str
    names: tuple[str, ...]
    places: tuple[Place, ...]
    is_test: bool


class Context(NamedTuple):
    """The result of `context_get`."""

    target: Symbol | None
    callers: tuple[Site, ...] = ()
    callees: tuple[Site, ...] = ()
    others: tuple[Symbol, ...] = ()
    more_callers: bool = False
    more_callees: bool = False
    confidence: float = 0.0
    unknown: tuple[str, ...] = ()
    """Words of the question that are in no file."""
    ways: tuple[Way, ...] = ()
    """The paths from the entry points to the target."""
    methods: tuple[Symbol, ...] = ()
    """The methods of the target, if it is a class."""

    @property
    def candidates(self) -> list[Symbol]:
        """All matches, in the order of the search."""
        return [*filter(None, (self.target, *self.others))]


def key(name: str, arguments: Mapping[str, object]) -> str:
    """Return the key of a call's result."""
    return f"{name} {json.dumps(dict(arguments), sort_keys=True, default=str)}"


def files(result: ToolResult) -> list[str]:
    """Read the paths of `list_files`."""
    found = _data(result).get("files")
    return [path for path in found if isinstance(path, str)] if isinstance(found, list) else []


def is_limited(result: ToolResult) -> bool:
    """Return whether `list_files` or `search_files` stopped at its limit."""
    return bool(_data(result).get("truncated"))


def is_partial(result: ToolResult) -> bool:
    """Return whether a result is incomplete, so that its items must not be counted as all."""
    return is_limited(result) or bool(result.metadata.get("truncated"))


def totals(result: ToolResult) -> dict[str, int]:
    """Read how many entry points there are of each kind, listed or not."""
    found = _data(result).get("totals")
    return {name: count for name, count in found.items() if isinstance(count, int)} if isinstance(found, dict) else {}


def hits(result: ToolResult) -> list[Hit]:
    """Read the matches of `search_files`."""
    rows = _rows(_data(result), "hits")
    return [Hit(path, _number(row, "line", 1), _text(row, "text")) for row in rows if (path := _text(row, "path"))]


def file_text(result: ToolResult) -> FileText | None:
    """Read the content of `read_file`."""
    data = _data(result)
    if not isinstance(data.get("content"), str) or not _text(data, "path"):
        return None
    content, whole = data["content"], not data.get("truncated")
    if output_ref(result):  # a cut result: line numbers are right only before the cut
        content, whole = content[: content.rfind("\n… ")].rpartition("\n")[0] if "\n… " in content else "", False
    return FileText(data["path"], content, _number(data, "start_line", 1), not whole)


def last_line(result: ToolResult) -> int:
    """Return the number of a file's last line, or 0 if `read_file` does not know it."""
    return _number(_data(result), "total_lines", 0)


def output_ref(result: ToolResult) -> str:
    """Return the reference of a result that is stored whole, or "" if it was not cut."""
    ref = result.metadata.get("output_ref") if result.metadata.get("truncated") else None
    return ref if isinstance(ref, str) else ""


def output_page(result: ToolResult) -> tuple[str, int]:
    """Read a page of `read_output`: its text and the total of bytes."""
    return _text(_data(result), "content"), _number(_data(result), "total_bytes", 0)


def symbols(result: ToolResult) -> list[Symbol]:
    """Read the symbols of `find_symbols`, best first."""
    return _symbols(_data(result), "symbols")


def entries(result: ToolResult) -> list[Entry]:
    """Read the entry points of `find_entry_points`."""
    return [
        Entry(_text(row, "kind"), _text(row, "name"), _text(row, "qualname"), _place(row), _text(row, "how"),
              _text(row, "doc"))
        for row in _rows(_data(result), "entries") if _text(row, "file")
    ]  # fmt: skip


def context(result: ToolResult) -> Context:
    """Read the result of `context_get`."""
    data = _data(result)
    return Context(
        next(iter(_symbols({"target": [data.get("target")]}, "target")), None),
        tuple(_sites(data, "callers")),
        tuple(_sites(data, "callees")),
        tuple(_symbols(data, "others")),
        bool(data.get("more_callers")),
        bool(data.get("more_callees")),
        float(data.get("confidence") or 0.0),
        tuple(word for word in data.get("unknown") or () if isinstance(word, str)),
        tuple(map(_way, _rows(data, "paths"))),
    )


def commits(result: ToolResult) -> list[Commit]:
    """Read the commits of `git_log`, the newest first."""
    names = ("commit", "author", "date", "subject")
    return [Commit(*(_text(row, name) for name in names)) for row in _rows(_data(result), "commits")]


def is_changed(result: ToolResult) -> bool:
    """Return whether the user changed the call before it ran, so that its effect is theirs."""
    return bool(result.metadata.get("changed_by_user"))


def said(result: ToolResult) -> str:
    """Return a result's error message, or its note without the parts that the answer shows anyway."""
    error = result.error
    if error is not None:
        # A denial's remedy is for a model, except for how to allow the call.
        told = error.remedy and (error.code != "denied" or error.remedy.startswith("run with "))
        return f"{error.message} ({error.remedy})" if told else error.message
    notes = _text(_data(result), "note").split("; ")
    return "; ".join(note for note in notes if note and not re.match(_SHOWN_ANYWAY, note))


def _way(row: Mapping[str, Any]) -> Way:
    steps = _rows(row, "steps")
    names = tuple(_text(step, "name") for step in steps)
    return Way(_text(row, "entry"), names, tuple(map(_place, steps)), bool(row.get("test")))


def _symbols(data: Mapping[str, Any], name: str) -> list[Symbol]:
    found = []
    for row in _rows(data, name):
        if _text(row, "file") and _text(row, "qualname"):
            signature, place = _text(row, "signature"), _place(row)
            if signature.count("(") > signature.count(")"):  # the index cut it
                signature = f"{signature.rstrip('.…')}…"
            end, reasons = _number(row, "end_line", place.line), tuple(map(str, row.get("reasons") or ()))
            told = (signature, _text(row, "doc"), bool(row.get("test")), _text(row, "code"), reasons)
            found.append(Symbol(_text(row, "qualname"), _text(row, "kind"), place, end, *told))
    return found


def _sites(data: Mapping[str, Any], name: str) -> list[Site]:
    return [
        Site(
            _text(row, "qualname"),
            _place(row),
            _text(row, "text"),
            _defined(_text(row, "defined_at")),
            bool(row.get("by_name")),
        )
        for row in _rows(data, name)
        if _text(row, "file") and (name != "callees" or row.get("line"))  # passed on elsewhere: no line to cite
    ]


def _defined(value: str) -> Place | None:
    """Read `path:line`."""
    path, _, line = value.rpartition(":")
    return Place(path, int(line)) if line.isdigit() else None


def _place(row: Mapping[str, Any]) -> Place:
    return Place(_text(row, "file"), _number(row, "line", 1))


def _data(result: ToolResult) -> Mapping[str, Any]:
    return result.data if result.success and isinstance(result.data, Mapping) else {}


def _rows(data: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    rows = data.get(name)
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list | tuple) else []


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _number(row: Mapping[str, Any], name: str, otherwise: int) -> int:
    value = row.get(name)
    return value if isinstance(value, int) else otherwise
