"""A report as text, JSON, SARIF or workflow commands of GitHub."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import inarch
from inarch import to_data
from inarch_plugins.review.findings import CATEGORIES, Finding
from inarch_plugins.review.review_run import Report

MOST_RESULTS = 5_000
"""GitHub shows at most this many results of a run (docs.github.com, SARIF support for code scanning, 2026-11)."""
_LEVELS = ("error", "error", "warning", "note")
_MOST_NAMED = 10


def text_lines(report: Report) -> Iterator[str]:
    """Yield the lines for a terminal; the caller escapes them."""
    for one in report.findings:
        lines = one.code_location.line_range
        end = f"-{lines.end}" if lines.end > lines.start else ""
        old = " (before the change)" if one.code_location.side == "LEFT" else ""
        yield f"P{one.priority} {one.place}{end}{old}  {one.title}"
        yield from (f"   {line}" for line in one.body.splitlines() if line.strip())
        for proof in one.evidence:
            yield f"   {proof.path}:{proof.line}: {' '.join(proof.quote.split())}"
        sure = "quotes checked" if one.verified == "read" else "confirmed by a second request, without a quote"
        yield f"   {one.category}, confidence {one.confidence_score:.1f}, {sure}"
        yield ""
    yield summary(report)
    yield from remarks(report)


def summary(report: Report) -> str:
    """Return the result in one line."""
    count = len(report.findings)
    found = "no findings" if not count else "1 finding" if count == 1 else f"{count} findings"
    change = report.change
    return f"{found} in {len(change.files):,} of {change.total:,} changed files ({change.what})"


def remarks(report: Report) -> Iterator[str]:
    """Yield what was not reviewed, and what was dropped."""
    if names := report.change.without_lines:
        more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
        yield f"without lines to review: {', '.join(names[:_MOST_NAMED])}{more}"
    if report.change.left_out:
        why = "not reviewed, because the change is too big (code and small changes first)"
        yield f"{why}: {', '.join(report.change.left_out)}"
    for one in report.dropped:
        yield f"dropped: {one['title']} ({one['place']}): {one['why']}"
    yield from (f"incomplete: {note}" for note in report.change.notes)


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as JSON data, without the diffs."""
    change = report.change
    more = {"what": change.what, "files": {"reviewed": len(change.files), "changed": change.total}}
    names = {name: getattr(change, name) for name in ("left_out", "without_lines", "notes")}
    found = {name: to_data(getattr(report, name)) for name in ("findings", "dropped", "model", "cost_usd")}
    return {**more, **found, **names}


def sarif(report: Report) -> dict[str, Any]:
    """Return the report as SARIF 2.1.0 (OASIS standard, 2020-03-27)."""
    used = [category for category in CATEGORIES if any(one.category == category for one in report.findings)]
    driver = {
        "name": "Inarch review", "version": inarch.__version__,
        "rules": [{"id": one, "shortDescription": {"text": one.replace("-", " ")}} for one in used],
    }  # fmt: skip
    notes = [{"level": "note", "message": {"text": text}} for text in remarks(report)]
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "results": [_result(one, used) for one in report.findings[:MOST_RESULTS]],
    }
    return {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}


def _result(one: Finding, rules: list[str]) -> dict[str, Any]:
    location, lines = one.code_location, one.code_location.line_range
    related = [{**_place(proof.path, proof.line, proof.line), "message": {"text": proof.quote}, "id": at}
               for at, proof in enumerate(one.evidence)]  # fmt: skip
    return {
        "ruleId": one.category, "ruleIndex": rules.index(one.category), "level": _LEVELS[one.priority],
        "message": {"text": f"{one.title}\n\n{one.body}"},
        "locations": [_place(location.path, lines.start, max(lines.start, lines.end))],
        "relatedLocations": related,
        "partialFingerprints": {"inarchReview/v1": one.fingerprint},
        "properties": {
            "priority": one.priority, "confidence": one.confidence_score, "verified": one.verified,
            "side": location.side,
        },
    }  # fmt: skip


def _place(path: str, start: int, end: int) -> dict[str, Any]:
    region = {"startLine": start, "endLine": end}
    return {"physicalLocation": {"artifactLocation": {"uri": quote(path)}, "region": region}}


def workflow_commands(report: Report) -> Iterator[str]:
    """Yield annotations for a run of GitHub Actions, and the remarks as a notice.

    Every line end is escaped, so that text of a model cannot start a command of its own. The escapes are those of
    `@actions/core` (github.com/actions/toolkit, packages/core/src/command.ts, 2026-11).
    """
    for one in report.findings:
        lines = one.code_location.line_range
        kind = {"note": "notice"}.get(_LEVELS[one.priority], _LEVELS[one.priority])
        given = {"file": one.code_location.path, "line": str(lines.start), "endLine": str(max(lines.end, lines.start)),
                 "title": f"P{one.priority} {one.title}"}  # fmt: skip
        escaped = {key: _message(value).replace(":", "%3A").replace(",", "%2C") for key, value in given.items()}
        properties = ",".join(f"{key}={value}" for key, value in escaped.items())
        yield f"::{kind} {properties}::{_message(one.body)}"
    yield f"::notice title=Inarch review::{_message(chr(10).join([summary(report), *remarks(report)]))}"


def _message(text: str) -> str:
    return inarch.escape(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
