"""One review: gather, ask, and the report."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

import inarch
from inarch_plugins.review.findings import Finding
from inarch_plugins.review.gathered_change import Call, Gathered, Wish, data_of, gathered


@frozen
class Report:
    """Result of a review."""

    change: Gathered
    findings: tuple[Finding, ...] = ()
    dropped: tuple[Mapping[str, str], ...] = ()
    model: str = ""
    cost_usd: str | None = "0"


async def review(call: Call, wish: Wish) -> Report:
    """Review a change."""
    found = await gathered(call, wish)
    if not found.files:
        return Report(found)
    given = {
        "files": found.files, "what": found.what, "callers": found.callers, "about": wish.about, "focus": wish.focus,
    }  # fmt: skip
    data = await data_of(call, "review_change", given)
    findings = tuple(inarch.from_data(Finding, one) for one in data["findings"])
    return Report(found, findings, tuple(data["dropped"]), data["model"], data["cost_usd"])
