"""Prompts of a stored session, read one event at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from inarch.host import contents_of
from inarch_sdk.snapshots import between

if TYPE_CHECKING:
    from inarch import ContextStore, Event


def prompt_of(event: Event) -> str:
    """Return the user's prompt if the event starts a turn."""
    turn = event.data.get("turn") if event.kind == "turn.started" else None
    return str(turn.get("content", "")) if isinstance(turn, Mapping) and turn.get("type") == "user" else ""


def prompt_at(store: ContextStore, session_id: str, seq: int) -> str:
    """Return the prompt in the event with this number, or "" if it has none.

    Raises:
        StoreError: It cannot be read.
    """
    return next((prompt_of(event) for event in between(store, session_id, seq, seq)), "")


def last_prompt(store: ContextStore, session_id: str) -> str:
    """Return the session's last prompt, or "" if there is none.

    Raises:
        StoreError: It cannot be read.
    """
    chapters = reversed(contents_of(store, session_id).chapters)
    return next(filter(None, (prompt_at(store, session_id, chapter.first) for chapter in chapters)), "")
