"""The review of a change by a child session, and the checks of what it answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from attrs import define, field

import inarch
from inarch_plugins.review.findings import ANSWER, CONFIRMATION, Checks, Finding, distinct, with_evidence
from inarch_plugins.review.prompts import DOUBTER, REVIEWER, doubt_prompt

READS = ("find_callers", "find_symbols", "list_files", "read_file", "search_files", "trace_execution")
"""Tools of the reviewer."""
MOST_DOUBTED = 20
"""Most findings without a quote that are asked about."""


@define(eq=False)
class Review:
    """One review: the first pass, the checks, and the second pass."""

    context: inarch.ToolContext
    checks: Checks
    dropped: list[dict[str, str]] = field(factory=list)
    model: str = ""
    costs: list[inarch.Usage] = field(factory=list)

    async def run(self, prompt: str) -> dict[str, Any]:
        """Return the findings that pass all checks, and those that were dropped."""
        answer = await self._ask("review", prompt, REVIEWER, ANSWER)
        found = [inarch.from_data(Finding, one) for one in answer["findings"]]
        kept = distinct([self.checks.marked(one) for one in found if self._passes(one, self.checks.fault(one))])
        proved = [one for one in kept if one.verified == "read"]
        for at, one in enumerate([one for one in kept if one.verified != "read"]):
            if at >= MOST_DOUBTED:
                self._passes(one, f"it has no evidence, and only {MOST_DOUBTED} of these are checked")
            elif (confirmed := await self._confirmed(one)) is not None:
                proved.append(confirmed)
        known = [one.cost_usd for one in self.costs]
        cost = None if None in known else str(sum(one for one in known if one is not None))
        return {
            "findings": inarch.to_data(distinct(proved)), "dropped": self.dropped, "model": self.model,
            "cost_usd": cost,
        }  # fmt: skip

    def _passes(self, finding: Finding, fault: str) -> bool:
        if fault:
            self.dropped.append({"title": finding.title, "place": finding.place, "why": fault})
        return not fault

    async def _confirmed(self, finding: Finding) -> Finding | None:
        """Ask a fresh child about a finding without evidence; None if it does not confirm it."""
        answer = await self._ask("review-check", doubt_prompt(finding), DOUBTER, CONFIRMATION)
        known = with_evidence(finding, answer["evidence"])
        fault = self.checks.fault(known) if answer["confirmed"] else "a second look did not confirm it"
        return self.checks.marked(known) if self._passes(finding, fault) else None

    async def _ask(self, name: str, prompt: str, instructions: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Run a child and return its answer."""
        settings = {"output_schema": schema}
        turn = (await self.context.child(inarch.ChildTask(name, prompt, instructions, READS, settings))).turn
        self.model = turn.model or self.model
        self.costs.append(turn.usage)
        try:
            answer = json.loads(turn.content) if turn.status == "done" else None
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            why = turn.error or (
                f"it reached {turn.limit}" if turn.limit else "its answer does not have the right form"
            )
            raise inarch.ToolFailed("execution", f"the reviewer did not answer: {why}")
        return answer


def reader(context: inarch.ToolContext) -> Callable[[str], Sequence[str] | None]:
    """Return a function that reads the lines of a file, each file once."""

    @cache
    def read(path: str) -> Sequence[str] | None:
        try:
            return context.workspace.read(path).data.decode("utf-8", "replace").split("\n")
        except inarch.ToolFailed:
            return None

    return read
