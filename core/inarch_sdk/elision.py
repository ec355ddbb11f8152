"""What stands in the place of a tool's result that is left out, wholly or but for head and tail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inarch.contract.records import ToolError, ToolResult
from inarch_sdk.result_text import ADDED, CHANGED_BY_USER, REWRITTEN
from inarch_sdk.shortening import measured, shortened

_STUB = 600
"""Results shorter than about this gain nothing by a stub."""
_MEMBERS = 400
"""Characters beyond twice what was asked for, above which the shape of a result is given up."""
_LEFT_OUT = "result left out"


def result_size(result: ToolResult) -> int:
    """Return about how many characters a model reads of a result."""
    error = result.error
    said = len(error.message) + len(error.remedy) if error is not None else 0
    if changed := result.metadata.get(CHANGED_BY_USER):
        said += measured(changed)
    said += sum(measured(result.metadata[key]) for key in (ADDED, REWRITTEN) if key in result.metadata)
    return said + (measured(result.data) if result.data is not None else 0)


def result_stub(result: ToolResult, ref: str) -> ToolResult:
    """Return a line in a result's place that says how to read it back; whether it was a success stays.

    A result that is hardly longer than such a line is returned as it is.

    Args:
        result: The result.
        ref: What `read_output` takes for it; empty where it was not kept.
    """
    size = result_size(result)
    if size <= _STUB:
        return result
    tokens = size // 4
    how = f'the whole is output_ref "{ref}"' if ref else "it can't be read back here"
    error = result.error
    if error is not None:
        error = ToolError(error.code, error.message[: _STUB // 4], error.remedy[: _STUB // 4])
    return ToolResult(
        result.success, f"[{_LEFT_OUT}: about {tokens} tokens; {how}]", error, _metadata(result.metadata, ref)
    )


def result_excerpt(result: ToolResult, ref: str, most: int) -> ToolResult:
    """Return a result with head and tail of its data.

    Args:
        result: The result.
        ref: What `read_output` takes for it; empty where it was not kept.
        most: About how many characters stay.
    """
    error = result.error
    if error is not None:
        error = ToolError(error.code, error.message[:most], error.remedy[:most])
    data = shortened(result.data, ref, most)
    if data is not None and result_size(ToolResult(True, data)) > 2 * most + _MEMBERS:
        data = shortened(str(data), ref, most)  # many small members: no shape can be kept
    return ToolResult(result.success, data, error, _metadata(result.metadata, ref))


def _metadata(metadata: Mapping[str, Any], ref: str) -> dict[str, Any]:
    kept = {**metadata, "truncated": True, **({"output_ref": ref} if ref else {})}
    if changed := kept.get(CHANGED_BY_USER):  # what was changed is as long as a file may be; that it was stays
        kept[CHANGED_BY_USER] = dict.fromkeys(changed, "(left out)")
    if rewritten := kept.get(REWRITTEN):
        kept[REWRITTEN] = {**rewritten, "arguments": dict.fromkeys(rewritten["arguments"], "(left out)")}
    if added := kept.get(ADDED):
        kept[ADDED] = [{**one, "text": "(left out)"} for one in added]
    return kept
