"""What stands in the place of a tool's result that is left out, wholly or but for head and tail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inarch.calls.outputs import measured, shortened
from inarch.contract.records import ToolError, ToolResult
from inarch_sdk.result_text import CHANGED_BY_USER

STUB_CHARACTERS = 600
"""Results shorter than about this gain nothing by a stub."""
LEAST_EXCERPT = 400
"""Characters of a newest result that stay, whatever else has to give."""
LEFT_OUT = "result left out"


def characters(result: ToolResult) -> int:
    """Return about how many characters a model reads of a result."""
    error = result.error
    said = len(error.message) + len(error.remedy) if error is not None else 0
    if changed := result.metadata.get(CHANGED_BY_USER):
        said += measured(changed)
    return said + (measured(result.data) if result.data is not None else 0)


def stub(result: ToolResult, ref: str) -> ToolResult:
    """Return a line in a result's place that says how to read it back; whether it was a success stays."""
    tokens = characters(result) // 4
    how = f'the whole is output_ref "{ref}"' if ref else "it can't be read back here"
    error = result.error
    if error is not None:
        error = ToolError(error.code, error.message[: STUB_CHARACTERS // 4], error.remedy[: STUB_CHARACTERS // 4])
    return ToolResult(
        result.success, f"[{LEFT_OUT}: about {tokens} tokens; {how}]", error, _metadata(result.metadata, ref)
    )


def excerpt(result: ToolResult, ref: str, most: int) -> ToolResult:
    """Return a result with head and tail of its data."""
    error = result.error
    if error is not None:
        error = ToolError(error.code, error.message[:most], error.remedy[:most])
    data = shortened(result.data, ref, most)
    if data is not None and characters(ToolResult(True, data)) > 2 * most + LEAST_EXCERPT:
        data = shortened(str(data), ref, most)  # many small members: no shape can be kept
    return ToolResult(result.success, data, error, _metadata(result.metadata, ref))


def cut_text(text: str, most: int) -> str:
    """Return head and tail of a text that was added to a prompt, and how many characters are missing between them."""
    head, tail = text[: most * 3 // 4], text[len(text) - most // 4 :]
    left = len(text) - len(head) - len(tail)
    return f"{head}\n… {left} characters left out for lack of room; the tools that read files have them …\n{tail}"


def _metadata(metadata: Mapping[str, Any], ref: str) -> dict[str, Any]:
    kept = {**metadata, "truncated": True, **({"output_ref": ref} if ref else {})}
    if changed := kept.get(CHANGED_BY_USER):  # what was changed is as long as a file may be; that it was stays
        kept[CHANGED_BY_USER] = dict.fromkeys(changed, "(left out)")
    return kept
