"""Log of a room's messages: numbered, encoded once, and held for pages that reconnect."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from time import monotonic
from typing import Any

from attrs import define, field

import inarch

MOST_HELD, MOST_HELD_CHARS = 4_000, 8_000_000
"""Messages, and their characters, that are held for pages that reconnect."""
HELD_S = 120.0
"""Seconds that a message is held. A page that was away for longer gets the whole state."""


class Raw(str):
    """A text that is not escaped, because a page edits it or sends it back."""

    __slots__ = ()


def encoded(message: Mapping[str, Any]) -> str:
    """Return a message as JSON. Texts that are not `Raw` are escaped as for a terminal."""
    return json.dumps(_escaped(message), separators=(",", ":"), default=str)


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return value if isinstance(value, Raw) else inarch.escape(value)
    if isinstance(value, Mapping):
        return {key: _escaped(one) for key, one in value.items()}
    return [_escaped(one) for one in value] if isinstance(value, list | tuple) else value


@define(eq=False, repr=False)
class MessageLog:
    """The numbered messages of one session."""

    session: str
    most: int = MOST_HELD
    most_chars: int = MOST_HELD_CHARS
    last: int = field(init=False, default=0)
    _held: deque[tuple[float, str]] = field(init=False, factory=deque)
    _chars: int = field(init=False, default=0)

    def add(self, message: Mapping[str, Any]) -> str:
        """Number a message, hold it, and return it as JSON."""
        self.last += 1
        text = encoded({"session": self.session, "n": self.last, **message})
        self._held.append((monotonic(), text))
        self._chars += len(text)
        while len(self._held) > self.most or (self._chars > self.most_chars and len(self._held) > 1):
            self._drop()
        return text

    def since(self, number: int) -> list[str] | None:
        """Return the messages after a number, or None if some are no longer held."""
        missing = self.last - number
        if missing < 0 or missing > len(self._held):
            return None
        return [text for _, text in [*self._held][len(self._held) - missing :]]

    def forget(self, seconds: float = HELD_S) -> None:
        """Drop the messages that are older than `seconds`."""
        while self._held and monotonic() - self._held[0][0] >= seconds:
            self._drop()

    def _drop(self) -> None:
        self._chars -= len(self._held.popleft()[1])
