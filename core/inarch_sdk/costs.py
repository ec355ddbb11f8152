"""What tokens cost, once a price is known."""

from __future__ import annotations

from decimal import Decimal

from attrs import evolve

from inarch.contract.deltas import Usage
from inarch.contract.records import Price

MILLION = Decimal(1_000_000)


def price_at(price: Price, input_tokens: int) -> Price:
    """Return the price that holds for a request of so many input tokens."""
    while price.above is not None and input_tokens > price.above[0]:
        price = price.above[1]
    return price


def dearest(price: Price) -> Price:
    """Return the price with all input as what it may cost at most: it goes into the service's cache."""
    return price if price.written is None else evolve(price, input=max(price.input, price.written))


def cost_of(usage: Usage, price: Price) -> Decimal:
    """Return what a request cost in US dollars, from its tokens and the model's price."""
    price = price_at(price, usage.input_tokens)
    cached = min(usage.cached_tokens, usage.input_tokens)
    known = price.input if price.cached is None else price.cached
    written = min(usage.written_tokens, usage.input_tokens - cached)
    writing = price.input if price.written is None else price.written
    fresh = usage.input_tokens - cached - written
    return (price.input * fresh + known * cached + writing * written + price.output * usage.output_tokens) / MILLION


def priced(usage: Usage, price: Price | None) -> Usage:
    """Return the usage with its cost: what the service said it was, else what the price makes it."""
    if usage.cost_usd is not None or price is None:
        return usage
    return evolve(usage, cost_usd=cost_of(usage, price))
