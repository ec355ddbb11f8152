"""The messages of a room in their order: numbered, encoded once for all pages, and held for pages that were away."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from typing import Any

from attrs import define, field

MOST_HELD, MOST_HELD_CHARS = 4_000, 8_000_000
"""Messages, and their characters, that are held for pages that come back."""


def encoded(message: Mapping[str, Any]) -> str:
    """Return a message as it is sent; what is no JSON is shown as Python writes it."""
    return json.dumps(message, separators=(",", ":"), default=str)


@define(eq=False, repr=False)
class MessageLog:
    """Gives each message of one session its number."""

    session: str
    most: int = MOST_HELD
    most_chars: int = MOST_HELD_CHARS
    last: int = field(init=False, default=0)
    _held: deque[str] = field(init=False, factory=deque)
    _chars: int = field(init=False, default=0)

    def add(self, message: Mapping[str, Any]) -> str:
        """Number a message and return it as it is sent."""
        self.last += 1
        text = encoded({"session": self.session, "n": self.last, **message})
        self._held.append(text)
        self._chars += len(text)
        while len(self._held) > self.most or (self._chars > self.most_chars and len(self._held) > 1):
            self._chars -= len(self._held.popleft())
        return text

    def since(self, number: int) -> list[str] | None:
        """Return the messages behind a number, None where some of them are no longer held."""
        missing = self.last - number
        if missing < 0 or missing > len(self._held):
            return None
        return [*self._held][len(self._held) - missing :]
