"""Messages from one request to the next: what was worked out of them, and what only their own service can read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from attrs import define, evolve, field

from inarch.contract.records import Message, ModelRequest, Part, Reasoning

RECENT = 4
"""Requests whose parts are remembered: the turn's own, and those that strategies make between them."""
SLACK = 64
"""Parts beyond those of these requests that may be there until all others are forgotten."""

T = TypeVar("T")
V = TypeVar("V")


@define(eq=False, repr=False)
class MessageCache:
    """Cache of values computed from messages and tools, by identity, while the last requests have them.

    Memory is bound by the largest requests, not by the session: a message that is seen no more is not held.
    """

    _values: dict[int, tuple[object, Any, object]] = field(init=False, factory=dict)
    _recent: deque[ModelRequest] = field(init=False, factory=lambda: deque(maxlen=RECENT))
    _most: int = field(init=False, default=SLACK)

    def once(self, item: T, work: Callable[[T], V], version: object = 0) -> V:
        """Return what `work` gives for the item; it is done again where the version is not that of the last time."""
        found = self._values.get(id(item))
        if found is not None and found[0] is item and found[2] == version:
            value: V = found[1]
            return value
        done = work(item)
        self._values[id(item)] = (item, done, version)  # the item is kept, so that its id stays its own
        return done

    def asked(self, request: ModelRequest) -> None:
        """Note a request; what none of the last ones has is forgotten where it has become much."""
        self._recent.append(request)
        if len(self._values) > self._most:  # a look at all of these requests for each one of them would cost the most
            here = {id(part) for one in self._recent for part in _parts(one)}
            self._values = {key: value for key, value in self._values.items() if key in here}
            self._most = len(here) + SLACK


def _parts(request: ModelRequest) -> tuple[object, ...]:
    return (*request.messages, *request.tools, request.tools, request.system, request.response_schema)


def without_thoughts(messages: Sequence[Message]) -> list[Message]:
    """Return messages without it, the very same ones if they have none; one that consists of it alone is left out."""
    plain = (Message(one.role, tuple(_plain(part) for part in one.parts if not _is_thought(part))) for one in messages)
    return [now if now != was else was for now, was in zip(plain, messages, strict=True) if now.parts or not was.parts]


def _is_thought(part: Part) -> bool:
    return isinstance(part, Reasoning)


def _plain(part: Part) -> Part:
    return part if part.provider_data is None else evolve(part, provider_data=None)
