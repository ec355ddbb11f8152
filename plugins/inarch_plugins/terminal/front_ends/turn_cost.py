"""One-line summaries of a turn: tokens and cost, model switches, waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from inarch.figures import duration, seconds_between, spent_words, summed, usage_words

Data = Mapping[str, Any]
PURPOSES = {"turn": "answers", "decision": "decisions", "summary": "summaries", "check": "checks"}
UNKNOWN = "cost unknown"


class TurnFigures:
    """Sums up the turns of a session; that the cost is unknown is said once."""

    def __init__(self) -> None:
        self._is_unknown = False

    def words(self, turn: Data, data: Data) -> list[str]:
        """Return the figures of a finished turn: how it was cut short, its usage, and the session so far."""
        took = seconds_between(turn["started"], turn["ended"])
        counted, *more = turn_words(turn, data.get("spent") or ())
        parts = ["cancelled"] if turn["status"] == "cancelled" else []
        parts += [counted, *([duration(took)] if took is not None else [])]
        parts += [f"limit {turn['limit']}"] if turn["limit"] else []
        words = [word for part in (*parts, *more, *session_words(data)) for word in part.split(" · ")]
        first = words.index(UNKNOWN) if UNKNOWN in words and not self._is_unknown else -1
        self._is_unknown |= UNKNOWN in words
        return [word for place, word in enumerate(words) if word != UNKNOWN or place == first]


def switched_words(data: Data) -> str:
    """Return which model continues the turn, and why."""
    return f"{data['new']} takes over from {data['old']}: {data['reason']}"


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
    words = spent_words(session)
    return [] if words.startswith("no tokens") else [f"session: {words}"]


def wait_words(wait: Mapping[str, Any], left: float, hint: str = "") -> str:
    """Return the text of a wait: whole seconds, model and reason."""
    seconds = ceil(left)
    long = f"{seconds} s" if seconds < 60 else f"{seconds // 60} min {seconds % 60:02d} s"
    reason = wait["reason"].replace("_", " ")
    return f"waiting {long} for {wait['model']}{hint}" + (f": {reason}" if reason else "")
