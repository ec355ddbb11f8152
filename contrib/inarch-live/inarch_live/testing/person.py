"""Somebody who talks with a service and runs the calls that come."""

from __future__ import annotations

from itertools import count
from typing import Any

from attrs import define, field

from inarch_live.port import (
    CallsCancelled,
    CallsRequested,
    LiveCall,
    LiveConnection,
    LiveEvent,
    LiveResult,
    ResultStatus,
)


@define(eq=False)
class Person:
    """Speaks, types, runs calls, and keeps what came.

    Args:
        connection: Over which they talk.
    """

    connection: LiveConnection
    sent: list[tuple[str, Any]] = field(init=False, factory=list)
    events: list[LiveEvent] = field(init=False, factory=list)
    waiting: dict[str, LiveCall] = field(init=False, factory=dict)
    told: list[Any] = field(init=False, factory=list)
    """What each call was on, in the order in which they came."""
    numbers: count[int] = field(init=False, factory=count)

    async def listen(self) -> None:
        """Read what comes, to the end."""
        async for event in self.connection:
            self.events.append(event)
            if isinstance(event, CallsRequested):
                for call in event.calls:
                    self.told.append(call.arguments.get("on"))
                    self.waiting[call.id] = call
            if isinstance(event, CallsCancelled):
                await self.answer("cancelled", *event.ids)

    async def answer(self, status: ResultStatus, *ids: str) -> None:
        """Answer some calls, or all that wait."""
        calls = [self.waiting.pop(call_id) for call_id in ids or tuple(self.waiting) if call_id in self.waiting]
        if calls:
            await self.connection.send_results([LiveResult(call.id, call.name, status, status) for call in calls])

    async def say(self, pcm: bytes) -> None:
        """Send a piece of audio."""
        self.sent.append(("audio", pcm))
        await self.connection.send_audio(pcm)

    async def type(self, word: str) -> None:
        """Send a word with a number that no other text has."""
        text = f"{word} {next(self.numbers)}"
        self.sent.append(("text", text))
        await self.connection.send_text(text)
