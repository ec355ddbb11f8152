"""Reading on: long files in ranges, long lists in pages, since one result holds only so much."""

from __future__ import annotations

import json

from attrs import evolve

from inarch import ToolResult
from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.material import FileText, Symbol, file_text, files, is_limited, last_line, output_page, output_ref

_RANGE = 700
"""Lines of one read: at 80 columns they fit into one result."""
_MOST_RANGES = 12
_PAGE = 50_000
"""Bytes of one page of a kept result."""
_MOST_PAGES = 24
_TELLING = ("*", "*/__init__.py", "*/*/__init__.py")


def whole_file(path: str, first: int = 1, last: int = 0) -> Asking[tuple[FileText | None, ToolResult]]:
    """Read a file, or its lines from `first` to `last`; gives its text, cut where it is too long, and the result."""
    end = min(last or first + _RANGE - 1, first + _RANGE - 1)
    [result] = yield [calls.read_file(path, first, end)]
    text = file_text(result)
    total = min(last or last_line(result), last_line(result) or last)
    if text is None or text.truncated or total <= end:
        return text, result
    starts = range(end + 1, total + 1, _RANGE)
    read = yield [calls.read_file(path, start, min(start + _RANGE - 1, total)) for start in starts[:_MOST_RANGES]]
    pieces = [text.text.removesuffix("\n")]
    for more in map(file_text, read):
        if more is None:
            return evolve(text, text="\n".join(pieces), truncated=True), result
        pieces.append(more.text.removesuffix("\n"))
        if more.truncated:
            return evolve(text, text="\n".join(pieces), truncated=True), result
    return evolve(text, text="\n".join(pieces), truncated=len(starts) > _MOST_RANGES), result


def whole_code(target: Symbol) -> Asking[Symbol]:
    """Read the code of a definition that is longer than what the index gives of it."""
    shown = target.code.count("\n") + 1
    if target.kind == "module" or target.end - target.place.line < shown:
        return target
    text, _ = yield from whole_file(target.place.path, target.place.line, target.end)
    return evolve(target, code=text.text) if text and not text.truncated else target


def whole_list(listed: ToolResult) -> Asking[list[str]]:
    """Give all paths of a `list_files`: a long result in pages, and behind its limit what tells most."""
    ref = output_ref(listed)
    # In order of their names: the top level and the packages may stand behind the end.
    more = [calls.list_files(pattern, 500) for pattern in _TELLING] if is_limited(listed) else []
    wanted = [*([calls.read_output(ref, 0, _PAGE)] if ref else []), *more]
    if not wanted:
        return files(listed)
    results = yield wanted
    paths = (yield from _other_pages(ref, results[0])) if ref else files(listed)
    found = [path for result in results[len(wanted) - len(more) :] for path in files(result)]
    return sorted({*(paths or files(listed)), *found})


def _other_pages(ref: str, first: ToolResult) -> Asking[list[str]]:
    """Read what follows the first page and put the list together; empty if it can't be."""
    content, total = output_page(first)
    starts = range(_PAGE, total, _PAGE)[:_MOST_PAGES]
    rest = (yield [calls.read_output(ref, start, _PAGE) for start in starts]) if starts else []
    text = content + "".join(output_page(page)[0] for page in rest)
    try:
        paths = json.loads(text)["files"]
    except (ValueError, KeyError, TypeError):
        return []
    return [path for path in paths if isinstance(path, str)]
