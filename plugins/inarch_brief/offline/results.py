"""Tool results as typed records. Missing or malformed values are left out, never guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from inarch import ToolResult
from inarch_brief.search.formats import APART

_SHOWN_ANYWAY = (
    r"No matches found|No files found|nothing found|no Python files here|code cut to|added folders have paths of|"
    r"lines \d+ to|go on with start_line"
)


class Place(NamedTuple):
    """A line of a file, counted from 1."""

    path: str
    line: int = 1

    def __str__(self) -> str:
        path = self.path if self.path.isprintable() else self.path.encode("unicode_escape").decode()
        return f"{path}:{max(self.line, 1)}"


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
    name: str = ""
    """The last component of the qualified name; of a section its heading."""
    is_text: bool = False
    """Whether it is a section of prose or a setting rather than code."""


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

    @property
    def lines(self) -> list[str]:
        """The lines, without an empty one at the end."""
        return self.text.removesuffix("\n").split("\n")

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


def files(result: ToolResult) -> list[str]:
    """Read the paths of `list_files`."""
    return list(_data(result).get("files", ()))


def is_limited(result: ToolResult) -> bool:
    """Return whether `list_files` or `search_files` stopped at its limit."""
    return bool(_data(result).get("truncated"))


def is_partial(result: ToolResult) -> bool:
    """Return whether a result is incomplete, so that its items must not be counted as all."""
    return is_limited(result) or bool(result.metadata.get("truncated"))


def totals(result: ToolResult) -> dict[str, int]:
    """Read how many entry points there are of each kind, listed or not."""
    return dict(_data(result).get("totals") or {})


def hits(result: ToolResult) -> list[Hit]:
    """Read the matches of `search_files`."""
    return [Hit(row["path"], row["line"], row["text"]) for row in _data(result).get("hits", ())]


def file_text(result: ToolResult) -> FileText | None:
    """Read the content of `read_file`."""
    data = _data(result)
    content, is_cut = data.get("content"), bool(data.get("truncated"))
    if content is None:
        return None
    if output_ref(result):  # a cut result: line numbers are right only before the cut
        content, is_cut = content.rpartition("\n… ")[0].rpartition("\n")[0], True
    return FileText(data["path"], content, data.get("start_line") or 1, is_cut)


def last_line(result: ToolResult) -> int:
    """Return the number of a file's last line, or 0 if `read_file` does not know it."""
    return _data(result).get("total_lines") or 0


def output_ref(result: ToolResult) -> str:
    """Return the reference of a result that is stored whole, or "" if it was not cut."""
    return str(result.metadata.get("output_ref") or "") if result.metadata.get("truncated") else ""


def output_page(result: ToolResult) -> tuple[str, int]:
    """Read a page of `read_output`: its text and the total of bytes."""
    data = _data(result)
    return data.get("content", ""), data.get("total_bytes", 0)


def symbols(result: ToolResult) -> list[Symbol]:
    """Read the symbols of `find_symbols`, best first."""
    return list(map(_symbol, _data(result).get("symbols", ())))


def entries(result: ToolResult) -> list[Entry]:
    """Read the entry points of `find_entry_points`."""
    return [
        Entry(row["kind"], row["name"], row["qualname"], _place(row), row["how"], row.get("doc") or "")
        for row in _data(result).get("entries", ())
    ]


def context(result: ToolResult) -> Context:
    """Read the result of `context_get`."""
    data = _data(result)
    target = data.get("target")
    return Context(
        _symbol(target) if target else None,
        tuple(map(_site, data.get("callers", ()))),
        tuple(_site(row) for row in data.get("callees", ()) if row.get("line")),  # passed on elsewhere: no line to cite
        tuple(map(_symbol, data.get("others", ()))),
        bool(data.get("more_callers")),
        bool(data.get("more_callees")),
        data.get("confidence") or 0.0,
        tuple(data.get("unknown") or ()),
        tuple(map(_way, data.get("paths") or ())),
    )


def commits(result: ToolResult) -> list[Commit]:
    """Read the commits of `git_log`, the newest first."""
    return [Commit(*(row[name] for name in Commit._fields)) for row in _data(result).get("commits", ())]


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
    notes = (_data(result).get("note") or "").split("; ")
    return "; ".join(note for note in notes if note and not re.match(_SHOWN_ANYWAY, note))


def _way(row: Mapping[str, Any]) -> Way:
    steps = row["steps"]
    return Way(row["entry"], tuple(step["name"] for step in steps), tuple(map(_place, steps)), bool(row.get("test")))


def _symbol(row: Mapping[str, Any]) -> Symbol:
    signature, place = row.get("signature") or "", _place(row)
    if signature.count("(") > signature.count(")"):  # the index cut it
        signature = f"{signature.rstrip('.…')}…"
    end, doc, code = row.get("end_line") or place.line, row.get("doc") or "", row.get("code") or ""
    reasons, is_text = tuple(row.get("reasons") or ()), row["kind"] in ("section", "setting")
    name = row["qualname"].rpartition(APART if is_text else ".")[2]
    told = (end, signature, doc, bool(row.get("test")), code, reasons, name, is_text)
    return Symbol(row["qualname"], row["kind"], place, *told)


def _site(row: Mapping[str, Any]) -> Site:
    path, _, line = (row.get("defined_at") or "").rpartition(":")
    defined = Place(path, int(line)) if line else None
    return Site(row["qualname"], _place(row), row.get("text") or "", defined, bool(row.get("by_name")))


def _place(row: Mapping[str, Any]) -> Place:
    return Place(row["file"], row.get("line") or 1)


def _data(result: ToolResult) -> Mapping[str, Any]:
    return result.data if result.success and isinstance(result.data, Mapping) else {}
