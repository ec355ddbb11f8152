"""Recorded turns of a session, with requests, calls and answers, and the events between them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, NamedTuple

from attrs import define, field

from inarch import ApprovalScope, ChosenRights, Event, Standing, Submitted, ToolResult, from_data
from inarch_sdk.result_text import NOT_ASKED

NOTHING = Standing()
SAYS_WHEN = "it can be asked again at"
_LASTING: tuple[ApprovalScope, ...] = ("shape", "tool", "session", "project")


@define(eq=False, repr=False)
class Exchange:
    """A request and its reply. `replied` is None if the record has no reply."""

    requested: Event
    number: int
    replied: Event | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The key for matching requests, next to turn and order."""
        return request_key(self.requested.data)

    @property
    def failed(self) -> bool:
        """Whether it has no complete reply."""
        return self.replied is None or self.replied.data.get("finish") == "error"


class Covered(NamedTuple):
    """An earlier approval: its scope, and the rights chosen with it."""

    scope: ApprovalScope
    rights: ChosenRights


def rights_of(answer: Mapping[str, Any]) -> ChosenRights:
    """Return the rights that a recorded answer chose."""
    return {name: tuple(values) for name, values in (answer.get("rights") or {}).items()}


RUNS_ON = "runs_on"
"""Key in a result's metadata: the call's processes continue, and their changes belong to the call."""


@define(eq=False, repr=False)
class RecordedCall:
    """A call with all its events.

    `mended` counts the reviewers' changes replayed so far. `said` has the output and failures of rewriters and
    reviewers, `reviewed` the answers of approvers.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]
    origin: str
    turn_id: str
    answers: list[Mapping[str, Any]] = field(factory=list)
    all_answers: list[Mapping[str, Any]] = field(factory=list)
    changes: list[Event] = field(factory=list)
    result_event: Event | None = None
    was_asked: bool = False
    by_mode: bool = False
    reviewed: list[Event] = field(factory=list)
    mended: int = 0
    said: list[Event] = field(factory=list)

    @property
    def was_cut(self) -> bool:
        """Whether the process ended while it ran."""
        return self.result_event is None or _is_late(self.result_event)

    @property
    def result(self) -> ToolResult | None:
        """Its result, or None if unknown."""
        return None if self.result_event is None else from_data(ToolResult, self.result_event.data["result"])

    @property
    def status(self) -> str:
        """Its last recorded state; empty if it never ended."""
        return "" if self.result_event is None else str(self.result_event.data["status"])

    @property
    def lasting_scope(self) -> ApprovalScope | None:
        """The scope of the earlier approval that let it run without a question."""
        said = self.answers[0].get("scope") if self.answers and not self.was_asked else None
        return next((scope for scope in _LASTING if scope == said), None)

    @property
    def covered(self) -> Covered | None:
        """That scope and the rights chosen with it."""
        scope = self.lasting_scope
        return None if scope is None else Covered(scope, rights_of(self.answers[0]))

    @property
    def was_typed(self) -> bool:
        """Whether the user made it directly, so that its first answer already had its rights."""
        first = self.answers[0] if self.answers else {}
        return self.was_asked and first.get("outcome") == "approve" and bool(first.get("rights"))

    @property
    def own_changes(self) -> list[Event]:
        """The changes by the call itself. A stopped call may have continued for a while."""
        return [event for event in self.changes if not (self._is_mending(event) or event in self.late_changes)]

    @property
    def late_changes(self) -> list[Event]:
        """The changes by its processes after its result."""
        ended = self.result_event
        if ended is None or self.result is None or not self.result.metadata.get(RUNS_ON):
            return []
        return [event for event in self.changes if event.seq > ended.seq]

    def _is_mending(self, change: Event) -> bool:
        """Return whether a reviewer made a change: it came after the end of a call that was not stopped."""
        if self.result is not None and self.result.metadata.get(RUNS_ON):
            return False
        ended, error = self.result_event, self.result.error if self.result is not None else None
        stopped = error is not None and error.code in ("timeout", "cancelled")
        return ended is not None and change.seq > ended.seq and not (self.was_cut or stopped)

    def said_by(self, plugin: str, part: str, name: str) -> Event | None:
        """Return the output or failure of this rewriter or reviewer (`part`) of a plugin on the call."""
        failed = f"{part} {name!r} was skipped"
        for event in self.said:
            if event.data.get("plugin") == plugin and (
                event.data.get(part) == name or str(event.data.get("message", "")).startswith(failed)
            ):
                return event
        return None

    def mended_until(self, said: Event | None) -> list[Event]:
        """Take the changes before a reviewer's output. Without output, take those before any other output."""
        left = [event for event in self.changes if self._is_mending(event)][self.mended :]
        ends = [event.seq for event in ([said] if said is not None else self.said) if event.kind != "call.rewritten"]
        end = min((seq for seq in ends if left and seq > left[0].seq), default=None)
        taken = [event for event in left if end is None or event.seq < end]
        self.mended += len(taken)
        return taken

    @property
    def is_questioned(self) -> bool:
        """Whether the user had to approve it, now or earlier."""
        return self.was_asked or self.lasting_scope is not None


@define(eq=False, repr=False)
class RecordedTurn:
    """A turn of the agent and its prompt."""

    number: int
    id: str
    prompt_id: str
    prompt: Submitted
    model: str
    settings: Mapping[str, Any]
    asked: Event | None
    events: list[Event]
    exchanges: list[Exchange] = field(factory=list)
    calls: list[RecordedCall] = field(factory=list)

    @property
    def end(self) -> Mapping[str, Any] | None:
        """The turn's final event, or None if it was interrupted."""
        last = next((event for event in reversed(self.events) if event.kind == "turn.ended"), None)
        return None if last is None else last.data["turn"]

    @property
    def was_stopped(self) -> bool:
        """Whether the turn was stopped from outside: by the user, its time limit or the end of the process."""
        return stopped(self.end)

    @property
    def was_refused(self) -> bool:
        """Whether the turn ended because the user denied all of its last calls. This is not a stop from outside."""
        return bool((self.end or {}).get("unmet")) and not self.was_stopped

    def says_when(self, exchange: Exchange) -> bool:
        """Return whether the record says when a failed request can be retried."""
        reply = exchange.replied
        later = (event for event in self.events if reply is not None and event.seq > reply.seq)
        until = itertools.takewhile(lambda event: event.kind != "model.requested", later)
        return any(SAYS_WHEN in event.line for event in until)

    def notes_in(self, exchange: Exchange) -> list[Event]:
        """Return a provider's notes on its reply, which were recorded just before it."""
        end = exchange.replied.seq if exchange.replied is not None else 0
        before = (event for event in reversed(self.events) if event.seq < end)
        notes = itertools.takewhile(lambda event: _is_note_of(event, "model") or _is_note_of(event, "repair"), before)
        return [*notes][::-1]

    def said_after(self, requests: int) -> list[Event]:
        """Return the input that entered the turn after this many requests."""
        made = itertools.accumulate(event.kind == "model.requested" for event in self.events)
        return [
            event
            for event, count in zip(self.events, made, strict=True)
            if count == requests and event.kind == "input.ended" and event.data.get("outcome") == "added"
        ]

    def of_source(self, name: str) -> Event | None:
        """Return a context source's addition, if any."""
        return next((e for e in self.events if e.kind == "context.added" and e.data.get("source") == name), None)

    def stopped_by(self, name: str) -> str | None:
        """Return why a context source stopped the turn before any request, if it did."""
        made = self.decision()
        if made is None or (made.data.get("strategy"), made.data.get("reason")) != (name, NOT_ASKED):
            return None
        return str(made.data["text"]).removeprefix(f"stopped by {name}: ")

    def calls_of_source(self, added: Event) -> list[RecordedCall]:
        """Return the calls of a source. They ended between the previous source's addition and its own."""
        before = max((e.seq for e in self.events if e.kind == "context.added" and e.seq < added.seq), default=0)
        ends = ((call, call.result_event) for call in self.calls if call.origin == "mention")
        return [call for call, end in ends if end is not None and before < end.seq < added.seq]

    def decision(self) -> Event | None:
        """Return a strategy's decision, if any."""
        return next((event for event in self.events if event.kind == "decision.made"), None)

    def asked_by(self, plugin: str) -> list[Exchange]:
        """Return the requests made by a plugin's strategy or source."""
        return [one for one in self.exchanges if one.requested.data.get("plugin", "") == plugin]

    def opening_notes(self, source: str) -> list[str]:
        """Return the notes of a context source, from before the decision or the first request."""
        ends = ("decision.made", "turn.ended")
        until = next((place for place, event in enumerate(self.events) if event.kind in ends), len(self.events))
        return [str(event.data["text"]) for event in self.events[:until] if _is_note_of(event, source)]

    def closing_note(self, source: str) -> str | None:
        """Return a tracer's note at the end, if any."""
        for event in reversed(self.events):
            if event.kind in ("turn.ended", "file.changed"):  # running processes change files after the turn, too
                continue
            if event.kind not in ("note", "error"):
                return None
            if _is_note_of(event, source):
                return str(event.data["text"])
        return None

    def skipped(self, what: str) -> Event | None:
        """Return the error with which a plugin's part was skipped."""
        return next(
            (e for e in self.events if e.kind == "error" and str(e.data["message"]).startswith(f"{what} was skipped")),
            None,
        )


def stopped(end: Mapping[str, Any] | None) -> bool:
    """Return whether a turn with this final event was stopped from outside. None means interrupted."""
    if end is None or end.get("limit") == "max_seconds":
        return True
    return end.get("status") == "cancelled" and not end.get("unmet")  # it is set if the user denied all calls


def _is_late(event: Event) -> bool:
    """Return whether this result was added by a resume to an interrupted call."""
    return event.kind == "call.result" and event.data.get("ended") is None


def _is_note_of(event: Event, source: str) -> bool:
    return event.kind == "note" and event.data.get("source") == source


@define(eq=False, repr=False)
class Between:
    """An event between two turns, and the events that belong to it."""

    event: Event
    others: list[Event] = field(factory=list)


@define(eq=False, repr=False)
class OwnCalls:
    """Calls by the user, outside turns."""

    turn_id: str
    calls: list[RecordedCall] = field(factory=list)
    events: list[Event] = field(factory=list)
    asked: None = None

    @property
    def was_stopped(self) -> bool:
        """Whether one of them was stopped from outside."""
        errors = [call.result.error if call.result is not None else None for call in self.calls]
        codes = [error.code for error in errors if error is not None]
        return any(call.was_cut for call in self.calls) or not {"cancelled", "unknown_outcome"}.isdisjoint(codes)

    @property
    def approve(self) -> str | None:
        """The approval mode that fits their results, or None if any does."""
        if any(call.by_mode for call in self.calls):
            return "all"
        return "ask" if any(call.is_questioned for call in self.calls) else None


Step = RecordedTurn | Between | OwnCalls


def request_key(data: Mapping[str, Any]) -> tuple[str, str]:
    """Return the key for matching a request, next to turn and order: its purpose and its plugin."""
    return str(data.get("purpose", "turn")), str(data.get("plugin", ""))


def transitions_of(data: Mapping[str, Any]) -> list[tuple[str, Standing, Standing]]:
    """Return the states before and after a file change for each of its paths: two for a move, else one.

    Changes of caches, whose contents are not stored, have none.
    """
    if "" in (data.get("before"), data.get("after")):
        return []
    before = Standing(data.get("before"), int(data.get("before_mode") or 0))
    after = Standing(data.get("after"), int(data.get("after_mode") or 0))
    if (new_path := data.get("new_path")) is None:
        return [(data["path"], before, after)]
    return [(data["path"], before, NOTHING), (new_path, NOTHING, after)]
