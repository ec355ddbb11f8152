"""The front end of a spoken session: the terminal's own, and the conversation hears what turns do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

import inarch
from inarch.commands import ANSWERED, FAILED, LIMITED, NOT_DONE
from inarch_live.port import LiveResult
from inarch_live.service_messages import live_result
from inarch_live.voice import Voice

_CODES = {"failed": FAILED, "limited": LIMITED}


@define(eq=False, repr=False)
class TurnWatch:
    """Tells a voice of the turns and calls of its session.

    Args:
        voice: What is told.
    """

    voice: Voice
    _ids: dict[str, tuple[str, str]] = field(init=False, factory=dict)
    _known: dict[str, LiveResult] = field(init=False, factory=dict)

    def saw(self, event: inarch.Event) -> None:
        """Take note of an event when it happens: the next request is made after that."""
        if event.kind in ("turn.started", "turn.ended", "call.state", "call.result"):
            self._saw(event.kind, event.data)

    def _saw(self, kind: str, data: Mapping[str, Any]) -> None:
        if kind == "call.state":
            if call := data.get("call"):
                self._ids[data["call_id"]] = (call.get("provider_id") or "", call["name"])
        elif kind == "call.result":
            id, name = self._ids.get(data["call_id"], ("", ""))
            if id:
                self._known[id] = live_result(id, name, _result(data["result"]))
        elif data["turn"]["type"] == "agent":
            if kind == "turn.started":
                self.voice.turn_began()
            else:
                self._ended(data["turn"])

    def _ended(self, turn: Mapping[str, Any]) -> None:
        status = turn["status"]
        self.voice.ended(NOT_DONE if turn.get("unmet") and status == "done" else _CODES.get(status, ANSWERED))
        known, self._known = self._known, {}
        self._ids.clear()
        self.voice.conversation.turn_ended(status, known)
        if self.voice.tape.is_on:  # after this event is kept
            asyncio.get_running_loop().call_soon(lambda: self.voice.tape.keep(self.voice.record))


@define(eq=False, repr=False)
class Watched:
    """Passes events and questions on to another front end.

    Args:
        inner: What shows and asks.
        voice: What is told of turns and calls.
    """

    inner: inarch.FrontEnd
    voice: Voice
    name: str = "live"
    _watch: TurnWatch = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._watch = TurnWatch(self.voice)

    def show(self, event: inarch.Event) -> None:
        """Show an event."""
        self._watch.saw(event)
        self.inner.show(event)

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Ask about a batch of calls; only what the person does at the keyboard answers."""
        return await self.inner.approve(batch)

    def close(self) -> None:
        """Finish the display."""
        self.inner.close()


def _result(data: Mapping[str, Any]) -> inarch.ToolResult:
    error = data.get("error")
    return inarch.ToolResult(
        bool(data.get("success")),
        data.get("data"),
        inarch.ToolError(error["code"], error["message"], error.get("remedy", "")) if error else None,
        data.get("metadata") or {},
    )
