"""Which calls of a connection wait for their results: each id is delivered once and answered once."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

from inarch_live.port import History, LiveCall, LiveResult


@define(eq=False)
class Calls:
    """The calls of one connection, by id.

    Args:
        history: What went before: those of its calls that have no result may be answered.
    """

    history: Iterable[History] = field(default=(), repr=False)
    _open: dict[str, LiveCall] = field(init=False, factory=dict)
    _seen: set[str] = field(init=False, factory=set)

    def __attrs_post_init__(self) -> None:
        for piece in self.history:
            if isinstance(piece, LiveCall):
                self._open[piece.id] = piece
            elif isinstance(piece, LiveResult):
                self._open.pop(piece.id, None)
        self.history = ()

    def arrived(self, calls: Iterable[LiveCall]) -> tuple[LiveCall, ...]:
        """Return the calls whose ids are new."""
        new = {call.id: call for call in reversed(list(calls)) if call.id not in self._seen}
        self._seen.update(new)
        self._open.update(new)
        return tuple(reversed(new.values()))

    def answered(self, results: Iterable[LiveResult]) -> list[LiveResult]:
        """Return the results that somebody waits for, of which nobody waits any more."""
        return [result for result in results if self._open.pop(result.id, None) is not None]

    @property
    def waiting(self) -> tuple[LiveCall, ...]:
        """Return the calls without a result, oldest first."""
        return tuple(self._open.values())
