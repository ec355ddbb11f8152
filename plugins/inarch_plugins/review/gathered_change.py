"""The change and the code that uses it, collected with the tools of `git` and `brief-tracer`."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from attrs import define, field, frozen

import inarch
from inarch_plugins.review.hunks import ChangedFile, read_file_diff

Call = Callable[[str, Mapping[str, Any]], Awaitable[inarch.ToolResult]]
"""Runs a tool of the session by its name."""
MOST_TEXT = 120_000
"""Most characters of diffs in a review, about 30,000 tokens."""
MOST_FUNCTIONS = 40
MOST_PLACES = 80
MOST_FLOWS = 8
_LONGEST_FLOW = 2_000
_MOST_CALLERS = 20
_MOST_GONE = 10
_MOST_NAMED = 60
_TRIES = 40
"""Most look-ups that are repeated because the index was incomplete."""
_PAUSE_S = 0.3
_NO_CODE = (".md", ".rst", ".txt", ".json", ".lock", ".toml", ".yaml", ".yml", ".csv", ".html", ".css", ".svg")
_GROWING = ("indexed", "not linked yet", "the rest follows")
_TEST = re.compile(r"(^|/)(tests?|spec|__tests__)/|(^|/)test_|_test\.|\.(test|spec)\.|(^|/)conftest\.py$")
_DEFINED = re.compile(r"^\s*(?:export\s+|pub\s+|async\s+|static\s+)*(?:def|func|function|fn|sub)\s+(\w+)")


@frozen
class Wish:
    """What to review.

    Args:
        base: A branch; empty for none.
        commit: A commit; empty for none.
        uncommitted: Whether to review what is not committed.
        about: Words of the change's author, such as the title and text of a pull request.
        focus: What the user wants to be looked at.
        most: Most characters of diffs.
    """

    base: str = ""
    commit: str = ""
    uncommitted: bool = False
    about: str = ""
    focus: str = ""
    most: int = MOST_TEXT


@define
class Gathered:
    """A change and its callers.

    Args:
        what: The change in words.
        total: How many files it has.
        files: The files with lines to review: `path`, `old_path` and `diff`.
        without_lines: Binary files, renames without changes and the like.
        left_out: Files, or folders with their number of files, that do not fit.
        callers: Changed functions with `path`, `line`, `callers` and `flow`.
        notes: What is incomplete.
    """

    what: str = ""
    total: int = 0
    files: list[dict[str, Any]] = field(factory=list)
    without_lines: list[str] = field(factory=list)
    left_out: list[str] = field(factory=list)
    callers: list[dict[str, Any]] = field(factory=list)
    notes: list[str] = field(factory=list)


async def gathered(call: Call, wish: Wish) -> Gathered:
    """Read the change and find its callers."""
    found = await _change(call, wish)
    changed = [read_file_diff(one["path"], one["old_path"], one["diff"]) for one in found.files]
    await _add_callers(call, changed, found)
    await _add_gone(call, changed, found)
    return found


async def _change(call: Call, wish: Wish) -> Gathered:
    """Read pages until the files do not fit any more; the files with the fewest changed lines come first."""
    found, size, at = Gathered(), 0, {"after": 0, "offset": 0}
    given = {"base": wish.base, "commit": wish.commit, "uncommitted": wish.uncommitted}
    whole: dict[str, dict[str, Any]] = {}
    while True:
        page = await data_of(call, "git_changes", {**given, **at})
        found.what, found.total = page["what"], page["total"]
        for one in page["files"]:
            known = whole.setdefault(one["path"], {**one, "diff": ""})
            known["diff"] += one["diff"]
            size += len(one["diff"])
        at = page["next"]
        if at is None or size > wish.most:
            break
    if at is not None and at["offset"]:
        whole.popitem()  # the beginning of a file: `rest` has its name
    size, left = 0, Counter({one["path"]: one["files"] for one in page["rest"]})
    for path, one in whole.items():
        size += len(one["diff"])
        if size > wish.most:
            left[path] = 1
        elif read_file_diff(path, None, one["diff"]).hunks:
            found.files.append({key: one[key] for key in ("path", "old_path", "diff")})
        else:
            found.without_lines.append(path)
    found.left_out = _named(left)
    return found


def _named(left: Counter[str]) -> list[str]:
    """Return names of files, and of folders with their numbers of files if there are many."""
    if len(left) > _MOST_NAMED:
        whole: Counter[str] = Counter()
        for path, count in left.items():
            whole[path if path.endswith("/") or "/" not in path else f"{path.rpartition('/')[0]}/"] += count
        left = whole
    return [path if count == 1 else f"{path} ({count:,} files)" for path, count in left.most_common()]


async def _add_callers(call: Call, changed: list[ChangedFile], found: Gathered) -> None:
    """Find the callers of each changed function, those outside the change first."""
    code = [file for file in changed if not file.path.endswith(_NO_CODE)]
    code.sort(key=lambda file: file.is_new)  # the functions of new files have no callers outside the change
    places = [(file, line) for file in code for line in _places(file)]
    known: set[str] = set()
    tries, note = _TRIES, ""
    for at, (file, line) in enumerate(places):
        if len(found.callers) >= MOST_FUNCTIONS or at >= MOST_PLACES:
            found.notes.append(f"no callers were looked up for {len(places) - at} more changed places")
            break
        name = f"{file.path}:{line}"
        result = await call("find_callers", {"function": name})
        while _grows(result) and tries:
            tries -= 1
            await asyncio.sleep(_PAUSE_S)  # it goes on in the background
            result = await call("find_callers", {"function": name})
        if not result.success or result.data["function"] in known:
            if result.error is not None and result.error.message.startswith("there is no tool"):
                found.notes.append("callers are unknown: the profile has no plugin brief-tracer")
                break
            continue
        known.add(result.data["function"])
        note = str(result.data["note"] or "")  # the last one: the index may have become complete
        found.callers.append(_function(result.data, file.path, line, changed))
    found.notes += [note] if note else []
    with_outside = [one for one in found.callers if any(site["where"] == "outside" for site in one["callers"])]
    for one in with_outside[:MOST_FLOWS]:
        flow = await call("trace_execution", {"function": f"{one['path']}:{one['line']}", "direction": "up"})
        if flow.success:
            one["flow"] = str(flow.data["flow"])[:_LONGEST_FLOW]


def _places(file: ChangedFile) -> list[int]:
    """Return the first line of each run of changed lines, and changed lines that define functions."""
    runs = [
        line for hunk in file.hunks for at, line in enumerate(hunk.changed) if not at or line > hunk.changed[at - 1] + 1
    ]
    touched = {line for hunk in file.hunks for line in hunk.changed}
    return sorted({*runs, *(line for _, line in _definitions(file, "RIGHT") if line in touched)})


def _function(data: Mapping[str, Any], path: str, line: int, changed: list[ChangedFile]) -> dict[str, Any]:
    by_path = {file.path: file for file in changed}
    sites = []
    for site in data["callers"]:
        file = by_path.get(site["file"])
        inside = file is not None and file.overlaps("RIGHT", site["line"], site["line"])
        where = "in the change" if inside else "test" if _TEST.search(site["file"]) else "outside"
        sites.append({key: site[key] for key in ("qualname", "file", "line", "text")} | {"where": where})
    order = ("outside", "test", "in the change")
    sites.sort(key=lambda site: order.index(site["where"]))
    more = data["more"] + max(0, len(sites) - _MOST_CALLERS)
    return {"function": data["function"], "path": path, "line": line, "callers": sites[:_MOST_CALLERS], "more": more}


async def _add_gone(call: Call, changed: list[ChangedFile], found: Gathered) -> None:
    """Find uses of functions that the change removes or renames; the index no longer knows them."""
    removed = {name: (file.path, line) for file in changed for name, line in _definitions(file, "LEFT")}
    there = {name for file in changed for name, _ in _definitions(file, "RIGHT")}
    for name in [name for name in removed if name not in there][:_MOST_GONE]:
        result = await call("search_files", {"pattern": rf"\b{re.escape(name)}\b", "limit": _MOST_CALLERS})
        hits = result.data["hits"] if result.success else []
        sites = [{"qualname": "?", "file": one["path"], "line": one["line"], "text": one["text"].strip()[:200]}
                 for one in hits]  # fmt: skip
        path, line = removed[name]
        data = {"function": f"{name} (removed)", "callers": sites, "more": 0}
        found.callers.append(_function(data, path, line, changed))


def _definitions(file: ChangedFile, side: Any) -> list[tuple[str, int]]:
    lines = [(text, line) for hunk in file.hunks for line, text in hunk.lines(side).items()]
    return [(match[1], line) for text, line in lines if (match := _DEFINED.match(text))]


def _grows(result: inarch.ToolResult) -> bool:
    """Return whether the index was incomplete."""
    words = str(result.data["note"]) if result.success else result.error.message if result.error else ""
    return any(sign in words for sign in _GROWING)


async def data_of(call: Call, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call a tool and return its data."""
    result = await call(tool, arguments)
    if not result.success:
        error = result.error or inarch.ToolError("execution", f"{tool} failed")
        raise inarch.ToolFailed(error.code, error.message, error.remedy)
    return dict(result.data)
