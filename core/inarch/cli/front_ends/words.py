"""How calls, times and money read in a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Any

from inarch.cli.terminal import shorten

if TYPE_CHECKING:
    from inarch.contract.processes import Confinement

_VALUE_COLUMNS = 48
_ON_WHAT = ("file_path", "directory", "query", "pattern", "command", "function")


def short_arguments(arguments: Mapping[str, Any]) -> str:
    """Return the arguments on one line: the one that says on what as its bare value, long texts as their size."""
    plain = next(iter(arguments), None) if len(arguments) == 1 else next(filter(arguments.__contains__, _ON_WHAT), None)
    named = [f"{name}={_value(value)}" for name, value in arguments.items() if name != plain]
    return " ".join([_value(arguments[plain]), *named] if plain is not None else named)


def _value(value: Any) -> str:
    if isinstance(value, str):
        if "\n" in value.rstrip("\n"):
            return f"({len(value.splitlines())} lines)"
        return shorten(value.rstrip("\n"), _VALUE_COLUMNS) or '""'
    return shorten(json.dumps(value, ensure_ascii=False, default=str), _VALUE_COLUMNS)


def duration(seconds: float) -> str:
    """Return a time as people read it."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"


def wait_words(wait: Mapping[str, Any], left: float, hint: str = "") -> str:
    """Return how long in whole seconds, for which model and why a wait is."""
    seconds = ceil(left)
    long = f"{seconds} s" if seconds < 60 else f"{seconds // 60} min {seconds % 60:02d} s"
    reason = wait["reason"].replace("_", " ")
    return f"waiting {long} for {wait['model']}{hint}" + (f": {reason}" if reason else "")


def seconds_between(started: str | None, ended: str | None) -> float | None:
    """Return the seconds between two times as records carry them, None where one is missing."""
    if not started or not ended:
        return None
    return max((datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds(), 0.0)


def usage_words(usage: Mapping[str, Any]) -> str:
    """Return tokens and cost; an unknown cost is said to be unknown."""
    tokens = usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
    cost = usage.get("cost_usd")
    about = "about " if usage.get("estimated") else ""
    counted = f"{about}{usage['input_tokens']:,} in, {usage['output_tokens']:,} out" if tokens else "no tokens"
    return f"{counted} · {'cost unknown' if cost is None else money(Decimal(str(cost)))}"


def money(amount: Decimal) -> str:
    """Return US dollars with as many places as the amount needs."""
    if amount == 0:
        return "$0"
    return f"${amount:.2f}" if amount >= 1 else f"${amount:.4f}" if amount >= Decimal("0.0001") else "<$0.0001"


def confinement_words(found: Confinement) -> str:
    """Return how well commands are confined, and why not better."""
    layers = f" ({', '.join(found.layers)})" if found.layers else ""
    return f"confined at level {found.level}{layers}" + (f": {found.reason}" if found.reason else "")
