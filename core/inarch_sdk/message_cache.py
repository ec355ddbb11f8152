"""Cache for conversions of messages across requests, and filters for reasoning that only its own service can read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from attrs import define, evolve, field

from inarch.contract.records import Message, ModelRequest, Part, Reasoning

RECENT = 4
"""Requests whose parts are cached: the turn's own, and those that strategies send between them."""
SLACK = 64
"""Additional parts that the cache may hold before it is cleaned."""

T = TypeVar("T")
V = TypeVar("V")


@define(eq=False, repr=False)
class MessageCache:
    """Cache of values computed from messages and tools, by identity, while recent requests contain them.

    The largest requests limit its memory, not the session: messages that are no longer used are dropped.
    """

    _values: dict[int, tuple[object, Any, object]] = field(init=False, factory=dict)
    _recent: deque[ModelRequest] = field(init=False, factory=lambda: deque(maxlen=RECENT))
    _most: int = field(init=False, default=SLACK)

    def once(self, item: T, work: Callable[[T], V], version: object = 0) -> V:
        """Return the value of `work` for the item; repeat it if the version differs from the last one."""
        found = self._values.get(id(item))
        if found is not None and found[0] is item and found[2] == version:
            value: V = found[1]
            return value
        done = work(item)
        self._values[id(item)] = (item, done, version)  # holding the item keeps its id unique
        return done

    def asked(self, request: ModelRequest) -> None:
        """Record a request; if the cache has grown, drop parts that recent requests do not contain."""
        self._recent.append(request)
        if len(self._values) > self._most:  # checking at each request would be the largest cost
            here = {id(part) for one in self._recent for part in _parts(one)}
            self._values = {key: value for key, value in self._values.items() if key in here}
            self._most = len(here) + SLACK


def _parts(request: ModelRequest) -> tuple[object, ...]:
    return (*request.messages, *request.tools, request.tools, request.system, request.response_schema)


def without_thoughts(messages: Sequence[Message]) -> list[Message]:
    """Return the messages without reasoning, identical objects if they have none; omit those with nothing else."""
    plain = (Message(one.role, tuple(_plain(part) for part in one.parts if not _is_thought(part))) for one in messages)
    return [now if now != was else was for now, was in zip(plain, messages, strict=True) if now.parts or not was.parts]


def _is_thought(part: Part) -> bool:
    return isinstance(part, Reasoning)


def _plain(part: Part) -> Part:
    return part if part.provider_data is None else evolve(part, provider_data=None)
