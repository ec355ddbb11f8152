"""What a front end says of a turn in one line: what it took, which model goes on, what is waited for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from inarch.figures import duration, seconds_between, spent_words, summed, usage_words

Data = Mapping[str, Any]
PURPOSES = {"turn": "answers", "decision": "decisions", "summary": "summaries", "check": "checks"}


def switched_words(data: Data) -> str:
    """Return which model goes on with the turn, and why."""
    return f"{data['new']} takes over from {data['old']}: {data['reason']}"


def sum_words(turn: Data, data: Data) -> list[str]:
    """Return the figures of a turn that is over: how it was cut short, what it took, and the session so far."""
    took = seconds_between(turn["started"], turn["ended"])
    counted, *parts = turn_words(turn, data.get("spent") or ())
    words = ["cancelled"] if turn["status"] == "cancelled" else []
    words += [counted, *([duration(took)] if took is not None else [])]
    words += [f"limit {turn['limit']}"] if turn["limit"] else []
    return [*words, *parts, *session_words(data)]


def turn_words(turn: Data, rows: Sequence[Data]) -> list[str]:
    """Return what a turn took, and what of it was for anything but answers."""
    if not rows:
        return [usage_words(turn["usage"])]
    words = [spent_words(summed(rows))]
    for purpose in dict.fromkeys(row["purpose"] for row in rows if row["purpose"] != "turn"):
        part = spent_words(summed([row for row in rows if row["purpose"] == purpose]))
        words.append(f"of it {PURPOSES.get(purpose, purpose)}: {part}")
    return words


def session_words(data: Data) -> list[str]:
    """Return what the session took so far, if that is more than this turn."""
    session, rows = data.get("session"), data.get("spent") or ()
    if not session or session["requests"] <= sum(row["requests"] for row in rows):
        return []
    return [f"session: {spent_words(session)}"]


def wait_words(wait: Mapping[str, Any], left: float, hint: str = "") -> str:
    """Return how long in whole seconds, for which model and why a wait is."""
    seconds = ceil(left)
    long = f"{seconds} s" if seconds < 60 else f"{seconds // 60} min {seconds % 60:02d} s"
    reason = wait["reason"].replace("_", " ")
    return f"waiting {long} for {wait['model']}{hint}" + (f": {reason}" if reason else "")
