"""Long texts cut for people: head and tail stay, and what is left out is counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LONGEST = 20_000
"""Characters of an argument or a result that an export for people holds; JSON lines hold all that was kept."""
_longest: ContextVar[int] = ContextVar("longest", default=LONGEST)


@contextmanager
def at_most(longest: int) -> Iterator[None]:
    """Cut texts at so many characters within, where no other figure is named."""
    token = _longest.set(longest)
    try:
        yield
    finally:
        _longest.reset(token)


def cut(text: str, longest: int | None = None) -> tuple[str, str]:
    """Return the text with at most about `longest` characters, and a sentence on what was left out, if anything was."""
    longest = _longest.get() if longest is None else longest
    if len(text) <= longest:
        return text, ""
    head, tail = longest * 3 // 4, longest // 4
    left = len(text) - head - tail
    first, last = text[:head], text[-tail:]
    return f"{first}\n…\n{last}", f"{left:,} characters left out of the middle; an export as JSON lines has all of it"
