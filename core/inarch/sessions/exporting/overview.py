"""What stands at the head of an export: which session it was, what it took, what it touched, how its time went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from attrs import define, field, frozen

from inarch.contract.event_parts import Spent
from inarch.contract.events import Event
from inarch.journal.history import one_line
from inarch.sessions.exporting.reading import chapters
from inarch.sessions.exporting.story import Call, Chapter, Request, Span, Step
from inarch.sessions.exporting.words import seconds_of
from inarch.turns.budget.ledger import Ledger, total_of

SpanKind = Literal["turn", "model", "call", "asking", "wait", "failed"]
MOST_SPANS = 1_500
"""Spans below the turns that the overview's timeline shows; a session of more has its turns only."""
TITLE_LENGTH = 100


@frozen
class Entry:
    """A chapter's line in the outline."""

    number: int
    title: str
    status: str
    span: Span | None
    calls: int
    failed: int
    spans: tuple[tuple[SpanKind, Span], ...] = ()


@define(eq=False)
class Overview:
    """A session in short."""

    session_id: str = ""
    root: str = ""
    profile: str = ""
    version: str = ""
    plugins: tuple[str, ...] = ()
    forked_from: str = ""
    forked_at: int = 0
    first: float | None = None
    last: float | None = None
    events: int = 0
    models: Counter[str] = field(factory=Counter)
    entries: list[Entry] = field(factory=list)
    files: dict[str, dict[int, set[str]]] = field(factory=dict)
    spent: tuple[Spent, ...] = ()
    steps: int = 0
    size: int = 0

    @property
    def title(self) -> str:
        """The first prompt, on one line."""
        return next(
            (entry.title for entry in self.entries if entry.number and entry.title), "A session without prompts"
        )

    @property
    def turns(self) -> int:
        """How many turns the agent had."""
        return sum(entry.number > 0 for entry in self.entries)

    @property
    def calls(self) -> int:
        """How many calls there were."""
        return sum(entry.calls for entry in self.entries)

    @property
    def failed(self) -> int:
        """How many calls failed or were stopped."""
        return sum(entry.failed for entry in self.entries)

    @property
    def working(self) -> float:
        """Seconds that turns took, without the pauses between them."""
        return sum(entry.span.seconds for entry in self.entries if entry.span is not None)

    @property
    def total(self) -> Spent:
        """What all requests came to."""
        return total_of(self.spent)


def overview_of(events: Iterable[Event]) -> Overview:
    """Return a session in short; takes one pass."""
    overview, ledger, room = Overview(), Ledger(), MOST_SPANS
    for chapter in chapters(_seen(events, overview, ledger)):
        entry = _entry(chapter)
        has_room, room = room >= 0, room - len(entry.spans)
        if has_room and room < 0:
            overview.entries = [_short(earlier) for earlier in overview.entries]
        overview.entries.append(entry if room >= 0 else _short(entry))
        overview.steps += len(chapter.steps) + len(chapter.later)
        if chapter.model:
            overview.models[chapter.model] += 1
        for change in chapter.changes:
            for path in filter(None, (change.path, change.new_path)):
                overview.files.setdefault(path, {}).setdefault(chapter.number, set()).add(change.verb)
    overview.spent = ledger.rows()
    return overview


def _seen(events: Iterable[Event], overview: Overview, ledger: Ledger) -> Iterator[Event]:
    for event in events:
        overview.events += 1
        overview.size += len(event.line)
        overview.session_id = overview.session_id or event.session_id
        time = seconds_of(event.time)
        if time is not None:
            overview.first = time if overview.first is None else overview.first
            overview.last = time
        if event.kind == "session.started" and not overview.root:
            _started(overview, event)
        _count(ledger, event)
        yield event


def _count(ledger: Ledger, event: Event) -> None:
    try:
        ledger.saw(event)
    except (TypeError, ValueError, AttributeError, ArithmeticError):
        return  # a damaged or foreign event: the others still count


def _started(overview: Overview, event: Event) -> None:
    data = event.data
    plugins, at = data.get("plugins"), data.get("forked_at")
    overview.root, overview.profile = str(data.get("root") or ""), str(data.get("profile") or "")
    overview.version, overview.forked_from = str(data.get("version") or ""), str(data.get("forked_from") or "")
    overview.plugins = tuple(map(str, plugins)) if isinstance(plugins, list) else ()
    overview.forked_at = at if type(at) is int else 0


def _entry(chapter: Chapter) -> Entry:
    calls = chapter.calls
    title = one_line(chapter.prompt or "", TITLE_LENGTH) or (
        "(no prompt)" if chapter.number else "Before the first turn"
    )
    failed = sum(call.status == "error" for call in calls)
    spans = tuple(spans_of(chapter.steps))[: MOST_SPANS + 1]
    return Entry(chapter.number, title, chapter.status, chapter.span, len(calls), failed, spans)


def _short(entry: Entry) -> Entry:
    return Entry(entry.number, entry.title, entry.status, entry.span, entry.calls, entry.failed)


def spans_of(steps: Iterable[Step]) -> Iterator[tuple[SpanKind, Span]]:
    """Yield what took time: requests, calls, waits for a person, waits for a service."""
    for step in steps:
        if isinstance(step, Call):
            if step.asking is not None:
                yield "asking", step.asking
            if step.span is not None:
                yield "failed" if step.status == "error" else "call", step.span
        elif isinstance(step, Request):
            yield "failed" if step.error not in ("", "cancelled") else "model", step.span
        elif step.span is not None:
            yield "wait", step.span
