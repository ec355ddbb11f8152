"""What a session's requests cost and how full the model's window is, for the editor while a turn runs."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Self

from acp import schema
from attrs import define

import inarch


@define(eq=False)
class Spending:
    """The money of a session so far, and the last thing that is known of its window.

    Args:
        known: US dollars of the requests whose cost is known.
        unknown: How many others there were: with one of them the sum is no cost of the session.
        used: Tokens that the last request and its reply had.
        window: Tokens that the model takes, 0 where nobody knows.
    """

    known: Decimal = Decimal(0)
    unknown: int = 0
    used: int = 0
    window: int = 0

    @classmethod
    def of(cls, rows: Iterable[inarch.transcripts.Spent]) -> Self:
        """Return what a kept session has spent."""
        spending = cls()
        for row in rows:
            spending._add(row.cost_usd, row.unknown)
        return spending

    def saw(self, event: inarch.Event) -> bool:
        """Take in an event; return whether there is something to tell."""
        data = event.data
        if event.kind == "child.ended":
            for row in data["spent"]:
                self._add(Decimal(row["cost_usd"]), row["unknown"])
            return True
        if event.kind != "model.replied":
            return False
        usage = data["usage"]
        cost = usage["cost_usd"]
        self._add(Decimal(cost or 0), int(cost is None))
        if data["purpose"] == "turn" and data["finish"] != "error":
            self.used = usage["input_tokens"] + usage["output_tokens"]
        return True

    @property
    def cost(self) -> schema.Cost | None:
        """What the session has cost; None where that isn't known of every request."""
        return None if self.unknown else schema.Cost(amount=float(self.known), currency="USD")

    @property
    def update(self) -> schema.UsageUpdate | None:
        """The update about it; None where the window's size, which it can't be without, isn't known."""
        if not self.window:
            return None
        return schema.UsageUpdate(session_update="usage_update", used=self.used, size=self.window, cost=self.cost)

    def _add(self, cost: Decimal, unknown: int) -> None:
        self.known += cost
        self.unknown += unknown
