"""A session: a conversation that is recorded, one turn after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from attrs import define, field

from inarch.contract.errors import UsageError
from inarch.contract.events import ContextDropped, Event
from inarch.contract.records import Turn
from inarch.turns import Conversation, run_turn

if TYPE_CHECKING:
    from inarch.turns.context.viewing import ContextView


@define(eq=False, repr=False)
class Session:
    """Runs turns. Only one runs at a time; a second prompt waits for the first to end."""

    conversation: Conversation
    _lock: asyncio.Lock = field(factory=asyncio.Lock, init=False)

    @property
    def id(self) -> str:
        """The session's id."""
        return self.conversation.session_id

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The agent's turns so far, oldest first."""
        return tuple(self.conversation.turns)

    async def run(self, prompt: str) -> Turn:
        """Run a turn to its end and return it.

        Raises:
            UsageError: The prompt is empty.
            ConfigError: The profile's model isn't there.
            StoreError: The journal is required and could not be kept.
            asyncio.CancelledError: The task was cancelled; the turn is recorded as cancelled.
        """
        if not prompt.strip():
            raise UsageError("the prompt is empty", 'say what you want, as in inarch "summarize this codebase"')
        async with self._lock:
            return await run_turn(self.conversation, prompt)

    def context(self) -> ContextView:
        """Return what the model would see now, and where its tokens go.

        Raises:
            ConfigError: The profile's model isn't there.
        """
        from inarch.turns.context.viewing import view_context

        return view_context(self.conversation)

    def compact(self, keep: int = 1) -> ContextDropped:
        """Leave out of what the model sees all but prompt and answer of the turns before the last `keep`.

        It is recorded; the whole stays in the session and can be read back there.

        Raises:
            UsageError: A turn is running.
            StoreError: The journal is required and could not be kept.
        """
        from inarch.turns.context.fitting import compact
        from inarch.turns.context.said import by_turns

        if self._lock.locked():
            raise UsageError("a turn is running", "compact when it has ended")
        talk = self.conversation
        dropped = compact(talk, by_turns(talk.history, keep, len(talk.history)), "asked")
        if dropped:
            talk.journal.flush()
        return dropped

    async def stream(self, prompt: str) -> AsyncIterator[Event]:
        """Run a turn and yield its events while they happen; leaving the loop early cancels the turn.

        Raises:
            UsageError, ConfigError, StoreError: As `run`.
        """
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        listeners = self.conversation.journal.listeners

        def pass_on(event: Event) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, event)

        listeners.append(pass_on)
        task = asyncio.create_task(self.run(prompt))
        task.add_done_callback(lambda _: loop.call_soon(queue.put_nowait, None))
        try:
            while (event := await queue.get()) is not None:
                yield event
            await task
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
            listeners.remove(pass_on)
