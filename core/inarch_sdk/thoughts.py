"""What only the service that made it can read: thoughts, signatures, encrypted items."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from inarch.contract.records import Message, Part, Reasoning


def without_thoughts(messages: Sequence[Message]) -> list[Message]:
    """Return messages without it, the very same ones if they have none; one that consists of it alone is left out."""
    plain = (Message(one.role, tuple(_plain(part) for part in one.parts if not _is_thought(part))) for one in messages)
    return [now if now != was else was for now, was in zip(plain, messages, strict=True) if now.parts or not was.parts]


def _is_thought(part: Part) -> bool:
    return isinstance(part, Reasoning)


def _plain(part: Part) -> Part:
    return part if part.provider_data is None else evolve(part, provider_data=None)
