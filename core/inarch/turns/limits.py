"""What stops a turn: iterations, time, tokens, money, and going round in circles."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple

from attrs import define, field

from inarch.contract.codec import to_data
from inarch.contract.records import ToolCall

LimitName = Literal["max_iterations", "max_seconds", "max_tokens", "max_cost_usd", "max_reply_bytes", "repeated_states"]

REPEATS = 3
"""A cycle seen this often, with the same calls, results and files, is going nowhere."""
CIRCLING = """\
{what}, {times} times, and nothing changed. Do something else, or answer with what is known: the turn is stopped if this
goes on."""
PERIODS = (1, 2, 3, 4)


class LimitReached(Exception):
    """A limit ends the turn; `text` says plainly which and how to raise it."""

    def __init__(self, name: LimitName, text: str) -> None:
        super().__init__(text)
        self.name: LimitName = name
        self.text = text


class Refused(Exception):
    """The person denied all that the turn wanted to do, and gave no reason: there is nothing to go on with."""


class Stopped(Exception):
    """A plugin ends the turn: `by` is its part, `text` says why. No model sees the prompt where it `erases` that."""

    def __init__(self, by: str, text: str, *, erases: bool = False) -> None:
        super().__init__(text)
        self.by, self.erases = by, erases
        self.text = f"stopped by {by}: {text}" if text else f"stopped by {by}"


class AnswerRefused(Exception):
    """The model's answers don't keep the schema of the profile; `answer` is the last of them."""

    def __init__(self, answer: str, text: str) -> None:
        super().__init__(text)
        self.answer = answer


class TurnLimits(NamedTuple):
    """The limits of a profile; None is none."""

    max_iterations: int = 50
    max_seconds: float | None = None
    max_tokens: int | None = None
    max_cost_usd: Decimal | None = None


@define(eq=False, repr=False)
class Repeats:
    """Notices repeated states: the same calls with the same results over unchanged files, in cycles of 1 to 4."""

    states: list[bytes] = field(factory=list)
    is_warned: bool = False

    def saw(self, calls: Sequence[ToolCall], seen: Mapping[str, str]) -> str:
        """Take one batch and return what the model is to be told, once: many do something else then.

        Raises:
            LimitReached: It was told, and goes on in the circle.
        """
        self.states.append(_state(calls, seen))
        del self.states[: -REPEATS * max(PERIODS)]
        for period in PERIODS:
            tail = self.states[-REPEATS * period :]
            if len(tail) == REPEATS * period and tail == tail[:period] * REPEATS:
                what = "the same calls gave the same results" if period == 1 else f"the last {period} steps repeat"
                if self.is_warned:
                    raise LimitReached("repeated_states", f"stopped: {what} again and again, and nothing changed")
                self.is_warned = True
                return CIRCLING.format(what=what, times=REPEATS)
        self.is_warned = False
        return ""


def _state(calls: Sequence[ToolCall], seen: Mapping[str, str]) -> bytes:
    batch = sorted(
        json.dumps(
            [call.name, to_data(call.arguments), call.status, to_data(call.result.data if call.result else None)],
            sort_keys=True,
        )
        for call in calls
    )
    digest = hashlib.blake2b("\n".join(batch).encode("utf-8", "surrogatepass"), digest_size=16)
    digest.update(repr(sorted(seen.items())).encode("utf-8", "surrogatepass"))
    return digest.digest()
