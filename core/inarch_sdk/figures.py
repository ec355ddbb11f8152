"""Formats of times, tokens, money and calls in a line, and tables of spending and sessions."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from inarch.contract.errors import PluginError
from inarch.contract.guard import guarded
from inarch.contract.records import SessionInfo
from inarch_lib.output.escapes import escape
from inarch_lib.output.printer import columns_of, shorten

if TYPE_CHECKING:
    from inarch.contract.processes import Confinement

__all__ = [
    "answered_words",
    "call_title",
    "child_words",
    "confinement_words",
    "cost_words",
    "dropped_words",
    "duration",
    "failure_words",
    "held_words",
    "hit_rate_words",
    "input_words",
    "local_time",
    "money",
    "repair_kind",
    "repair_words",
    "reviewed_words",
    "rewritten_words",
    "seconds_between",
    "short_arguments",
    "spent_words",
    "summed",
    "table",
    "usage_words",
]

Data = Mapping[str, Any]
_VALUE_COLUMNS = 48
_LINE_COLUMNS = 300
_ON_WHAT = ("file_path", "directory", "query", "pattern", "command", "function")


def short_arguments(arguments: Mapping[str, Any]) -> str:
    """Return the arguments on one line: the main one as its bare value, long texts as their size."""
    plain = next(iter(arguments), None) if len(arguments) == 1 else next(filter(arguments.__contains__, _ON_WHAT), None)
    named = [f"{name}={_value(value)}" for name, value in arguments.items() if name != plain]
    return " ".join([_value(arguments[plain]), *named] if plain is not None else named)


_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_ARGUMENT = re.compile(r"\{(\w+)\}")


def call_title(name: str, arguments: Mapping[str, Any], tool: object = None) -> str:
    """Return what a call does in people's words on one line, such as `Run pytest -q`; not escaped.

    >>> from types import SimpleNamespace
    >>> call_title("grep", {"text": "f"}, SimpleNamespace(title="Search for {text}[ in {path}]"))
    'Search for f'
    >>> call_title("grep", {"text": "f"})
    'grep f'
    """
    template = getattr(tool, "title", "")
    if not isinstance(template, str) or not template:
        return f"{name} {short_arguments(arguments)}".rstrip()
    given = {**arguments, "files": _changed_by(tool, arguments)} if "{files}" in template else arguments
    said = {key: _said(value) for key, value in given.items()}

    def filled(text: str) -> str:
        return _ARGUMENT.sub(lambda found: said.get(found[1], ""), text)

    def kept(part: re.Match[str]) -> str:
        return part[1] if all(said.get(name) for name in _ARGUMENT.findall(part[1])) else ""

    return filled(_OPTIONAL.sub(kept, template)).strip() or name


def failure_words(name: str, error: Mapping[str, Any]) -> str:
    """Return a failed call's message for people, who see its title above: `it`, not the name of a denied tool.

    >>> failure_words("write_file", {"code": "denied", "message": "the user denied write_file: not today"})
    'the user denied it: not today'
    """
    message, is_denied = str(error.get("message") or ""), error.get("code") in ("denied", "unreviewed")
    return re.sub(rf"\b{re.escape(name)}\b", "it", message, count=1) if is_denied else message


def _changed_by(tool: Any, arguments: Mapping[str, Any]) -> list[str]:
    try:
        with guarded(tool.name, "tool", passes=()):
            return sorted(tool.effects(arguments).writes)
    except PluginError:  # a call that is not valid
        return []


def _said(value: Any) -> str:
    """Return an argument on one line; of a list, the first item and the number of the others."""
    if isinstance(value, (list, tuple)):
        first, more = _said(value[0]) if value else "", len(value) - 1
        return f"{first} and {more} more" if first and more > 0 else first
    if isinstance(value, str):
        first, *rest = value.strip("\n").splitlines() or [""]
        return f"{first} …" if rest else first
    return "" if value is None or isinstance(value, (bool, Mapping)) else str(value)


def _value(value: Any) -> str:
    if isinstance(value, str):
        if "\n" in value.rstrip("\n"):
            return f"({len(value.splitlines())} lines)"
        return shorten(value.rstrip("\n"), _VALUE_COLUMNS) or '""'
    return shorten(json.dumps(value, ensure_ascii=False, default=str), _VALUE_COLUMNS)


def duration(seconds: float) -> str:
    """Format a duration for people."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"


def seconds_between(started: str | None, ended: str | None) -> float | None:
    """Return the seconds between two recorded times, None if one is missing."""
    if not started or not ended:
        return None
    return max((datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds(), 0.0)


def local_time(time: str, *, seconds: bool = False) -> str:
    """Format a recorded time in local time, to the minute or the second."""
    form = "%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M"
    try:
        return datetime.fromisoformat(time).astimezone().strftime(form)
    except (ValueError, OverflowError, OSError):  # a damaged record
        return "????-??-?? ??:??" + ":??" * seconds


def usage_words(usage: Mapping[str, Any]) -> str:
    """Format tokens and cost; an unknown cost is shown as unknown."""
    tokens = usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
    cost = usage.get("cost_usd")
    about = "about " if usage.get("estimated") else ""
    counted = f"{about}{usage['input_tokens']:,} in, {usage['output_tokens']:,} out" if tokens else "no tokens"
    return f"{counted} · {'cost unknown' if cost is None else money(Decimal(str(cost)))}"


def money(amount: Decimal) -> str:
    """Format US dollars with as many decimals as the amount needs."""
    if amount == 0:
        return "$0"
    return f"${amount:.2f}" if amount >= 1 else f"${amount:.4f}" if amount >= Decimal("0.0001") else "<$0.0001"


_DATED = re.compile(r"-\d{4}-?\d\d-?\d\d$")


def answered_words(model: str, answered_by: str, company: str = "") -> str:
    """Name the model that answered if it is not the one that was asked; empty if it is, or if unknown.

    A name with a version date, such as `NAME-2026-11-17`, is the same model.
    """
    if not answered_by or any(f"/{model}".endswith(f"/{name}") for name in (answered_by, _DATED.sub("", answered_by))):
        return ""
    return f"answered by {answered_by}" + (f" ({company})" if company else "")


_DECISIONS = {"deny": "denies it", "stop": "stops the turn", "ask": "asks about it", "allow": "allows it"}


def rewritten_words(data: Mapping[str, Any]) -> str:
    """Describe in a line how a plugin rewrote a call, by the data of a `call.rewritten`."""
    said = _DECISIONS.get(str(data.get("decision") or ""), "")
    given = data.get("arguments")
    words = [f"rewrites it to {short_arguments(given)}" if isinstance(given, Mapping) else "", said]
    reason = _line(data.get("reason"))
    told = " and ".join(filter(None, words))
    return f"{data.get('name')}: {data.get('plugin')} {told}" + (f": {reason}" if reason else "")


def reviewed_words(data: Mapping[str, Any]) -> str:
    """Describe in a line what a plugin added to a result, by the data of a `call.reviewed`."""
    words = {"stop": "stops the turn", "data": "replaces the result", "text": "adds"}
    said = " and ".join(word for key, word in words.items() if data.get(key))
    return f"{data.get('name')}: {data.get('plugin')} {said}: {_line(data.get('text'))}".removesuffix(": ")


def held_words(data: Mapping[str, Any]) -> str:
    """Describe in a line why a turn continues, by the data of a `turn.held`."""
    return f"{data.get('plugin') or data.get('guard')} holds back the end: {_line(data.get('reason'))}"


def child_words(data: Mapping[str, Any]) -> str:
    """Describe in a line the start or end of a child session, by the data of a `child.started` or `child.ended`."""
    return f"{data.get('name')} {data.get('status') or 'begins'}: session {data.get('session_id')}"


def _line(text: object) -> str:
    return shorten(" ".join(str(text or "").split()), _LINE_COLUMNS)


def dropped_words(data: Mapping[str, Any]) -> str:
    """Describe briefly what was dropped, by the data of a `context.dropped`."""
    words = [
        _many(len(data.get("shortened") or ()), "earlier turn", " but for prompt and answer"),
        _many(len(data.get("turns") or ()), "earlier turn", " wholly"),
        _many(len(data.get("summaries") or ()), "earlier turn", " but for a summary"),
        _many(int(data.get("steps") or 0), "earlier step", " of this turn"),
        _many(len(data.get("results") or ()), "tool result"),
        "the project's structure" if data.get("structure") else "",
        "the middle of what was added to the prompt" if data.get("added") else "",
    ]
    return f"{', '.join(filter(None, words)) or 'nothing'}; about {int(data.get('tokens') or 0):,} tokens"


def _many(number: int, what: str, more: str = "") -> str:
    return f"{number} {what}{'s' if number > 1 else ''}{more}" if number else ""


def confinement_words(found: Confinement) -> str:
    """Describe how well commands are confined, and what is missing."""
    layers = f" ({', '.join(found.layers)})" if found.layers else ""
    return f"confined at level {found.level}{layers}" + (f": {found.reason}" if found.reason else "")


def table(rows: Sequence[Data]) -> Iterator[str]:
    """Yield the lines of a table by purpose, plugin and model, with a sum below several rows."""
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
    """Format tokens and cost of a row of the ledger."""
    tokens = row["input_tokens"] + row["output_tokens"]
    about = "about " if row.get("estimated") else ""
    counted = f"{about}{row['input_tokens']:,} in, {row['output_tokens']:,} out" if tokens else "no tokens"
    return f"{counted} · {cost_words(row)}"


def cost_words(row: Data) -> str:
    """Format the cost of a row of the ledger, with the number of requests of unknown cost."""
    known, unknown = Decimal(str(row["cost_usd"])), row["unknown"]
    if not unknown:
        return money(known)
    if not known:
        return "cost unknown"
    return f"{money(known)} and {unknown} request{'s' if unknown > 1 else ''} of unknown cost"


def input_words(row: Data) -> str:
    """Format the input tokens, with the share from the service's cache, if any."""
    rate = row.get("cached_tokens", 0) / row["input_tokens"] if row["input_tokens"] else 0
    about = "about " if row.get("estimated") else ""
    return f"{about}{row['input_tokens']:,}" + (f" ({rate:.0%} cached)" if rate else "")


def hit_rate_words(rows: Sequence[Data]) -> str:
    """Format the share of input tokens from the services' caches, by model if several report any.

    Models whose service never reported a cached token are ignored; without others, return an empty string.
    """
    sums: dict[str, list[int]] = {}
    for row in rows:
        one = sums.setdefault(str(row["model"]), [0, 0])
        one[0] += row.get("cached_tokens", 0)
        one[1] += row["input_tokens"]
    known = {model: (cached, whole) for model, (cached, whole) in sorted(sums.items()) if cached and whole}
    if not known:
        return ""
    whole = sum(tokens for _, tokens in known.values())
    each = [f"{model} {_share(*one)}" for model, one in known.items()] if len(known) > 1 else []
    share = _share(sum(cached for cached, _ in known.values()), whole)
    return f"from the cache: {share} of {whole:,} input tokens" + (f" ({', '.join(each)})" if each else "")


def _share(part: int, whole: int) -> str:
    """Format a share; 100 % only if nothing is missing."""
    return f"{math.floor(1000 * part / whole) / 10:g}%"


_QUOTED = re.compile(r"'[^']*'|`[^`]*`|\"[^\"]*\"")


def repair_kind(text: str) -> str:
    """Return the kind of a repair: texts that differ only in quoted parts are one kind."""
    return _line(_QUOTED.sub("…", text))


def repair_words(repairs: Mapping[str, int]) -> str:
    """Format the number of repairs in replies by kind; empty for none."""
    ordered = sorted(repairs.items(), key=lambda item: -item[1])
    said = "; ".join(f"{count:,} × {kind}" for kind, count in ordered)
    return f"repaired in replies: {said}" if said else ""


def summed(rows: Sequence[Data]) -> dict[str, Any]:
    """Return the sum of rows."""
    names = ("requests", "failed", "input_tokens", "output_tokens", "cached_tokens", "unknown", "seconds")
    total: dict[str, Any] = {name: sum(row[name] for row in rows) for name in names}
    total["estimated"] = sum(row.get("estimated", 0) for row in rows)  # missing in older records
    return {**total, "cost_usd": sum((Decimal(str(row["cost_usd"])) for row in rows), Decimal(0))}


def _cells(row: Data) -> list[str]:
    requests = f"{row['requests']:,}" + (f" ({row['failed']} failed)" if row["failed"] else "")
    tokens = [input_words(row), f"{row['output_tokens']:,}"]
    who = [row.get("purpose", ""), row.get("plugin") or "-", row.get("model", "")]
    return [*who, requests, *tokens, cost_words(row), duration(row["seconds"])]


SHORTEST_ID = 8


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """Return for each id the shortest beginning that is unique."""
    ordered = sorted(ids)
    short: dict[str, str] = {}
    for before, this, after in zip(["", *ordered], ordered, [*ordered[1:], ""], strict=False):
        shared = max(_shared(this, before), _shared(this, after))
        short[this] = this[: max(shared + 1, SHORTEST_ID)]
    return short


def listing(
    shown: Sequence[SessionInfo], ids: Sequence[str], *, with_root: bool = False, names: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Yield a line for each session, with its shortest unique id and its name; `names` has the ids."""
    named = {session_id: f"{name}: " for name, session_id in (names or {}).items()}
    columns = columns_of(sys.stdout) if sys.stdout.isatty() else 10_000
    short = short_ids(ids)
    wide = max((len(short[info.id]) for info in shown), default=0)
    for info in shown:
        said = f"{named.get(info.id, '')}{info.title or '(no prompt)'}{f'  [{info.root}]' if with_root else ''}"
        line = f"{short[info.id]:<{wide}}  {local_time(info.started)}  {info.events:>6} events  {said}"
        yield shorten(escape(line, keep_newlines=False), columns)


def _shared(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
