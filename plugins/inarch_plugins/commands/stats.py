"""`inarch stats`: usage of the requests of stored sessions, by day, model, plugin and purpose."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from inarch import UsageError
from inarch.commands import composing_options
from inarch.output import print_json, print_line

if TYPE_CHECKING:
    from inarch import App, Event

KINDS = ("model.requested", "model.replied", "note")
BY = ("day", "model", "plugin", "purpose")
_AGE = re.compile(r"(\d{1,4})([dw])")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NOTHING: Mapping[str, Any] = {
    "requests": 0, "failed": 0, "input_tokens": 0, "output_tokens": 0, "cached_tokens": 0, "cost_usd": Decimal(0),
    "unknown": 0, "seconds": 0.0, "estimated": 0,
}  # fmt: skip
Sums = dict[str, dict[str, dict[str, Any]]]
"""Usage of requests, by day, model and so on."""


@click.command("stats")
@click.option("--since", metavar="DAY", help="First day: 2026-01-31, or 7d or 4w ago.")
@click.option("--until", metavar="DAY", help="Last day.")
@click.option("--by", "by", type=click.Choice(BY), multiple=True, help="Only by this.")
@click.option("--all", "everywhere", is_flag=True, help="Sessions of every directory.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def stats(
    since: str | None, until: str | None, by: tuple[str, ...], everywhere: bool, as_json: bool, **given: Any
) -> None:
    """Sum up tokens, cost and time of stored sessions, by day, model, plugin and purpose."""
    from inarch.commands import compose_given
    from inarch.figures import hit_rate_words, repair_words

    first, last = _day(since, "--since"), _day(until, "--until")
    if first and last and first > last:
        raise UsageError(f"--since {first} is after --until {last}", "give the earlier day first")
    with compose_given(given, tells=False) as app:
        sums, total, sessions, repairs = _summed(app, first, last, everywhere)
    shown = by or BY
    if as_json:
        rows = {name: [{name: key, **_plain(row)} for key, row in sorted(sums[name].items())] for name in shown}
        print_json({"since": first, "until": last, "sessions": sessions, "total": _plain(total), **rows,
                    "repairs": [{"text": text, "count": count} for text, count in repairs.most_common()]})  # fmt: skip
        return
    if not total["requests"]:
        print_line("no requests" if everywhere else "no requests in this directory; --all counts all others")
        return
    for name in shown:
        for line in _table(name, sums[name]):
            print_line(line)
        print_line("")
    many = "1 session" if sessions == 1 else f"{sessions:,} sessions"
    print_line(f"{many}: {'  '.join(_cells('', total)[1:])}")
    if said := hit_rate_words([{"model": model, **row} for model, row in sums["model"].items()]):
        print_line(said)
    if repairs:
        print_line(repair_words(repairs))


def _summed(app: App, first: str, last: str, everywhere: bool) -> tuple[Sums, dict[str, Any], int, Counter[str]]:
    """Return the sums, the total, the number of sessions, and how often each kind of reply was repaired.

    Turns that a fork shares with another session are counted once.
    """
    from inarch.figures import repair_kind

    sums: Sums = {name: {} for name in BY}
    total, seen, sessions, repairs = dict(_NOTHING), set(), 0, Counter[str]()
    for info in app.store.sessions(None if everywhere else app.config.root):
        if first and _local_day(max(info.started, info.updated)) < first:
            continue
        has_any = False
        for event in app.kept.transcript(info, hides=False).events(KINDS):
            day, same = _local_day(event.time), (event.turn_id, event.seq, event.time)
            if same in seen or (first and day < first) or (last and day > last):
                continue
            seen.add(same)
            if event.kind == "note":
                repairs[repair_kind(str(event.data.get("text")))] += event.data.get("source") == "repair"
                continue
            row, data = _row(event), event.data
            if row is None:
                continue
            has_any = True
            keys = (day, data.get("model"), data.get("plugin") or "-", data.get("purpose") or "turn")
            places = [sums[by].setdefault(str(key), dict(_NOTHING)) for by, key in zip(BY, keys, strict=True)]
            for place in (total, *places):
                for name, value in row.items():
                    place[name] += value
        sessions += has_any
    return sums, total, sessions, +repairs


def _row(event: Event) -> dict[str, Any] | None:
    """Return what an event adds, or None if it cannot be read; a request's cost is unknown until its reply has one."""
    if event.kind == "model.requested":
        return {**_NOTHING, "requests": 1, "unknown": 1}
    data = event.data
    try:
        usage = data.get("usage") or {}
        cost = usage.get("cost_usd")
        return {
            "requests": 0,
            "failed": int(data.get("finish") == "error" and data.get("error") != "cancelled"),
            **{name: int(usage.get(name, 0)) for name in ("input_tokens", "output_tokens", "cached_tokens")},
            "cost_usd": Decimal(str(cost or 0)),
            "unknown": 0 if cost is None else -1,
            "seconds": float(data.get("duration_s", 0.0)),
            "estimated": int(bool(usage.get("estimated"))),
        }
    except (TypeError, ValueError, AttributeError, ArithmeticError):
        return None  # written by another version


def _table(name: str, rows: Mapping[str, dict[str, Any]]) -> Iterator[str]:
    cells = [[name, "requests", "in", "out", "cost", "time"]]
    cells += [_cells(key, row) for key, row in sorted(rows.items())]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    for line in cells:
        right = (f"{cell:>{width}}" for cell, width in zip(line[1:], widths[1:], strict=True))
        yield "  ".join([f"{line[0]:<{widths[0]}}", *right])


def _cells(key: str, row: Mapping[str, Any]) -> list[str]:
    from inarch.figures import cost_words, duration, input_words

    failed = f" ({row['failed']} failed)" if row["failed"] else ""
    tokens = input_words(row), f"{row['output_tokens']:,}"
    return [key, f"{row['requests']:,}{failed}", *tokens, cost_words(row), duration(row["seconds"])]


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "cost_usd": str(row["cost_usd"]), "seconds": round(row["seconds"], 6)}


def _day(text: str | None, flag: str) -> str:
    """Return a day in comparable form, "" for none."""
    if text is None:
        return ""
    ago = _AGE.fullmatch(text)
    try:
        if ago is not None:
            days = int(ago[1]) * (7 if ago[2] == "w" else 1)
            return (datetime.now().astimezone() - timedelta(days=days)).date().isoformat()
        if _DAY.fullmatch(text):
            return datetime.fromisoformat(text).date().isoformat()
    except (ValueError, OverflowError):
        pass
    raise UsageError(f"{flag} {text!r} is not a day", "write it like 2026-01-31, or as an age, such as 7d or 4w")


def _local_day(time: str) -> str:
    try:
        return datetime.fromisoformat(time).astimezone().date().isoformat()
    except (ValueError, OverflowError):  # a damaged record
        return time[:10]
