"""The arguments with which a call makes the file that a person wants instead of the one it would leave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inarch.contract.records import ProposedFile


def rewritten(arguments: Mapping[str, Any], file: ProposedFile, text: str) -> dict[str, Any] | None:
    """Return the arguments with which the same tool leaves this text in the file; None where it can't."""
    if file.argument:
        return {**arguments, file.argument: text}
    if "content" in arguments:
        return {**arguments, "content": text}
    hunk = _hunk(file.before or "", text)
    if hunk is None:
        return None
    kept = {name: value for name, value in arguments.items() if name != "replace_all"}
    return {**kept, "search": hunk[0], "replace": hunk[1]}


def _hunk(before: str, after: str) -> tuple[str, str] | None:
    """Return the one replacement of whole lines that makes `after` of `before`, its text being there once."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    most = min(len(old), len(new))
    head = next((line for line in range(most) if old[line] != new[line]), most)
    tail = next((line for line in range(most - head) if old[-1 - line] != new[-1 - line]), most - head)
    while not _is_unique(before, search := "".join(old[head : len(old) - tail])):
        if not head and not tail:
            return None
        head, tail = max(head - 1, 0), max(tail - 1, 0)
    return search, "".join(new[head : len(new) - tail])


def _is_unique(text: str, part: str) -> bool:
    """Whether a text is there once, places that overlap counted."""
    first = text.find(part)
    return bool(part) and first >= 0 and text.find(part, first + 1) < 0
