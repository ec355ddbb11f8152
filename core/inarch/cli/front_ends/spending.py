"""How what was spent reads: at the end of a turn, and as a table of a session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from inarch.cli.front_ends.words import duration, money, seconds_between, usage_words

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


def table(rows: Sequence[Data]) -> Iterator[str]:
    """Yield the lines of a table by purpose, plugin and model, with a sum under several rows."""
    cells = [["purpose", "plugin", "model", "requests", "in", "out", "cost", "time"], *map(_cells, rows)]
    if len(rows) > 1:
        total = _cells(summed(rows))
        cells.append(["total", "", "", *total[3:]])
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    for line in cells:
        left = [f"{cell:<{width}}" for cell, width in zip(line[:3], widths[:3], strict=True)]
        right = [f"{cell:>{width}}" for cell, width in zip(line[3:], widths[3:], strict=True)]
        yield "  ".join([*left, *right]).rstrip()


def spent_words(row: Data) -> str:
    """Return tokens and cost of a row of the ledger."""
    tokens = row["input_tokens"] + row["output_tokens"]
    about = "about " if row.get("estimated") else ""
    counted = f"{about}{row['input_tokens']:,} in, {row['output_tokens']:,} out" if tokens else "no tokens"
    return f"{counted} · {cost_words(row)}"


def cost_words(row: Data) -> str:
    """Return the cost of a row of the ledger, and of how many requests it is unknown."""
    known, unknown = Decimal(str(row["cost_usd"])), row["unknown"]
    if not unknown:
        return money(known)
    if not known:
        return "cost unknown"
    return f"{money(known)} and {unknown} request{'s' if unknown > 1 else ''} of unknown cost"


def summed(rows: Sequence[Data]) -> dict[str, Any]:
    """Return the sum of rows."""
    names = ("requests", "failed", "input_tokens", "output_tokens", "cached_tokens", "unknown", "seconds")
    total: dict[str, Any] = {name: sum(row[name] for row in rows) for name in names}
    total["estimated"] = sum(row.get("estimated", 0) for row in rows)  # which older records don't have
    return {**total, "cost_usd": sum((Decimal(str(row["cost_usd"])) for row in rows), Decimal(0))}


def _cells(row: Data) -> list[str]:
    requests = f"{row['requests']:,}" + (f" ({row['failed']} failed)" if row["failed"] else "")
    tokens = [f"{row['input_tokens']:,}", f"{row['output_tokens']:,}"]
    who = [row.get("purpose", ""), row.get("plugin") or "-", row.get("model", "")]
    return [*who, requests, *tokens, cost_words(row), duration(row["seconds"])]
