"""`--output jsonl`: every stored event, one line of JSON each, as it happens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from attrs import define

from inarch import Approval, ApprovalRequest, Event, escape_json


@define(eq=False, repr=False)
class JsonLinesFrontEnd:
    """Writes events; asks nobody."""

    out: TextIO
    name: str = "jsonl"

    def show(self, event: Event) -> None:
        """Write a stored event; deltas are not stored."""
        if event.kind != "model.delta":
            write_json(self.out, event.line)

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Give no answer: a script can't be asked."""
        return []

    def close(self) -> None:
        """Nothing is held back."""


def write_json(out: TextIO, line: str) -> None:
    """Write a line of JSON at once; what could mislead a terminal stands in it as an escape."""
    out.write(escape_json(line) + "\n")
    out.flush()
