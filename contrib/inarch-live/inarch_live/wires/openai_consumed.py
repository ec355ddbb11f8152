"""What need not be sent again to OpenAI Realtime when a conversation begins anew with the text of it. Pure.

Audio survives the connection as the text of what was said in it; the service counts it in milliseconds, and hears
utterances in any order. What is typed survives once the service has added it.
"""

from __future__ import annotations

from collections import deque

from attrs import define, field

from inarch_live.port import Resumable

_MOST_PIECES = 20_000
"""Pieces of audio whose end is remembered; of older ones only the order counts."""


@define(eq=False)
class Consumed:
    """Counts for one connection."""

    sent: int = field(init=False, default=0)
    _upto: int = field(init=False, default=0)
    _audio: deque[tuple[int, int]] = field(init=False, factory=lambda: deque(maxlen=_MOST_PIECES))
    _items: dict[str, int] = field(init=False, factory=dict)
    _commits: deque[int] = field(init=False, factory=deque)
    _utterances: dict[str, int] = field(init=False, factory=dict)
    _heard: set[str] = field(init=False, factory=set)

    def audio(self, end_ms: int) -> None:
        """Count a message of audio that ends at this millisecond of all audio."""
        self.sent += 1
        self._audio.append((self.sent, end_ms))

    def items(self, *item_ids: str) -> None:
        """Count a message that adds these items; the last of them tells that all have come."""
        self.sent += 1
        if item_ids:
            self._items[item_ids[-1]] = self.sent

    def commit(self, is_utterance: bool) -> None:
        """Count a message that ends an utterance, or tries to."""
        self.sent += 1
        if is_utterance:
            self._commits.append(self.sent)

    def stopped(self, utterance: str, end_ms: int) -> None:
        """An utterance holds the audio up to this millisecond."""
        number = self._upto
        while self._audio and self._audio[0][1] <= end_ms:
            number = self._audio.popleft()[0]
        self._utterances[utterance] = number

    def committed(self, utterance: str) -> None:
        """An utterance was committed, by the service that found its end or because it was told to."""
        if utterance not in self._utterances and self._commits:
            self._utterances[utterance] = self._commits.popleft()

    def heard(self, utterance: str) -> list[Resumable]:
        """The text of an utterance has come: return what that makes known."""
        self._heard.add(utterance)
        before = self._upto
        while (first := next(iter(self._utterances), None)) in self._heard and first is not None:
            self._heard.discard(first)
            self._upto = max(self._upto, self._utterances.pop(first))
        return [Resumable("", self._upto)] if self._upto > before else []

    def added(self, item_id: str) -> list[Resumable]:
        """The service has added an item: return what that makes known."""
        number = self._items.pop(item_id, None)
        return [] if number is None else [Resumable("", self._upto, (number,))]
