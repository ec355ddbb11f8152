"""Parsers for the output of `git log`, `git show` and `git blame`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

from inarch_plugins.git.invocation import text

LOG_FORMAT = "%H%x00%an <%ae>%x00%aI%x00%s"
SHOW_FORMAT = f"{LOG_FORMAT}%x00%P%x00%B%x00"
_FIELDS = ("commit", "author", "date", "subject")


def commits(printed: bytes) -> list[dict[str, str]]:
    """Parse commits printed by `git log -z` in `LOG_FORMAT`."""
    fields = text(printed).removesuffix("\0").split("\0")
    if len(fields) < len(_FIELDS):
        return []
    return [dict(zip(_FIELDS, one, strict=True)) for one in zip(*[iter(fields)] * len(_FIELDS), strict=True)]


def shown(printed: bytes) -> dict[str, Any]:
    """Parse a commit and its diff, printed by `git show` in `SHOW_FORMAT`."""
    *fields, parents, message, diff = text(printed).split("\0", len(_FIELDS) + 2)
    named = dict(zip(_FIELDS, fields, strict=True))
    return {**named, "parents": parents.split(), "message": message.rstrip("\n"), "diff": diff.lstrip("\n")}


def blamed(printed: bytes) -> list[dict[str, Any]]:
    """Parse the output of `git blame --porcelain`, which describes each commit at its first line."""
    described: dict[str, dict[str, str]] = {}
    lines: list[dict[str, Any]] = []
    rows = iter(printed.split(b"\n"))
    for row in rows:
        if not row:
            continue
        commit, _, number, *_ = text(row).split(" ")
        about, line = _described(rows)
        described.setdefault(commit, about)
        lines.append({"line": int(number), **_who(commit, described[commit]), "text": text(line)})
    return lines


def _described(rows: Iterator[bytes]) -> tuple[dict[str, str], bytes]:
    about: dict[str, str] = {}
    for row in rows:
        if row.startswith(b"\t"):
            return about, row[1:]
        key, _, value = text(row).partition(" ")
        about[key] = value
    return about, b""


def _who(commit: str, about: dict[str, str]) -> dict[str, str | None]:
    if not commit.strip("0"):
        return {"commit": None, "author": "not committed yet", "date": None}
    date = _date(about.get("author-time", ""), about.get("author-tz", ""))
    return {"commit": commit, "author": about.get("author", ""), "date": date}


def _date(seconds: str, zone: str) -> str:
    try:
        ahead = timedelta(hours=int(zone[1:3]), minutes=int(zone[3:5])) * (-1 if zone.startswith("-") else 1)
        return datetime.fromtimestamp(int(seconds), timezone(ahead)).isoformat()
    except (ValueError, OverflowError, OSError):
        return f"{seconds} {zone}"  # a commit may claim any date
