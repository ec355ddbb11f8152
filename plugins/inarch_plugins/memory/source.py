"""Saved notes, given to the model once a session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from inarch import CallPart, Contribution, Message, Situation, Text
from inarch_plugins.memory.memory import Memory, Note

TITLE = "# Memory"
_SAID = "Notes that the user saved in earlier sessions, newest first. They are about the user's wishes and this work."
CHARACTERS = 4_000
"""Maximum characters of notes that the model gets unasked."""


@frozen(eq=False, repr=False)
class Remembered:
    """Context source that adds the newest notes which the messages do not hold yet."""

    memory: Memory
    name: str = "memory"

    async def gather(self, situation: Situation) -> Contribution | None:
        """Return the notes that are not in the conversation yet."""
        if self.memory.folder is None:
            return None
        notes = self.memory.notes()
        newest = _newest(notes)
        known = set(_known(situation.messages))
        fresh = [note.line for note in newest if note.line not in known and note.text not in known]
        if not fresh:
            return None
        left = len(notes) - len(newest)
        more = [f"({left} more are left out; the tool recall finds them)"] if left else []
        return Contribution("\n".join([TITLE, _SAID, "", *fresh, *more]))


def _newest(notes: Sequence[Note]) -> list[Note]:
    room = CHARACTERS
    kept = []
    for note in reversed(notes):
        room -= len(note.line) + 1
        if room >= 0:
            kept.append(note)
    return kept


def _known(messages: Iterable[Message]) -> Iterator[str]:
    """Yield the lines of earlier notes, and the texts that were saved in this conversation."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, Text) and message.role == "user" and part.text.startswith(TITLE):
                yield from part.text.splitlines()
            elif isinstance(part, CallPart) and part.name == "save_memory":
                yield " ".join(str(part.arguments.get("text", "")).split())
