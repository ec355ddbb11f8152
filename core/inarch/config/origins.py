"""The place of a value, for people."""

from __future__ import annotations

from typing import NamedTuple


class Origin(NamedTuple):
    """Where a value comes from; `line` counts from 1 and is None outside files."""

    source: str
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"
