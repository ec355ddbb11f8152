"""What decisions cost and what they saved, kept for each workspace; below break-even they stop."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Literal

from attrs import define, field, frozen

from inarch import PluginContext, utc_now
from inarch_plugins.dispatch.json_files import load, save

WINDOW = 20
"""Decisions over which they must pay for themselves."""

BreakEven = Literal["both", "time", "money", "never"]


@frozen
class Outcome:
    """What came of one decision: seconds and US dollars it cost and saved; None is unknown.

    Args:
        cached: Whether it was a remembered one, which costs nothing.
        helped: Whether it saved the model a step.
    """

    cached: bool
    helped: bool
    cost_s: float
    saved_s: float
    cost_usd: Decimal | None
    saved_usd: Decimal | None

    def data(self) -> list[Any]:
        """Return it for the file."""
        money = (None if amount is None else str(amount) for amount in (self.cost_usd, self.saved_usd))
        return [self.cached, self.helped, round(self.cost_s, 6), round(self.saved_s, 6), *money]

    @classmethod
    def of(cls, data: Any) -> Outcome:
        """Return one from the file.

        Raises:
            TypeError, ValueError, InvalidOperation: It is none.
        """
        cached, helped, cost_s, saved_s, *money = data
        cost, saved = (None if amount is None else Decimal(amount) for amount in money)
        return cls(bool(cached), bool(helped), float(cost_s), float(saved_s), cost, saved)


@frozen
class Balance:
    """The sums of outcomes; money is None where a part of it is unknown."""

    decisions: int
    helped: int
    cost_s: float
    saved_s: float
    cost_usd: Decimal | None
    saved_usd: Decimal | None

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Balance:
        """Add up."""
        return cls(
            len(outcomes),
            sum(one.helped for one in outcomes),
            sum(one.cost_s for one in outcomes),
            sum(one.saved_s for one in outcomes),
            _sum([one.cost_usd for one in outcomes]),
            _sum([one.saved_usd for one in outcomes]),
        )

    def is_below(self, break_even: BreakEven) -> bool:
        """Whether more was spent than saved, once there are enough decisions to tell; unknown money doesn't count."""
        if self.decisions < WINDOW or break_even == "never":
            return False
        loses_money = self.cost_usd is not None and self.saved_usd is not None and self.cost_usd > self.saved_usd
        return (loses_money and break_even != "time") or (self.cost_s > self.saved_s and break_even != "money")

    def words(self) -> str:
        """Say what was spent and saved."""
        spent, saved = _amount(self.cost_s, self.cost_usd), _amount(self.saved_s, self.saved_usd)
        return f"{self.helped} of {self.decisions} saved the model a step; they cost {spent} and saved {saved}"


@define(eq=False, repr=False)
class Books:
    """The last decisions in one workspace, and whether they go on there; without a place they live in memory only."""

    path: Path | None = None
    break_even: BreakEven = "both"
    outcomes: list[Outcome] = field(factory=list)
    off_since: str = ""

    @classmethod
    def beside(cls, folder: str, root: str, break_even: BreakEven = "both") -> Books:
        """Return the books of a workspace that are kept in a folder."""
        name = hashlib.blake2b(root.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        books = cls(Path(folder) / f"outcomes-{name}.json" if folder else None, break_even)
        books.refresh()
        return books

    @classmethod
    def of(cls, context: PluginContext, break_even: BreakEven) -> Books:
        """Return the books for a run; one that leaves no record keeps none."""
        return cls.beside(context.state_dir if context.recorded else "", context.root, break_even)

    @property
    def balance(self) -> Balance:
        """The sums over the last decisions."""
        return Balance.of(self.outcomes)

    @property
    def is_off(self) -> bool:
        """Whether decisions have stopped here."""
        return bool(self.off_since) and self.break_even != "never"

    def add(self, outcome: Outcome) -> bool:
        """Take in an outcome and return whether with it the decisions stop."""
        self.refresh()  # another session may have written meanwhile
        self.outcomes = [*self.outcomes, outcome][-WINDOW:]
        stops = not self.off_since and self.balance.is_below(self.break_even)
        if stops:
            self.off_since = utc_now()
        self._save()
        return stops

    def clear(self) -> None:
        """Begin anew."""
        self.outcomes, self.off_since = [], ""
        self._save()

    def refresh(self) -> None:
        """Read the file, if there is one; a damaged one counts for nothing."""
        data = load(self.path) if self.path is not None else None
        if data is None:
            return
        try:
            self.outcomes = [Outcome.of(one) for one in data["outcomes"]][-WINDOW:]
            self.off_since = str(data["off_since"])
        except (KeyError, TypeError, ValueError, InvalidOperation):
            self.outcomes, self.off_since = [], ""

    def _save(self) -> None:
        if self.path is not None:
            save(self.path, {"outcomes": [one.data() for one in self.outcomes], "off_since": self.off_since})


@define(eq=False, repr=False)
class Trips:
    """Round trips to the main model in one session."""

    count: int = 0
    seconds: float = 0.0
    money: Decimal | None = Decimal(0)


@define(eq=False, repr=False)
class Decided:
    """A decision while its turn runs."""

    session_id: str
    cached: bool = False
    cost_s: float = 0.0
    cost_usd: Decimal | None = Decimal(0)
    call_id: str = ""
    tool: str = ""
    call_s: float = 0.0
    succeeded: bool = False
    was_answered: bool = False
    was_repeated: bool = False


def _sum(amounts: Sequence[Decimal | None]) -> Decimal | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Decimal(0)) if len(known) == len(amounts) else None


def _amount(seconds: float, money: Decimal | None) -> str:
    if money is None:
        return f"{seconds:.1f} s and an unknown amount of money"
    return f"{seconds:.1f} s" + (f" and ${money:.4f}" if money else "")
