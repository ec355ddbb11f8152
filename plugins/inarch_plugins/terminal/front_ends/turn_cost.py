"""One-line summaries of a turn: tokens and cost, model switches, waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from inarch.figures import duration, seconds_between, spent_words, summed, usage_words

Data = Mapping[str, Any]
PURPOSES = {"turn": "answers", "decision": "decisions", "summary": "summaries", "check": "checks"}


UNKNOWN = "cost unknown"
LEAST_REUSED = 4_096
"""Smallest number of cacheable tokens in a turn for which the cache rate is reported."""


class CacheRate:
    """Compares the cached input tokens of a turn with those that could have been cached.

    Each request begins with the previous one, so that part could come from the cache. Only models that reported a cache
    in this session are included: other services have none, or do not report it.
    """

    def __init__(self) -> None:
        self._before: dict[str, int] = {}
        self._reporting: set[str] = set()
        self._cached = self._possible = 0
        self._is_unknown = False

    def replied(self, data: Data) -> None:
        """Add a reply."""
        usage, model = data["usage"], data["model"]
        if data["purpose"] != "turn" or data.get("error") or usage.get("estimated"):
            return
        inputs, cached = usage["input_tokens"], usage.get("cached_tokens", 0)
        if cached or usage.get("written_tokens"):
            self._reporting.add(model)
        if model in self._reporting and model in self._before:
            self._possible += min(self._before[model], inputs)
            self._cached += min(cached, inputs)
        self._before[model] = inputs

    def figures(self, turn: Data, data: Data) -> list[str]:
        """Return the figures of a finished turn; an unknown cost is in them once."""
        words = [word for part in [*sum_words(turn, data), *self.words()] for word in part.split(" · ")]
        kept = [word for place, word in enumerate(words) if word != UNKNOWN or UNKNOWN not in words[:place]]
        was_unknown, self._is_unknown = self._is_unknown, self._is_unknown or UNKNOWN in words
        return [word for word in kept if word != UNKNOWN or not was_unknown]

    def words(self) -> list[str]:
        """Return the cache rate at the end of the turn and reset; empty if most input came from the cache."""
        cached, possible = self._cached, self._possible
        self._cached = self._possible = 0
        if possible < LEAST_REUSED or cached * 2 >= possible:
            return []
        return [f"cache: {cached:,} of {possible:,} repeated tokens came from it"]


def switched_words(data: Data) -> str:
    """Return which model continues the turn, and why."""
    return f"{data['new']} takes over from {data['old']}: {data['reason']}"


def sum_words(turn: Data, data: Data) -> list[str]:
    """Return the figures of a finished turn: how it was cut short, its usage, and the session so far."""
    took = seconds_between(turn["started"], turn["ended"])
    counted, *parts = turn_words(turn, data.get("spent") or ())
    words = ["cancelled"] if turn["status"] == "cancelled" else []
    words += [counted, *([duration(took)] if took is not None else [])]
    words += [f"limit {turn['limit']}"] if turn["limit"] else []
    return [*words, *parts, *session_words(data)]


def turn_words(turn: Data, rows: Sequence[Data]) -> list[str]:
    """Return the usage of a turn, and the share that was not for answers."""
    if not rows:
        return [usage_words(turn["usage"])]
    words = [spent_words(summed(rows))]
    for purpose in dict.fromkeys(row["purpose"] for row in rows if row["purpose"] != "turn"):
        part = spent_words(summed([row for row in rows if row["purpose"] == purpose]))
        words.append(f"of it {PURPOSES.get(purpose, purpose)}: {part}")
    return words


def session_words(data: Data) -> list[str]:
    """Return the usage of the session so far, if it is more than this turn."""
    session, rows = data.get("session"), data.get("spent") or ()
    if not session or session["requests"] <= sum(row["requests"] for row in rows):
        return []
    return [f"session: {spent_words(session)}"]


def wait_words(wait: Mapping[str, Any], left: float, hint: str = "") -> str:
    """Return the text of a wait: whole seconds, model and reason."""
    seconds = ceil(left)
    long = f"{seconds} s" if seconds < 60 else f"{seconds // 60} min {seconds % 60:02d} s"
    reason = wait["reason"].replace("_", " ")
    return f"waiting {long} for {wait['model']}{hint}" + (f": {reason}" if reason else "")
