"""Findings of a review, and the checks that each must pass."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast

from attrs import evolve, frozen

from inarch_plugins.review.hunks import SIDES, ChangedFile, Side

CATEGORIES = (
    "correctness", "security", "data-loss", "concurrency", "performance", "compatibility", "tests", "maintainability",
)  # fmt: skip
_LEAST_PART = 10
"""Characters from which a quote may be a part of its line."""


@frozen
class Evidence:
    """A line of code that shows a finding."""

    path: str
    line: int
    quote: str


@frozen
class LineRange:
    """Lines from `start` to `end`, both included."""

    start: int
    end: int


@frozen
class CodeLocation:
    """Place of a finding; the path is relative to the workspace."""

    path: str
    side: Side
    line_range: LineRange


@frozen
class Finding:
    """A finding.

    Args:
        title: At most 80 characters.
        body: Why it is wrong, and when it happens.
        category: One of `CATEGORIES`.
        confidence_score: From 0 to 1.
        priority: 0 (fix at once) to 3 (nice to have).
        code_location: Lines of the change.
        evidence: Lines that prove it, in any file.
        verified: `read` if Inarch found each quoted line in its file, `none` if only a second request confirmed it.
        fingerprint: Equal for the same finding in later reviews, even if its lines have moved.
    """

    title: str
    body: str
    category: str
    confidence_score: float
    priority: int
    code_location: CodeLocation
    evidence: tuple[Evidence, ...]
    verified: Literal["read", "none"] = "none"
    fingerprint: str = ""

    @property
    def place(self) -> str:
        """The first line, as `path:line`."""
        return f"{self.code_location.path}:{self.code_location.line_range.start}"


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": list(properties), "properties": properties}


_LINE = {"type": "integer", "minimum": 1}
_TEXT = {"type": "string", "minLength": 1}
_QUOTES = {"type": "array", "maxItems": 10, "items": _object(path=_TEXT, line=_LINE, quote=_TEXT)}
ANSWER = _object(
    findings={
        "type": "array",
        "maxItems": 100,
        "items": _object(
            title={**_TEXT, "maxLength": 80},
            body=_TEXT,
            category={"enum": list(CATEGORIES)},
            confidence_score={"type": "number", "minimum": 0, "maximum": 1},
            priority={"type": "integer", "minimum": 0, "maximum": 3},
            code_location=_object(
                path=_TEXT, side={"enum": ["LEFT", "RIGHT"]}, line_range=_object(start=_LINE, end=_LINE)
            ),
            evidence=_QUOTES,
        ),
    }
)
"""JSON Schema of the reviewer's answer."""
CONFIRMATION = _object(confirmed={"type": "boolean"}, reason=_TEXT, evidence=_QUOTES)
"""JSON Schema of the answer about one finding without a quote."""


@frozen(eq=False)
class Checks:
    """The checks of findings."""

    files: Mapping[str, ChangedFile]
    read: Callable[[str], Sequence[str] | None]

    def fault(self, finding: Finding) -> str:
        """Return why a finding is dropped, "" if all its claims about lines are true."""
        location = finding.code_location
        lines = location.line_range
        file = self.files.get(location.path)
        if file is None or not file.overlaps(location.side, lines.start, max(lines.end, lines.start)):
            return f"{finding.place} is not in the change"
        wrong = next((one for one in finding.evidence if not self.is_quote(one)), None)
        return "" if wrong is None else f"the quoted text is not at {wrong.path}:{wrong.line}"

    def is_quote(self, evidence: Evidence) -> bool:
        """Return whether the quoted lines are in the file from this line on, before or after the change."""
        quoted = [line.strip() for line in evidence.quote.strip("\n").split("\n")]
        file = self.files.get(evidence.path)
        shown = (
            [{n: text for hunk in file.hunks for n, text in hunk.lines(side).items()} for side in SIDES] if file else []
        )
        sources = [*shown, dict(enumerate(self.read(evidence.path) or (), 1))]
        return any(quoted) and any(
            all(_is_in(one, source.get(evidence.line + at)) for at, one in enumerate(quoted)) for source in sources
        )

    def marked(self, finding: Finding) -> Finding:
        """Return the finding with its fingerprint, and whether its lines were read."""
        location = finding.code_location
        file = self.files[location.path]
        text = file.line(location.side, location.line_range.start) or ""
        words = "\0".join((location.path, finding.category, " ".join(text.split())))
        print_ = hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        return evolve(finding, fingerprint=print_, verified="read" if finding.evidence else "none")


def _is_in(quote: str, line: str | None) -> bool:
    return line is not None and (quote == line.strip() or (len(quote) >= _LEAST_PART and quote in line))


def distinct(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings without duplicates: the most urgent ones first, and of equal ones the more confident."""
    order = sorted(findings, key=lambda one: (one.priority, -one.confidence_score, one.place))
    return list({one.fingerprint: one for one in reversed(order)}.values())[::-1]


def with_evidence(finding: Finding, evidence: Sequence[Mapping[str, Any]]) -> Finding:
    """Return the finding with evidence that a second request gave."""
    return evolve(finding, evidence=tuple(Evidence(**cast("dict[str, Any]", dict(one))) for one in evidence))
