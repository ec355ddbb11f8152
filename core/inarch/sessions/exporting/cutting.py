"""Long texts cut for people: head and tail stay, and what is left out is counted."""

from __future__ import annotations

LONGEST = 20_000
"""Characters of an argument or a result that an export for people holds; JSON lines hold all that was kept."""


def cut(text: str, longest: int = LONGEST) -> tuple[str, str]:
    """Return the text with at most about `longest` characters, and a sentence on what was left out, if anything was."""
    if len(text) <= longest:
        return text, ""
    head, tail = longest * 3 // 4, longest // 4
    left = len(text) - head - tail
    first, last = text[:head], text[-tail:]
    return f"{first}\n…\n{last}", f"{left:,} characters left out of the middle; an export as JSON lines has all of it"
