"""Model replies for the kernel's loop, made of the pieces of a conversation."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping

from attrs import define, field

import inarch
from inarch_live.pieces import Batch, Ended, Floor, Pieces, Sounding, Used, Words
from inarch_live.port import LiveResult

TOKENS_A_SECOND = 25
"""Output tokens for a second of voice: the highest value among known services."""
UNWRITTEN = "(spoken; there is no transcript)"
_REFUSALS = ("safety", "content_filter", "prohibited", "blocklist")


@define(eq=False, repr=False)
class Replying:
    """Makes one reply."""

    request: inarch.ModelRequest
    pieces: Pieces
    floor: Floor
    answer: Callable[[Batch, Mapping[str, LiveResult]], Awaitable[object]]
    hush: Callable[[], object]
    waits: float
    """Seconds to wait after an empty end, which may belong to an earlier answer."""
    _said: bool = field(init=False, default=False)
    _sounded: float = field(init=False, default=0.0)
    _patience: float | None = field(init=False, default=None)

    async def deltas(self) -> AsyncIterator[inarch.Delta]:
        """Yield the reply.

        Raises:
            ProviderError: The connection ended.
        """
        end: list[inarch.Delta] | None = None
        while end is None:
            piece = await self.pieces.next(self._patience)
            if isinstance(piece, Ended) and piece.error is not None:
                raise piece.error
            if isinstance(piece, Batch):
                end = await self._asked(piece)
            elif piece is None or isinstance(piece, Ended):
                end = self._ended(piece)
            else:
                yield self._more(piece)
                if isinstance(piece, Sounding) and self._is_too_much:
                    self.hush()
                    end = [inarch.TextDelta("…" if self._said else UNWRITTEN), inarch.Finish("length")]
        await asyncio.sleep(0)  # lets pieces of the same message arrive
        for delta in end[:-1]:
            yield delta
        self.pieces.end()
        if self.pieces.untold is not None:
            yield inarch.UsageDelta(self.pieces.untold)
            self.pieces.untold = None
        yield end[-1]

    def _more(self, piece: Words | Sounding | Used) -> inarch.Delta:
        if isinstance(piece, Used):
            return inarch.UsageDelta(self.pieces.count(piece.usage))
        self._patience = None
        if isinstance(piece, Sounding):
            self._sounded += piece.seconds
            return inarch.TextDelta("")  # shows the kernel that the reply is not silent
        self._said = self._said or bool(piece.text.strip())
        return inarch.TextDelta(piece.text)

    @property
    def _is_too_much(self) -> bool:
        most = self.request.max_output_tokens
        return most is not None and self._sounded * TOKENS_A_SECOND > most

    async def _asked(self, batch: Batch) -> list[inarch.Delta] | None:
        """Return the end of a reply with calls, None if the kernel has nothing to run."""
        if batch not in self.floor.waiting:
            return None  # it was answered meanwhile
        if self.request.tool_choice == "none" or not batch.runnable:
            await self.answer(batch, {} if not batch.runnable else _not_now(batch))
            self.waits = self.waits or 1.0
            return None
        batch.is_claimed = True
        return [*_calls(batch), inarch.Finish("calls")]

    def _ended(self, end: Ended | None) -> list[inarch.Delta] | None:
        """Return the end of a reply, None if it may belong to an earlier answer."""
        nothing = not (self._said or self._sounded)
        if end is not None and not end.is_interrupted and nothing and self.waits:
            self._patience = self.waits
            return None
        words = "" if self._said else UNWRITTEN if self._sounded else "(nothing was said)"
        if end is not None and end.is_interrupted:
            words = " (interrupted)" if self._said else "(interrupted)"
        told: list[inarch.Delta] = [inarch.TextDelta(words)] if words else []
        refused = end is not None and any(word in end.reason.lower() for word in _REFUSALS)
        return [*told, inarch.Finish("filtered" if refused else "stop")]


def _calls(batch: Batch) -> Iterable[inarch.Delta]:
    for place, call in enumerate(batch.runnable):
        yield inarch.CallDelta(place, call.id, call.name, json.dumps(dict(call.arguments)))


def _not_now(batch: Batch) -> dict[str, LiveResult]:
    said = "Not run: a limit of this turn is reached. Answer without calls."
    return {call.id: LiveResult(call.id, call.name, "error", said) for call in batch.calls}
