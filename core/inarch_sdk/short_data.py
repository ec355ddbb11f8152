"""Shortening of data that is too long for a message: measured, cut to head and tail, or omitted."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from inarch.contract.guard import KERNEL
from inarch.contract.records import ToolError, ToolResult
from inarch_sdk.result_text import ADDED, CHANGED_BY_USER, REWRITTEN

STRUCTURE_TITLE = "# Project structure"
"""First line of the project's structure in a prompt: it is the first part to be dropped, and is then sent again."""


def shortened(data: Any, ref: str, room: int) -> Any:
    """Shorten `data` to about `room` characters: its shape stays, and long members keep head and tail.

    A shortened text says so in its middle, and lists lose items. Other values stay.
    """
    if isinstance(data, str):
        return _cut_text(data, ref, room)
    if isinstance(data, list):
        return _cut_list(data, ref, room)
    if isinstance(data, Mapping):
        return _cut_members(data, ref, room)
    return data


def measured(data: Any) -> int:
    """Return the approximate JSON size in characters, without escapes; much cheaper than encoding.

    Raises:
        ValueError: It contains a number that JSON cannot express.
    """
    cls = type(data)
    if cls is str:
        return len(data) + 2
    if cls is dict:
        return 2 + sum([len(name) + 4 + measured(value) for name, value in data.items()])
    if cls is list:
        return 2 + sum(map(measured, data)) + len(data)
    if cls is float and not isfinite(data):
        raise ValueError(f"{data} is not a JSON number")
    return len(str(data))


def _cut_text(text: str, ref: str, room: int) -> str:
    if len(text) <= room:
        return text
    head, tail = room * 3 // 4, room // 4
    left = len(text) - head - tail
    whole = f'the whole is output_ref "{ref}"' if ref else "the whole could not be stored"
    return f"{text[:head]}\n… {left} characters left out, {whole} …\n{text[len(text) - tail :]}"


def _cut_list(items: list[Any], ref: str, room: int) -> list[Any]:
    if measured(items) <= room:
        return items
    largest = max(room // 4, 1)
    head = _fitting(items, ref, room * 3 // 4, largest)
    tail = _fitting(items[len(head) :][::-1], ref, room // 4, largest)
    return head + tail[::-1]


def _fitting(items: list[Any], ref: str, room: int, largest: int) -> list[Any]:
    taken: list[Any] = []
    for item in items:
        small = shortened(item, ref, largest)
        room -= measured(small)
        if room < 0:
            break
        taken.append(small)
    return taken


def _cut_members(data: Mapping[str, Any], ref: str, room: int) -> dict[str, Any]:
    """Give each member a fair share: short members stay whole and leave their rest to long ones."""
    result = dict(data)
    sizes = {name: measured(value) for name, value in data.items()}
    left = len(sizes)
    for name in sorted(sizes, key=lambda name: sizes[name]):
        share = room // left
        if sizes[name] > share:
            result[name] = shortened(data[name], ref, share)
        room -= min(sizes[name], share)
        left -= 1
    return result


_PICTURE = 4_200
"""Characters that cost about as much as a picture."""
_STUB = 600
"""Results shorter than about this are not replaced by a stub."""
_MEMBERS = 400
"""Characters beyond twice the target above which the shape of a result is not preserved."""
_LEFT_OUT = "result left out"


def result_size(result: ToolResult) -> int:
    """Return the approximate number of characters that a model reads of a result, with its pictures."""
    error = result.error
    said = len(error.message) + len(error.remedy) if error is not None else 0
    if changed := result.metadata.get(CHANGED_BY_USER):
        said += measured(changed)
    said += sum(measured(result.metadata[key]) for key in (ADDED, REWRITTEN) if key in result.metadata)
    said += len(result.images) * _PICTURE
    return said + (measured(result.data) if result.data is not None else 0)


def result_stub(result: ToolResult, ref: str) -> ToolResult:
    """Return a line that replaces a result and says how to read it back; success or failure is preserved.

    Return a result unchanged if it is hardly longer than such a line.
    """
    size = result_size(result)
    if size <= _STUB:
        return result
    tokens = size // 4
    how = f'the whole is output_ref "{ref}"' if ref else "it cannot be read back here"
    error = result.error
    if error is not None:
        error = ToolError(error.code, error.message[: _STUB // 4], error.remedy[: _STUB // 4])
    return ToolResult(result.success, f"[{_LEFT_OUT}: about {tokens} tokens; {how}]", error, _metadata(result, ref))


def result_excerpt(result: ToolResult, ref: str, most: int) -> ToolResult:
    """Shorten a result's data to head and tail."""
    error = result.error
    if error is not None:
        error = ToolError(error.code, error.message[:most], error.remedy[:most])
    data = shortened(result.data, ref, most)
    if data is not None and result_size(ToolResult(True, data)) > 2 * most + _MEMBERS:
        data = shortened(str(data), ref, most)  # many small members: the shape cannot be preserved
    return ToolResult(result.success, data, error, _metadata(result, ref))


def _metadata(result: ToolResult, ref: str) -> dict[str, Any]:
    kept = {**result.metadata, "truncated": True, **({"output_ref": ref} if ref else {})}
    if changed := kept.get(CHANGED_BY_USER):  # these may be as long as a file
        kept[CHANGED_BY_USER] = dict.fromkeys(changed, "(left out)")
    if rewritten := kept.get(REWRITTEN):
        kept[REWRITTEN] = {**rewritten, "arguments": dict.fromkeys(rewritten["arguments"], "(left out)")}
    if added := kept.get(ADDED):
        kept[ADDED] = [{**one, "text": "(left out)"} for one in added]
    if result.images:
        kept[ADDED] = [*kept.get(ADDED, ()), {"by": KERNEL, "text": f"(pictures left out: {len(result.images)})"}]
    return kept
