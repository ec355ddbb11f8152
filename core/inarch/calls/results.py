"""Conversion of a tool's return value or error into a `ToolResult` of plain JSON data."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from attrs import evolve

from inarch.calls.attempt import Outcome
from inarch.contract.codec import to_data
from inarch.contract.errors import Cancelled, ErrorCode, InarchError, StoreError, ToolFailed
from inarch.contract.records import Image, ToolError, ToolResult
from inarch_lib.schemas.validation import BrokenSchema, Schema
from inarch_sdk.bounds import fault_of
from inarch_sdk.short_data import measured, shortened

if TYPE_CHECKING:
    from inarch.journal.journal import Journal
    from inarch.journal.redactor import Redactor


LONGEST_RESULT = 60_000
"""Characters above which a result is stored as a blob and shown with head and tail only."""
_CODES = frozenset(get_args(ErrorCode))


def failed(code: ErrorCode, message: str, remedy: str = "") -> ToolResult:
    """Return the result of a call that failed."""
    return ToolResult(False, error=ToolError(code, message, remedy))


def broke_contract(plugin: str, tool: str, what: str) -> ToolResult:
    """Return the result of a call whose tool broke the contract."""
    return failed("execution", f"tool {tool!r} of plugin {plugin!r} {what}", "report it to the plugin's author")


def from_outcome(outcome: Outcome, plugin: str, tool: str, schema: Schema | None) -> ToolResult:
    """Return the result for an outcome; data that is not JSON or violates the schema is an error."""
    if outcome.error is not None:
        return from_error(outcome.error, plugin, tool)
    try:
        result = _plain(outcome.value)
        fault = fault_of([result.data, result.metadata])
    except (TypeError, ValueError, RecursionError) as error:
        fault = str(error)
    if fault:
        return broke_contract(plugin, tool, f"returned something that is not JSON data: {fault}")
    if schema is None or not result.success:
        return result
    try:
        faults = schema.faults(result.data)
    except BrokenSchema as error:
        return broke_contract(plugin, tool, f"has a broken output schema: {error}")
    if faults:
        return broke_contract(plugin, tool, f"returned data against its output schema: {'; '.join(faults)}")
    return result


def from_error(error: BaseException, plugin: str, tool: str) -> ToolResult:
    """Return the result of a call that raised."""
    if isinstance(error, ToolFailed):
        code: ErrorCode = error.code if error.code in _CODES else "execution"
        return failed(code, error.message, error.remedy)
    if isinstance(error, (Cancelled, asyncio.CancelledError)):
        return broke_contract(plugin, tool, "gave up as if it had been cancelled")
    if isinstance(error, InarchError):
        return failed("execution", error.message, error.remedy)
    return broke_contract(plugin, tool, f"tried to end the process: {type(error).__name__}: {error}")


def _plain(value: Any) -> ToolResult:
    if not isinstance(value, ToolResult):
        return ToolResult(True, to_data(value))
    metadata = to_data(value.metadata)
    if not isinstance(value.success, bool) or not isinstance(metadata, dict):
        raise TypeError("a ToolResult with a wrong success or metadata")
    error = value.error
    if value.success:
        # A success has no error, and a failure has one of Inarch's, whatever the tool set.
        error = None
    elif not isinstance(error, ToolError) or error.code not in _CODES:
        error = ToolError("execution", str(error) if error else "it failed without saying why")
    if not all(isinstance(image, Image) and isinstance(image.data, bytes) for image in value.images):
        raise TypeError("pictures that are not an inarch.Image of bytes")
    return ToolResult(value.success, to_data(value.data), error, metadata, tuple(value.images))


def hide_secrets(result: ToolResult, redactor: Redactor) -> ToolResult:
    """Return the result with placeholders for secrets; the same object if it has none."""
    whole = {"data": result.data, "metadata": result.metadata}
    error = result.error
    if error is not None:
        clean = ToolError(error.code, redactor.text(error.message), redactor.text(error.remedy))
        error = error if clean == error else clean
    hidden = redactor.redact(whole)
    if hidden is whole and error is result.error:
        return result
    return evolve(result, data=hidden["data"], error=error, metadata=hidden["metadata"])


def within_limit(result: ToolResult, journal: Journal, limit: int | None = LONGEST_RESULT) -> ToolResult:
    """Return the result with head and tail of its data if it is long; the whole is stored as a blob.

    `metadata` then has `truncated` and the blob's `output_ref`.
    """
    data = result.data
    if limit is None or data is None or isinstance(data, (bool, int, float)):
        return result
    if measured(data) <= limit:
        return result
    metadata = {**result.metadata, "truncated": True}
    try:
        ref = journal.store.put_blob(journal.session_id, _whole_text(data).encode("utf-8", "surrogatepass"))
        metadata["output_ref"] = ref
    except StoreError:
        ref = ""  # the head and the tail are still useful
    return evolve(result, data=shortened(data, ref, limit * 2 // 3), metadata=metadata)


def _whole_text(data: Any) -> str:
    """Return the text to store of a long result: its one long string if there is one, else its JSON."""
    if isinstance(data, str):
        return data
    if isinstance(data, Mapping):
        strings = [value for value in data.values() if isinstance(value, str)]
        longest = max(strings, key=len, default="")
        if len(longest) * 10 >= measured(data) * 8:
            return longest
    return json.dumps(data, ensure_ascii=False, indent=1)
