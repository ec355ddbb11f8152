"""Reading of what services report about a request's tokens, for all wires."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

from inarch.contract.deltas import Usage
from inarch_sdk.bounds import MOST_TOKENS

_LONGEST = 32
"""Characters of a number that a service writes as text."""


def reported_usage(
    inputs: Iterable[Any],
    outputs: Iterable[Any],
    *,
    cached: Any = None,
    thoughts: Any = None,
    written: Any = None,
    costs: Iterable[Any] = (),
) -> Usage | None:
    """Return the usage that a service reports, None if the report cannot be true.

    Counts may be integers, floats that are whole numbers, or texts of such numbers. A member that is None is absent.
    Every request has a prompt, so a report without input tokens is not one.

    Args:
        inputs: The members that add up to the input, cached tokens included.
        outputs: The members that add up to the output, thoughts included.
        cached: Tokens of the input from the service's cache.
        thoughts: Tokens of the output that are thoughts.
        written: Tokens of the input that went into the cache.
        costs: US dollars that add up to the cost, if the service says what the request cost.
    """
    read, made = _total(inputs), _total(outputs)
    if not read or made is None:
        return None
    return Usage(
        read, made, token_count(cached) or 0, token_count(thoughts) or 0, _money(costs),
        written_tokens=token_count(written) or 0,
    )  # fmt: skip


def credible_usage(usage: Usage | None, *, has_output: bool) -> Usage | None:
    """Return the usage unless it reports no output of a reply that has some; free requests without tokens pass."""
    if usage is None or usage.output_tokens or not has_output:
        return usage
    return None if usage.input_tokens or usage.cost_usd is None else usage


def token_count(value: Any) -> int | None:
    """Return the number of tokens in a member of a report, None if it is not one."""
    number = _number(value)
    if number is None or number != number.to_integral_value() or number > MOST_TOKENS:
        return None
    return int(number)


def _total(members: Iterable[Any]) -> int | None:
    """Return the sum of the members that are there, None if one of them is not a number of tokens."""
    counts = [token_count(member) for member in members if member is not None]
    return None if None in counts else sum(count or 0 for count in counts)


def _money(members: Iterable[Any]) -> Decimal | None:
    """Return the sum of amounts, None if there is none or one of them is not an amount."""
    amounts = [_number(member) for member in members]
    known = [amount for amount in amounts if amount is not None]
    return sum(known, Decimal(0)) if known and len(known) == len(amounts) else None


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, int):
        return Decimal(value) if 0 <= value <= MOST_TOKENS else None
    try:
        number = Decimal(str(value)[:_LONGEST])
    except InvalidOperation:
        return None
    return number if number.is_finite() and 0 <= number <= MOST_TOKENS else None
