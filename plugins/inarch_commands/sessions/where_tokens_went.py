"""How `inarch sessions show` tells where tokens went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from inarch.figures import dropped_words

REASONS = {"window": "to fit the window", "refused": "refused as too long", "turns": "context_turns",
           "asked": "/compact"}  # fmt: skip


def where_lines(
    rows: Sequence[tuple[str, int, int]], left_out: Iterable[Mapping[str, Any]], where: str = ""
) -> Iterator[str]:
    """Yield the part of `inarch sessions show` that tells where tokens went; nothing where there were none."""
    if not rows:
        return
    yield f"where tokens went{where}, about, each thing counted once:"
    wide = max(len(name) for name, _, _ in rows)
    for name, many, tokens in rows:
        yield f"{name:<{wide}}  {tokens:>9,}  × {many}"
    for data in left_out:
        reason = str(data.get("reason", ""))
        yield f"left out ({REASONS.get(reason, reason)}): {dropped_words(data)}"
