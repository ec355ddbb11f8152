"""Work of a room: runs prompts in order, steers turns, runs slash commands and cancels them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, field

import inarch
from inarch_web import current_room
from inarch_web.server.page_commands import own_command

if TYPE_CHECKING:
    from inarch_web.server.room import Room

MOST_QUEUED = 50
As = Literal["turn", "steer", "queued", "command"]
Around = Callable[[], AbstractContextManager[object]]


@define(eq=False, repr=False)
class Working:
    """Runner of a room's prompts and slash commands."""

    room: Room
    _queued: deque[str] = field(init=False, factory=deque)
    _spoken: deque[tuple[str, Around]] = field(init=False, factory=deque)
    _is_steered: bool = field(init=False, default=False)
    _task: asyncio.Task[None] | None = field(init=False, default=None)
    _command: asyncio.Task[None] | None = field(init=False, default=None)
    _asides: set[asyncio.Task[Any]] = field(init=False, factory=set)

    @property
    def is_running(self) -> bool:
        """Whether a turn runs."""
        return self._task is not None

    @property
    def waiting(self) -> list[str]:
        """Waiting prompts: first those for the next request of the turn, then the queued ones."""
        return [*(one.text for one in self._inputs), *self._queued]

    async def say(self, text: str) -> As:
        """Run what a person typed: now, or after the turn that runs."""
        if not text.strip():
            raise inarch.UsageError("the prompt is empty", "say what you want")
        session = await self.room.session()
        if inarch.split_slash_command(text) is not None:
            return self._slash(text)
        if len(self.waiting) >= MOST_QUEUED:
            raise inarch.UsageError(f"{MOST_QUEUED} prompts wait already", "wait for the turn, or cancel it")
        if self._is_steered and not self._queued:
            session.say(text)
            return "steer"
        self._queued.append(text)
        is_next = self._task is None
        self._go_on()
        self.room.tell_state()
        return "turn" if is_next else "queued"

    def say_within(self, text: str, around: Around) -> None:
        """Run a spoken prompt within `around()` after the current turn, before queued prompts."""
        self._spoken.append((text, around))
        self._go_on()

    def unqueue(self, place: int) -> str:
        """Remove a waiting prompt and return it."""
        inputs = self._inputs
        after = place - len(inputs)
        text = ""
        if self.room.session_there is not None and 0 <= place < len(inputs):
            taken = self.room.session_there.unsay(inputs[place].id)
            text = taken.text if taken is not None else ""
        elif 0 <= after < len(self._queued):
            text = self._queued[after]
            del self._queued[after]
        if not text:
            raise inarch.UsageError("this prompt does not wait any more", "it runs, or was taken back")
        self.room.tell_state()
        return text

    def wake(self) -> None:
        """Start a turn for a plugin's input if none runs."""
        self._go_on()

    async def cancel(self) -> list[str]:
        """Cancel the turn and the command that run. Remove the waiting prompts and return them."""
        unsaid, task = [self.unqueue(0) for _ in self.waiting], self._task
        self._spoken.clear()
        for running in (task, self._command):
            if running is not None:
                running.cancel()
                await asyncio.wait([running])
        self.room.tell_state()
        return unsaid

    def soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Run work beside the turn and report its failure to the pages."""
        task = asyncio.create_task(self._guarded(work))
        self._asides.add(task)
        task.add_done_callback(self._asides.discard)

    def _go_on(self) -> None:
        if self._task is None and self._has_more:
            self._task = asyncio.create_task(self._run_queued())

    @property
    def _has_more(self) -> bool:
        return bool(self._spoken or self._queued or self._waiting)

    @property
    def _inputs(self) -> list[inarch.Input]:
        return [one for one in self._waiting if not one.by]

    @property
    def _waiting(self) -> tuple[inarch.Input, ...]:
        return self.room.session_there.waiting if self.room.session_there is not None else ()

    async def _run_queued(self) -> None:
        try:
            while self._has_more:
                if self._spoken:
                    text, around = self._spoken.popleft()
                    await self._guarded(self._turn(text, around))
                else:  # an empty prompt makes a turn of input that no request took
                    text = "" if self._waiting else self._queued.popleft()
                    await self._guarded(self._turn(text, nullcontext, is_steered=True))
        finally:
            self._task = None
            self.room.tell_state()

    async def _turn(self, text: str, around: Around, is_steered: bool = False) -> None:
        session = await self.room.session()
        self._is_steered = is_steered
        self.room.sent = self.room.selection  # it leaves the box, and its tools have it until the turn ends
        try:
            given = text if isinstance(text, inarch.Submitted) else inarch.Submitted(text)
            if self.room.selection and given.mode == "text":
                given = inarch.Submitted(text, given.model, "selection")
            with current_room.here(self.room), around():
                await session.run(given)
        finally:
            self._is_steered = False
            if self.room.selection is self.room.sent:
                self.room.selection = None
            self.room.sent = None
        await asyncio.sleep(0)  # pages get the last events before the state without a turn

    def _slash(self, line: str) -> As:
        name, _ = inarch.split_slash_command(line) or ("", "")
        bound = self.room.app.composition.slash_commands.get(name)
        if bound is not None and not bound.value.at_once and (self._task is not None or self._command is not None):
            raise inarch.UsageError(f"a turn is running, and /{name} can't run beside it", "wait for it, or cancel it")
        if self._command is not None:
            raise inarch.UsageError("another command is running", "wait for its end")
        self._command = asyncio.create_task(self._guarded(self._run_command(line)))
        return "command"

    async def _run_command(self, line: str) -> None:
        room, loop = self.room, asyncio.get_running_loop()

        def show(text: str) -> None:
            loop.call_soon_threadsafe(room.send, {"shown": {"text": text, "line": line}})

        name, words = inarch.split_slash_command(line) or ("", "")
        try:
            with current_room.here(room):
                prompts: Sequence[str] = ()
                if (own := own_command(room.app, name)) is not None:
                    show(await asyncio.to_thread(own, room, await room.session(), words))
                else:
                    prompts = await room.app.command(await room.session(), line, show)
        finally:
            self._command = None
        self._queued += prompts
        self._go_on()
        room.tell_state()

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except inarch.InarchError as error:
            self.room.send({"failed": {"text": error.message, "remedy": error.remedy}})
