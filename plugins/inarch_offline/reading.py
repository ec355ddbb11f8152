"""Reading on: long files in ranges, long lists in pages, since one result holds only so much."""

from __future__ import annotations

import json
from itertools import islice

from inarch import ToolResult
from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.results import (
    FileText,
    Symbol,
    file_text,
    files,
    is_limited,
    is_partial,
    last_line,
    output_page,
    output_ref,
)

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
    if text is not None and not last and not last_line(result) and text.text.count("\n") >= end - first:
        return text._replace(truncated=True), result  # too large for its lines to be counted
    total = min(last or last_line(result), last_line(result) or last)
    if text is None or text.truncated or total <= end:
        return text, result
    starts = range(end + 1, total + 1, _RANGE)
    read = yield [calls.read_file(path, start, min(start + _RANGE - 1, total)) for start in starts[:_MOST_RANGES]]
    pieces = [text.text.removesuffix("\n")]
    for more in map(file_text, read):
        if more is None:
            return text._replace(text="\n".join(pieces), truncated=True), result
        pieces.append(more.text.removesuffix("\n"))
        if more.truncated:
            return text._replace(text="\n".join(pieces), truncated=True), result
    return text._replace(text="\n".join(pieces), truncated=len(starts) > _MOST_RANGES), result


def whole_code(target: Symbol) -> Asking[Symbol]:
    """Read the code of a definition that is longer than what the index gives of it."""
    shown = target.code.count("\n") + 1
    if target.kind == "module" or target.end - target.place.line < shown:
        return target
    text, _ = yield from whole_file(target.place.path, target.place.line, target.end)
    return target._replace(code=text.text) if text and not text.truncated else target


def whole_list(listed: ToolResult) -> Asking[tuple[list[str], bool]]:
    """Give the paths of a `list_files`, behind its limit only what tells most, and whether these are all."""
    # In order of their names: the top level and the packages may stand behind the end.
    more = [calls.list_files(pattern, 500) for pattern in _TELLING] if is_limited(listed) else []
    if not more and not output_ref(listed):
        return files(listed), not is_partial(listed)
    beside = (yield more) if more else []
    [listed] = yield from whole(listed)
    return sorted({*files(listed), *(path for one in beside for path in files(one))}), not is_partial(listed)


def whole(*results: ToolResult) -> Asking[list[ToolResult]]:
    """Put results together that were too long to be shown whole; they stay as they are where that can't be."""
    long = [result for result in results if output_ref(result)]
    if not long:
        return list(results)
    firsts = yield [calls.read_output(output_ref(result), 0, _PAGE) for result in long]
    later = [
        [calls.read_output(output_ref(result), start, _PAGE) for start in _starts(first)]
        for result, first in zip(long, firsts, strict=True)
    ]
    wanted = [call for group in later for call in group]
    read = iter((yield wanted) if wanted else [])
    texts = [
        "".join(output_page(page)[0] for page in [first, *islice(read, len(group))])
        for first, group in zip(firsts, later, strict=True)
    ]
    joined = iter(map(_put_together, long, texts))
    return [next(joined) if output_ref(result) else result for result in results]


def _starts(first: ToolResult) -> list[int]:
    """Give where the pages behind the first one begin."""
    return list(range(_PAGE, output_page(first)[1], _PAGE))[:_MOST_PAGES]


def _put_together(result: ToolResult, text: str) -> ToolResult:
    try:
        data = json.loads(text)
    except ValueError:
        return result  # a page is missing
    from attrs import evolve

    return evolve(result, data=data, metadata={**result.metadata, "truncated": False})
