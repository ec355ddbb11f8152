"""Queue of typed lines, and messages that go into the running turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from inarch import InarchError
from inarch.commands import say

if TYPE_CHECKING:
    from inarch import Session


@frozen
class Line:
    """A line as shown and with its pastes; `around` is the context of its turn if it was not typed."""

    shown: str
    whole: str
    around: Callable[[], AbstractContextManager[object]] | None = None


@define(eq=False, repr=False)
class Work:
    """Runs one line after another; after a cancel the rest waits until the user sends it."""

    do: Callable[[Line], Coroutine[Any, Any, None]]
    changed: Callable[[], object]
    waiting: list[Line] = field(init=False, factory=list)
    is_held: bool = field(init=False, default=False)
    was_interrupted: bool = field(init=False, default=False)
    _now: list[Line] = field(init=False, factory=list)
    _task: asyncio.Task[None] | None = field(init=False, default=None)
    _something: asyncio.Event = field(init=False, factory=asyncio.Event)

    @property
    def is_running(self) -> bool:
        """Return whether a line is running."""
        return self._task is not None and not self._task.done()

    def add(self, line: Line) -> None:
        """Queue a line; if the queue is held back, run this line now."""
        (self._now if self.is_held and not self.is_running else self.waiting).append(line)
        self._go()

    def add_first(self, line: Line) -> None:
        """Queue a line before the others, and run it even if these are held back."""
        self._now.append(line)
        self._go()

    def put_first(self, lines: Sequence[Line]) -> None:
        """Put lines at the front of the queue."""
        self.waiting[:0] = lines
        self._go()

    def go_on(self) -> None:
        """Run the lines that were held back."""
        self.is_held = False
        self._go()

    def take_back(self) -> Line | None:
        """Remove the last line and return it."""
        line = self.waiting.pop() if self.waiting else None
        self.is_held = self.is_held and bool(self.waiting)
        self.changed()
        return line

    def cancel(self, *, holds: bool = True) -> bool:
        """Cancel the running line, and hold back the rest if `holds`; return whether a line was running."""
        if self._task is None or self._task.done():
            return False
        self.is_held = bool(self.waiting) and (holds or self.is_held)
        self._task.cancel()
        return True

    async def run(self) -> None:
        """Run lines until cancelled."""
        while True:
            await self._something.wait()
            if self._now:
                await self._done(self._now.pop(0))
            elif self.waiting and not self.is_held:
                await self._done(self.waiting.pop(0))
            else:
                self._something.clear()

    async def _done(self, line: Line) -> None:
        self.was_interrupted = False
        self._task = asyncio.get_running_loop().create_task(self.do(line))
        self.changed()
        try:
            await asyncio.wait([self._task])
        except asyncio.CancelledError:  # the conversation ends; let the running line end cleanly first
            self._task.cancel()
            await asyncio.wait([self._task])
            raise
        finally:
            self.changed()
        if not self._task.cancelled() and (error := self._task.exception()) is not None:
            raise error

    def _go(self) -> None:
        self._something.set()
        self.changed()


ON = Line("", "")
"""The line that starts a turn for waiting messages."""


@define(eq=False, repr=False)
class Steering:
    """The messages that wait in a session, with the lines in which they were typed."""

    session: Callable[[], Session | None]
    changed: Callable[[], object]
    in_turn: bool = field(init=False, default=False)
    _lines: dict[str, Line] = field(init=False, factory=dict)

    @property
    def _all(self) -> Sequence[Any]:
        session = self.session()
        return session.waiting if session is not None else ()

    @property
    def waiting(self) -> Sequence[tuple[str, Line]]:
        """Return the user's messages with their ids, oldest first."""
        return [(one.id, self._lines.get(one.id) or Line(one.text, one.text)) for one in self._all if not one.by]

    @property
    def has_more(self) -> bool:
        """Return whether any message waits, also of plugins."""
        return bool(self._all)

    def add(self, line: Line) -> bool:
        """Add a line as a message for the next request; return whether that worked, or the reason was printed."""
        session = self.session()
        if session is None or not self.in_turn:
            return False
        try:
            self._lines[session.say(line.whole).id] = line
        except InarchError as error:
            say("error", str(error))
        self.changed()
        return True

    def take_back(self) -> Line | None:
        """Remove the newest line and return it; None if none waits."""
        return next((line for said, line in reversed(self.waiting) if self._taken(said)), None)

    def after(self) -> Sequence[Line]:
        """Remove every line, to be a prompt of its own after the turn."""
        return [line for said, line in self.waiting if self._taken(said)]

    def words(self) -> str:
        """Return all waiting messages as one prompt."""
        return "\n\n".join(self._lines[one.id].shown if one.id in self._lines else one.wording for one in self._all)

    def _taken(self, input_id: str) -> bool:
        session = self.session()
        try:
            found = session.unsay(input_id) if session is not None else None
        except InarchError as error:
            say("error", str(error))
            return False
        self._lines.pop(input_id, None)
        self.changed()
        return found is not None
