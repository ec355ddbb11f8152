"""Pieces received over a connection, queued for turns: words, calls, ends."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from attrs import define, field, frozen

import inarch
from inarch_live.port import CallsRequested, LiveCall, LiveResult, ResultStatus, Scheduling

_STOPPED = "This call was stopped before it ended; its earlier changes remain, and can be undone."


@define(eq=False, repr=False)
class Batch:
    """All calls of one message of the service, answered in one message."""

    calls: tuple[LiveCall, ...]
    blocking: frozenset[str]
    refused: dict[str, LiveResult] = field(factory=dict)
    is_interrupted: bool = False
    is_claimed: bool = False

    @property
    def ids(self) -> frozenset[str]:
        """The ids of all its calls."""
        return frozenset(call.id for call in self.calls)

    @property
    def runnable(self) -> tuple[LiveCall, ...]:
        """The calls that are run."""
        return tuple(call for call in self.calls if call.id not in self.refused)

    @property
    def scheduling(self) -> Scheduling:
        """The effect of its results on the conversation."""
        return "silent" if self.is_interrupted else "when_idle"


@define(eq=False, repr=False)
class Floor:
    """Tracks the batches that wait for answers, so that each id is answered once."""

    blocks: Callable[[LiveCall], bool]
    _waiting: list[Batch] = field(init=False, factory=list)
    _known: set[str] = field(init=False, factory=set)

    @property
    def is_held(self) -> bool:
        """Whether the model's voice must stay silent."""
        return any(batch.blocking for batch in self._waiting)

    @property
    def waiting(self) -> tuple[Batch, ...]:
        """The batches that have no answer yet, oldest first."""
        return tuple(self._waiting)

    def take(self, requested: CallsRequested) -> Batch | None:
        """Return a batch of the requested calls, None if all their ids are known."""
        calls = {call.id: call for call in requested.calls if call.id not in self._known}
        if not calls:
            return None
        self._known |= calls.keys()
        refused = {call.id: _answer(call, "error", call.fault) for call in calls.values() if call.fault.strip()}
        blocking = frozenset(id for id, call in calls.items() if id not in refused and self.blocks(call))
        batch = Batch(tuple(calls.values()), blocking, refused)
        self._waiting.append(batch)
        return batch

    def with_id(self, ids: Iterable[str]) -> tuple[Batch, ...]:
        """Return the waiting batches that contain one of these ids."""
        wanted = frozenset(ids)
        return tuple(batch for batch in self._waiting if batch.ids & wanted)

    def interrupted(self) -> None:
        """Note that the person has spoken: the model does not comment on results of waiting batches."""
        for batch in self._waiting:
            batch.is_interrupted = True

    def answer(self, batch: Batch, known: Mapping[str, LiveResult]) -> Sequence[LiveResult]:
        """Return a result for each call of a batch, or nothing if it was answered before.

        Args:
            batch: The batch to answer.
            known: Results by id. A call without a result was stopped.
        """
        if batch not in self._waiting:
            return ()
        self._waiting.remove(batch)
        found = {**known, **batch.refused}
        return [found.get(call.id) or _answer(call, "cancelled", _STOPPED) for call in batch.calls]

    def lost(self) -> None:
        """Forget all batches, because a new connection begins."""
        self._waiting.clear()
        self._known.clear()


def _answer(call: LiveCall, status: ResultStatus, text: str) -> LiveResult:
    return LiveResult(call.id, call.name, status, text)


@frozen
class Words:
    """More of what the model says."""

    text: str


@frozen
class Sounding:
    """A duration by which the model's voice continues."""

    seconds: float


@frozen
class Used:
    """Tokens that were used."""

    usage: inarch.Usage


@frozen
class Ended:
    """The end of the model's answer, or of the connection."""

    is_interrupted: bool = False
    reason: str = ""
    error: inarch.ProviderError | None = None


Piece = Words | Sounding | Used | Ended | Batch


@define(eq=False, repr=False)
class Pieces:
    """The pieces that no turn has taken yet, and the tokens that no reply has reported."""

    untold: inarch.Usage | None = field(init=False, default=None)
    _queue: deque[Piece] = field(init=False, factory=deque)
    _more: asyncio.Event = field(init=False, factory=asyncio.Event)

    def put(self, piece: Piece) -> None:
        """Add a piece; consecutive pieces of voice are merged."""
        last = self._queue[-1] if self._queue else None
        if isinstance(piece, Sounding) and isinstance(last, Sounding):
            self._queue[-1] = Sounding(last.seconds + piece.seconds)
        else:
            self._queue.append(piece)
        self._more.set()

    async def next(self, patience: float | None = None) -> Piece | None:
        """Return the next piece, None if none arrives within `patience` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while not self._queue:
                    self._more.clear()
                    await self._more.wait()
                return self._queue.popleft()
        return None

    def clear(self) -> None:
        """Drop pieces that no turn needs any more, but count their tokens."""
        for piece in self._queue:
            if isinstance(piece, Used):
                self.count(piece.usage)
        self._queue.clear()

    def end(self) -> None:
        """Take the pieces at the end of a reply and count their tokens."""
        while self._queue and isinstance(self._queue[0], (Used, Ended, Sounding)):
            piece = self._queue.popleft()
            if isinstance(piece, Used):
                self.count(piece.usage)

    def count(self, usage: inarch.Usage) -> inarch.Usage:
        """Add tokens to the unreported ones, and return the sum."""
        self.untold = usage if self.untold is None else self.untold.plus(usage)
        return self.untold

    def __iter__(self) -> Iterator[Piece]:
        """Return an iterator over the present pieces."""
        return iter(tuple(self._queue))

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self._queue)
