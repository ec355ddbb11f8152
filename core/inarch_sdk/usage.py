"""Usage of a request for all wires: its tokens, their cost, and the reply's finish reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from attrs import evolve

from inarch.contract.deltas import Finish, FinishReason, Usage
from inarch.contract.records import Price
from inarch_sdk.bounds import MOST_TOKENS

MILLION = Decimal(1_000_000)


def price_at(price: Price, input_tokens: int) -> Price:
    """Return the price of a request with this many input tokens."""
    while price.above is not None and input_tokens > price.above[0]:
        price = price.above[1]
    return price


def dearest(price: Price) -> Price:
    """Return the price with the highest rate for input, because the service may write all of it to its cache."""
    return price if price.written is None else evolve(price, input=max(price.input, price.written))


def cost_of(usage: Usage, price: Price) -> Decimal:
    """Return the cost of a request in US dollars, from its tokens and the model's price."""
    price = price_at(price, usage.input_tokens)
    cached = min(usage.cached_tokens, usage.input_tokens)
    known = price.input if price.cached is None else price.cached
    written = min(usage.written_tokens, usage.input_tokens - cached)
    writing = price.input if price.written is None else price.written
    fresh = usage.input_tokens - cached - written
    return (price.input * fresh + known * cached + writing * written + price.output * usage.output_tokens) / MILLION


def priced(usage: Usage, price: Price | None) -> Usage:
    """Return the usage with its cost: as the service reported it, else by the price."""
    if usage.cost_usd is not None or price is None:
        return usage
    return evolve(usage, cost_usd=cost_of(usage, price))


_LONGEST = 32
"""Maximum characters of a number that a service writes as text."""


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


# Types of openai 3.57.0, anthropic 2.14.0 and google-genai 3.6.1, `_FINISH_REASON_MAP` of LiteLLM 1.106.2 and the
# prefixed reasons of Gemini's compatible endpoint, all read on 28 November 2026.
_REASONS: Mapping[FinishReason, str] = {
    "stop": "stop end_turn stop_sequence eos eos_token complete completed",
    "calls": "tool_calls tool_use function_call",
    "length": "length max_tokens max_output_tokens model_length model_context_window_exceeded continuation",
    "filtered": "content_filter content_filtered refusal safety recitation blocklist prohibited_content spii language"
    " image_safety image_prohibited_content image_recitation image_other no_image model_armor escalation"
    " pup_limited_disabled sensitive guardrail_intervened error_toxic",
    "malformed": "malformed_function_call malformed_response unexpected_tool_call too_many_tool_calls"
    " function_call_filter",
    "error": "error other network_error insufficient_system_resource",
}
_FINISHES = {reason: finish for finish, reasons in _REASONS.items() for reason in reasons.split()}


def chat_finish(reason: str) -> FinishReason:
    """Return the kind of end that a service's reason means; an unknown one is `cut`."""
    return _FINISHES.get(re.split(r"[:\s]", reason.strip().lower(), maxsplit=1)[0], "cut")


def finish_for(reason: str, *, has_calls: bool, said: str = "") -> Finish:
    """Return the end of a reply, with the service's reason if the reply is not an answer.

    Args:
        reason: The service's finish reason.
        has_calls: Whether the reply has calls: many services end such a reply as any other.
        said: More text from the service about it.
    """
    finish = chat_finish(reason)
    if finish == "stop" and has_calls:
        return Finish("calls")
    return Finish(finish) if finish in ("stop", "calls", "length") else Finish(finish, reason + said)
