"""What was typed and is to be done: in its turn, within the turn that runs, or taken back."""

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
    """A line as it stood in the input, and with its pastes; where it was not typed, what its turn runs within."""

    shown: str
    whole: str
    around: Callable[[], AbstractContextManager[object]] | None = None


@define(eq=False, repr=False)
class Work:
    """Does line after line; a cancelled one holds the rest back until the person sends it on.

    Args:
        do: Does one line to its end.
        changed: Told when something begins, ends, or waits.
    """

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
        """Whether something is being done."""
        return self._task is not None and not self._task.done()

    def add(self, line: Line) -> None:
        """Do a line when everything before it is done; while the rest is held back, do it now."""
        (self._now if self.is_held and not self.is_running else self.waiting).append(line)
        self._go()

    def add_first(self, line: Line) -> None:
        """Do a line before those that wait, also while these are held back."""
        self._now.append(line)
        self._go()

    def put_first(self, lines: Sequence[Line]) -> None:
        """Have lines wait before those that do."""
        self.waiting[:0] = lines
        self._go()

    def go_on(self) -> None:
        """Send on what was held back."""
        self.is_held = False
        self._go()

    def take_back(self) -> Line | None:
        """Return the line that came last and take it out."""
        line = self.waiting.pop() if self.waiting else None
        self.is_held = self.is_held and bool(self.waiting)
        self.changed()
        return line

    def cancel(self, *, holds: bool = True) -> bool:
        """Cancel what is being done, and hold back the rest if wanted; return whether there was something."""
        if self._task is None or self._task.done():
            return False
        self.is_held = bool(self.waiting) and (holds or self.is_held)
        self._task.cancel()
        return True

    async def run(self) -> None:
        """Do lines until cancelled."""
        while True:
            await self._something.wait()
            line = self._next()
            if line is None:
                self._something.clear()
                continue
            await self._done(line)

    def _next(self) -> Line | None:
        if self._now:
            return self._now.pop(0)
        return self.waiting.pop(0) if self.waiting and not self.is_held else None

    async def _done(self, line: Line) -> None:
        self.was_interrupted = False
        self._task = asyncio.get_running_loop().create_task(self.do(line))
        self.changed()
        try:
            await asyncio.wait([self._task])
        except asyncio.CancelledError:  # the conversation is over: what runs ends first, in good order
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
"""Makes a prompt of what was said and still waits."""


@define(eq=False, repr=False)
class Steering:
    """The words that wait in a session, with the lines in which they were typed.

    Args:
        session: Returns the session that is talked to, if it is there already.
        changed: Told when something waits, or does no more.
    """

    session: Callable[[], Session | None]
    changed: Callable[[], object]
    in_turn: bool = field(init=False, default=False)
    _lines: dict[str, Line] = field(init=False, factory=dict)

    @property
    def waiting(self) -> Sequence[tuple[str, Line]]:
        """What the person said, by its id, oldest first."""
        session = self.session()
        waiting = session.waiting if session is not None else ()
        return [(one.id, self._lines.get(one.id) or Line(one.text, one.text)) for one in waiting if not one.by]

    @property
    def has_more(self) -> bool:
        """Whether anything waits, what plugins said included."""
        session = self.session()
        return session is not None and bool(session.waiting)

    def add(self, line: Line) -> bool:
        """Have a line go in before the next request; whether that could be, or why not was told."""
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
        """Take out the line that came last, and return it; None where none waits."""
        return next((line for said, line in reversed(self.waiting) if self._taken(said)), None)

    def after(self) -> Sequence[Line]:
        """Take out every line, to be a prompt of its own when the turn has ended."""
        return [line for said, line in self.waiting if self._taken(said)]

    def words(self) -> str:
        """Return all that waits, as it will be asked."""
        session = self.session()
        waiting = session.waiting if session is not None else ()
        return "\n\n".join(self._lines[one.id].shown if one.id in self._lines else one.wording for one in waiting)

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
