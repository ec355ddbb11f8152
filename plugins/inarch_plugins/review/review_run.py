"""One review: gather, ask, and the report."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

import inarch
from inarch_plugins.review.findings import Finding
from inarch_plugins.review.gathering import Call, Gathered, Wish, gathered


@frozen
class Report:
    """Result of a review.

    Args:
        what: The reviewed change in words.
        findings: The findings that passed all checks, the most urgent ones first.
        files: How many files were reviewed, of how many that changed.
        left_out: Files, or folders with their number of files, that were not reviewed because the change is too big.
        without_lines: Binary files, mere renames and the like.
        dropped: Findings that failed a check: `title`, `place` and `why`.
        notes: What is incomplete.
        model: The model that was asked, "" if there was nothing to ask about.
        cost_usd: The cost as text, None if unknown.
    """

    what: str
    findings: tuple[Finding, ...] = ()
    files: tuple[int, int] = (0, 0)
    left_out: tuple[str, ...] = ()
    without_lines: tuple[str, ...] = ()
    dropped: tuple[dict[str, str], ...] = field(factory=tuple)
    notes: tuple[str, ...] = ()
    model: str = ""
    cost_usd: str | None = "0"


async def review(call: Call, wish: Wish) -> Report:
    """Review a change.

    Raises:
        ToolFailed: The change can't be read, or the model did not answer.
    """
    found = await gathered(call, wish)
    about: dict[str, Any] = {
        "what": found.what, "files": (len(found.files), found.total), "left_out": tuple(found.left_out),
        "without_lines": tuple(found.without_lines), "notes": tuple(found.notes),
    }  # fmt: skip
    if not found.files:
        return Report(**about)
    result = await call("review_change", _arguments(found, wish))
    if not result.success:
        error = result.error or inarch.ToolError("execution", "the review failed")
        raise inarch.ToolFailed(error.code, error.message, error.remedy)
    data = result.data
    findings = tuple(inarch.from_data(Finding, one) for one in data["findings"])
    return Report(
        findings=findings, dropped=tuple(data["dropped"]), model=data["model"], cost_usd=data["cost_usd"], **about
    )


def _arguments(found: Gathered, wish: Wish) -> dict[str, Any]:
    return {
        "files": found.files, "callers": found.callers, "what": found.what, "about": wish.about, "focus": wish.focus,
    }  # fmt: skip
