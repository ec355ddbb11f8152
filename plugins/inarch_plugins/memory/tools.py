"""`save_memory` and `recall`, and the output of `/memory`."""

from __future__ import annotations

from typing import Any

import inarch
from inarch_plugins.memory.memory import LONGEST, Memory

MOST = 20
"""Maximum notes in one answer."""

_SAVE = {
    "type": "object",
    "properties": {
        "text": {
            "type": "string",
            "description": f"A self-contained sentence; at most {LONGEST} characters",
        }
    },
    "required": ["text"],
    "additionalProperties": False,
}
_RECALL = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "Words; empty for the newest notes"}},
    "required": ["query"],
    "additionalProperties": False,
}


def tools(memory: Memory) -> list[inarch.Tool]:
    """Return the tools over one memory."""

    # Text that a model reads may ask for a note that steers every later session: a person has to approve.
    @inarch.tool(
        category="memory",
        title="Remember {text}",
        input_schema=_SAVE,
        effects=inarch.Effects(exclusive=True),
        requires_confirmation=True,
        check=lambda arguments, _context: memory.check(arguments["text"]),
    )
    def save_memory(text: str) -> dict[str, Any]:
        """Remember something across sessions, when the user asks for it."""
        added = memory.save(text)
        return {"saved": added, "file": memory.place, "note": None if added else "this was remembered already"}

    @inarch.tool(
        category="memory", title="Look for {query} in the notes", input_schema=_RECALL, effects=inarch.Effects()
    )
    def recall(query: str) -> dict[str, Any]:
        """Search the notes that the user saved."""
        from inarch_plugins.memory.memory import ranked

        notes = memory.notes()
        found = ranked(notes, query)
        left = len(found) - MOST
        note = f"{left} more match; use more words" if left > 0 else None
        if not found:
            note = "no note matches these words" if notes else "nothing is remembered yet"
        return {"notes": [{"text": one.text, "saved": one.saved or None} for one in found[:MOST]], "note": note}

    return [save_memory, recall]


def listed(memory: Memory, words: str) -> str:
    """Return the notes for people, newest first; with words, those that match."""
    from inarch_plugins.memory.memory import ranked

    try:
        notes = memory.notes()
        place = memory.place
    except inarch.ToolFailed as error:
        return str(error)
    found = ranked(notes, words)
    if not found:
        return "No note matches these words." if notes else f"Nothing is remembered yet (it would be in {place})."
    return "\n".join([*(one.line for one in found), "", place])
