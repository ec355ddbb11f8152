"""What comes over a connection, in the order in which a turn takes it: words, calls, ends."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import suppress

from attrs import define, field, frozen

import inarch
from inarch_live.floor import Batch


@frozen
class Words:
    """More of what the model says."""

    text: str


@frozen
class Sounding:
    """The model's voice goes on for so long."""

    seconds: float


@frozen
class Used:
    """Tokens that were taken."""

    usage: inarch.Usage


@frozen
class Ended:
    """The model's answer is over."""

    is_interrupted: bool = False
    reason: str = ""
    error: inarch.ProviderError | None = None


@frozen
class Failed:
    """The connection is over."""

    error: inarch.ProviderError


Piece = Words | Sounding | Used | Ended | Failed | Batch


@define(eq=False, repr=False)
class Pieces:
    """The pieces that no turn has taken yet, and the tokens that no reply has told."""

    untold: inarch.Usage | None = field(init=False, default=None)
    _queue: deque[Piece] = field(init=False, factory=deque)
    _more: asyncio.Event = field(init=False, factory=asyncio.Event)

    def put(self, piece: Piece) -> None:
        """Add a piece; a voice that goes on while nobody takes it is still one."""
        last = self._queue[-1] if self._queue else None
        if isinstance(piece, Sounding) and isinstance(last, Sounding):
            self._queue[-1] = Sounding(last.seconds + piece.seconds)
        else:
            self._queue.append(piece)
        self._more.set()

    async def next(self, patience: float | None = None) -> Piece | None:
        """Return the next piece; None where none comes within a patience."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while not self._queue:
                    self._more.clear()
                    await self._more.wait()
                return self._queue.popleft()
        return None

    def clear(self) -> None:
        """Forget what no turn wants any more; tokens were taken all the same."""
        for piece in self._queue:
            if isinstance(piece, Used):
                self.count(piece.usage)
        self._queue.clear()

    def end(self) -> bool:
        """Take what belongs to the end of a reply, its tokens among it; return whether they became more."""
        before = self.untold
        while self._queue and isinstance(self._queue[0], (Used, Ended, Sounding)):
            piece = self._queue.popleft()
            if isinstance(piece, Used):
                self.count(piece.usage)
        return self.untold is not before

    def count(self, usage: inarch.Usage) -> inarch.Usage:
        """Add tokens to those that no reply has told, and return all of them."""
        self.untold = usage if self.untold is None else self.untold.plus(usage)
        return self.untold

    def __iter__(self) -> Iterator[Piece]:
        """Return the pieces as they are now."""
        return iter(tuple(self._queue))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._queue)
