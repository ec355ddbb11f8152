"""One tool call in a session, outside of its turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from inarch.contract.events import Event
from inarch.contract.records import CallOrigin, CallPart, ToolResult
from inarch.turns.session_state import SessionState

_OUTSIDE_TURNS = ""


async def call_tool(
    state: SessionState,
    name: str,
    arguments: Mapping[str, Any],
    show: Callable[[str], object] | None,
    origin: CallOrigin = "user",
) -> ToolResult:
    """Run a call to its end and put it on disk.

    Raises:
        StoreError: The journal is required and could not be kept.
        asyncio.CancelledError: The caller was cancelled; the call has ended and is in the journal.
    """
    call_id = state.journal.clock.new_id()

    def saw(event: Event) -> None:
        is_its = event.kind == "call.output" and event.data["call_id"] == call_id
        if show is not None and is_its and event.data["text"]:  # what may begin a secret comes later, and is empty now
            show(event.data["text"])

    state.journal.listeners.append(saw)
    try:
        part = CallPart(call_id, "", name, dict(arguments))
        (call,) = await state.scheduler.run(_OUTSIDE_TURNS, [part], origin)
    finally:
        state.journal.listeners.remove(saw)
        state.journal.flush()
    if call.result is None:
        raise AssertionError("a finished call has a result")
    return call.result
