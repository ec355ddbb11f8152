"""Head of an export: the session, its cost, its files and its time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from attrs import define, field, frozen

from inarch.transcripts import Call, Exchange, Request, Span, Spent, Step, Transcript
from inarch_plugins.export.remarks import exchanges_of
from inarch_plugins.export.words import one_line
from inarch_sdk.exchanges import seconds_of

SpanKind = Literal["model", "call", "asking", "wait", "failed"]
TITLE_LENGTH = 100


@frozen
class Entry:
    """Line of an exchange in the outline."""

    number: int
    title: str
    status: str
    span: Span | None
    calls: int
    failed: int


@define(eq=False)
class Overview:
    """Summary of a session."""

    session_id: str = ""
    root: str = ""
    profile: str = ""
    version: str = ""
    forked_from: str = ""
    forked_at: int = 0
    child_of: str = ""
    first: float | None = None
    models: Counter[str] = field(factory=Counter)
    entries: list[Entry] = field(factory=list)
    files: dict[str, dict[int, set[str]]] = field(factory=dict)
    spent: tuple[Spent, ...] = ()
    steps: int = 0
    turns: int = 0
    calls: int = 0
    failed: int = 0
    working: float = 0.0
    """Seconds that turns took, without the pauses between them."""

    @property
    def title(self) -> str:
        """Return the first prompt, on one line."""
        return next(
            (entry.title for entry in self.entries if entry.number and entry.title), "A session without prompts"
        )

    @property
    def total(self) -> Spent:
        """Return the total of all requests."""
        total = Spent("", "", "")
        for row in self.spent:
            total = Spent(
                "", "", "", total.requests + row.requests, input_tokens=total.input_tokens + row.input_tokens,
                output_tokens=total.output_tokens + row.output_tokens, cost_usd=total.cost_usd + row.cost_usd,
                unknown=total.unknown + row.unknown,
            )  # fmt: skip
        return total


def overview_of(session: Transcript) -> Overview:
    """Return the summary of a session; takes one pass."""
    overview = _begun(session)
    for exchange in exchanges_of(session):
        entry = _entry(exchange)
        overview.entries.append(entry)
        overview.turns += entry.number > 0
        overview.calls += entry.calls
        overview.failed += entry.failed
        overview.working += entry.span.seconds if entry.span is not None else 0.0
        overview.steps += len(exchange.steps) + len(exchange.later)
        if exchange.model:
            overview.models[exchange.model] += 1
        for change in exchange.changes:
            for path in filter(None, (change.path, change.new_path)):
                overview.files.setdefault(path, {}).setdefault(exchange.number, set()).add(change.verb)
    overview.spent = session.spent()
    return overview


def _begun(session: Transcript) -> Overview:
    data, info = session.begun, session.info
    profile, version, forked_from = (str(data.get(name) or "") for name in ("profile", "version", "forked_from"))
    at, first = data.get("forked_at"), seconds_of(info.started)
    branch = data.get("branch")
    child = f"{branch.get('name')} of session {branch.get('parent')}" if isinstance(branch, dict) else ""
    return Overview(info.id, info.root, profile, version, forked_from, at if type(at) is int else 0, child, first)


def _entry(exchange: Exchange) -> Entry:
    calls = exchange.calls
    title = one_line(exchange.prompt or "", TITLE_LENGTH) or (
        "(no prompt)" if exchange.number else "Before the first turn"
    )
    failed = sum(call.status == "error" for call in calls)
    return Entry(exchange.number, title, exchange.status, exchange.span, len(calls), failed)


def spans_of(step: Step) -> Iterator[tuple[SpanKind, Span]]:
    """Yield the spans of time of a step: a request, a call, waits for a person or a service."""
    if isinstance(step, Call):
        if step.asking is not None:
            yield "asking", step.asking
        if step.span is not None:
            yield "failed" if step.status == "error" else "call", step.span
    elif isinstance(step, Request):
        yield "failed" if step.error not in ("", "cancelled") else "model", step.span
    elif step.span is not None:
        yield "wait", step.span
