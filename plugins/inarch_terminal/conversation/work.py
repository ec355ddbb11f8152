"""What was typed and is to be done: one thing at a time, the rest waits in line and can be taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager
from typing import Any

from attrs import define, field, frozen


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
