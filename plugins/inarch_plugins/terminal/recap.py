"""Summary of the last turns, printed when a session is resumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from inarch import CallPart, escape, shorten

if TYPE_CHECKING:
    from inarch import Message, Session

TURNS, LINES = 3, 3
"""Number of last turns in a recap, and lines of each answer."""


def recap(session: Session, columns: int) -> str:
    """Return the last prompts with the beginnings of their answers, escaped; empty for a new session."""
    talk = session.state
    earlier = talk.gone + len(talk.history)
    if not earlier:
        return ""
    shown = [said for said in talk.history if said.messages][-TURNS:]
    earlier -= len(shown)
    lines = [f"session {session.id}" + (f" · {earlier} earlier turn{'' if earlier == 1 else 's'}" if earlier else "")]
    for said in shown:
        lines += _turn(said.messages)
    return "\n".join(shorten(escape(line, keep_newlines=False), columns) for line in lines)


def _turn(messages: Sequence[Message]) -> Iterator[str]:
    prompt = next((message.parts[0] for message in messages if message.role == "user" and message.parts), None)
    yield f"> {' '.join(getattr(prompt, 'text', '').split())}"
    calls = sum(isinstance(part, CallPart) for message in messages for part in message.parts)
    answer = next((message.text for message in reversed(messages) if message.role == "assistant" and message.text), "")
    lines = [line for line in answer.strip().splitlines() if line.strip()]
    if calls:
        yield f"  ({calls} call{'' if calls == 1 else 's'})"
    yield from (f"  {line}" for line in lines[:LINES])
    if len(lines) > LINES:
        yield f"  … {len(lines) - LINES} more lines"
