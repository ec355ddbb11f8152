"""What is known of a turn's decision until its outcome is entered, and of a session's round trips."""

from __future__ import annotations

from decimal import Decimal

from attrs import define


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
