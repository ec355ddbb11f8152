"""A recorded turn: what is repeated in its replay, in the order in which the run asks for it."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

from attrs import define, field

from inarch import ApprovalScope, ChosenRights, Event, Standing, Submitted, ToolResult, from_data
from inarch.host import is_plugins
from inarch_sdk.result_text import NOT_ASKED

NOTHING = Standing()
_LASTING: tuple[ApprovalScope, ...] = ("shape", "tool", "session", "project")
_FAILED = ("was skipped", "it can be asked again at", "asked to be left alone")
"""Texts in the error of a plugin that failed, or of a service that asked for a pause."""


@define(eq=False, repr=False)
class Exchange:
    """A request and its reply. `replied` is None if the record has no reply."""

    requested: Event
    replied: Event | None = None


_exchange: ContextVar[Exchange | None] = ContextVar("inarch_replayed_exchange", default=None)
"""Record of the request that a task is making. Several may run at once."""


class Covered(NamedTuple):
    """An earlier approval: its scope, and the rights chosen with it."""

    scope: ApprovalScope
    rights: ChosenRights


def rights_of(answer: Mapping[str, Any]) -> ChosenRights:
    """Return the rights that a recorded answer chose."""
    return {name: tuple(values) for name, values in (answer.get("rights") or {}).items()}


@define(eq=False, repr=False)
class RecordedCall:
    """A call with its events. `answers` are those that were not given yet."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    origin: str
    answers: list[Mapping[str, Any]] = field(factory=list)
    all_answers: list[Mapping[str, Any]] = field(factory=list)
    changes: list[Event] = field(factory=list)
    result_event: Event | None = None
    was_asked: bool = False
    by_mode: bool = False

    @property
    def result(self) -> ToolResult | None:
        """Its result, or None if unknown."""
        return None if self.result_event is None else from_data(ToolResult, self.result_event.data["result"])

    @property
    def covered(self) -> Covered | None:
        """The earlier approval that let it run without a question."""
        said = self.answers[0].get("scope") if self.answers and not self.was_asked else None
        return next((Covered(scope, rights_of(self.answers[0])) for scope in _LASTING if scope == said), None)

    @property
    def is_questioned(self) -> bool:
        """Whether the user had to approve it, now or earlier."""
        return self.was_asked or self.covered is not None


@define(eq=False, repr=False)
class RecordedTurn:
    """A turn of the agent and its prompt.

    Args:
        number: Its number, from 1.
        events: Its events, beginning with the prompt.
        strangers: The compared events among them that belong to no turn or to another one.
    """

    number: int
    events: Sequence[Event]
    strangers: Sequence[Event]
    id: str = field(init=False, default="")
    prompt_id: str = field(init=False, default="")
    model: str = field(init=False, default="")
    settings: Mapping[str, Any] = field(init=False, factory=dict)
    requests: int = field(init=False, default=0)
    calls: dict[str, RecordedCall] = field(init=False, factory=dict)
    _waiting: dict[tuple[str, str], deque[Exchange]] = field(init=False, factory=dict)
    _questioned: deque[RecordedCall] = field(init=False, factory=deque)
    _bound: dict[str, RecordedCall] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        for event in self.events:
            if event.kind in _BUILDING:
                _BUILDING[event.kind](self, event)
        self._questioned.extend(call for call in self.calls.values() if call.is_questioned)

    def _started(self, event: Event) -> None:
        turn = event.data["turn"]
        if turn["type"] == "agent":
            self.id, self.prompt_id, self.model = turn["id"], turn.get("parent_id") or "", turn.get("model", "")
            self.settings = event.data.get("settings") or {}

    def _requested(self, event: Event) -> None:
        self._waiting.setdefault(_request_key(event), deque()).append(Exchange(event))

    def _replied(self, event: Event) -> None:
        key = _request_key(event)
        waiting = [one for one in self._waiting.get(key, ()) if one.replied is None]
        # The loop asks one at a time, so an earlier request without a reply lost it. Plugins may ask several at once.
        if waiting:
            waiting[0 if key[1] else -1].replied = event

    def _state(self, event: Event) -> None:
        self._call(event)

    def _call(self, event: Event) -> RecordedCall:
        call_id, call = str(event.data["call_id"]), event.data.get("call") or {}
        if call_id not in self.calls:
            name = str(event.data.get("name") or call.get("name") or "")
            made = RecordedCall(call_id, name, call.get("arguments") or {}, str(call.get("origin", "")))
            self.calls[call_id] = made
        return self.calls[call_id]

    def _result(self, event: Event) -> None:
        self._call(event).result_event = event

    def _changed(self, event: Event) -> None:
        if (call := self.calls.get(str(event.data["call_id"]))) is not None:
            call.changes.append(event)

    def _asked(self, event: Event) -> None:
        for call_id in event.data["call_ids"]:
            if call_id in self.calls:
                self.calls[call_id].was_asked = True

    def _given(self, event: Event) -> None:
        call = self.calls.get(str(event.data["call_id"]))
        if call is None:
            return
        if event.data.get("by") == "mode":
            call.by_mode = True
        else:
            call.answers.append(event.data)
            call.all_answers.append(event.data)

    # What it was.

    @property
    def prompt(self) -> Submitted:
        """Its prompt."""
        found = prompt_of(self.events)
        assert found is not None
        return found

    @property
    def end(self) -> Mapping[str, Any] | None:
        """The turn's final event, or None if it was interrupted."""
        last = next((event for event in reversed(self.events) if event.kind == "turn.ended"), None)
        return None if last is None else last.data["turn"]

    def why_not_run(self, deciding: Collection[str], sources: Collection[str], guards: Collection[str]) -> str:
        """Return why the turn can only be repeated from its events; empty if it can be run.

        Args:
            deciding: The plugins with strategies, which may ask a model in a replay, too.
            sources: The context sources that run in a replay.
            guards: The end guards.
        """
        end = self.end
        is_cancelled = end is not None and end.get("status") == "cancelled" and not end.get("unmet")
        if end is None or end.get("limit") == "max_seconds" or is_cancelled:
            return "was stopped"
        is_steered = end.get("limit") in guards or any(self._is_steered(event, deciding) for event in self.events)
        if is_steered or self._has_calls_of_others(sources):
            return "was steered by plugins or a service"
        return "was joined by what happened outside it" if self.strangers else ""

    def _is_steered(self, event: Event, deciding: Collection[str]) -> bool:
        """Return whether an event is an effect of something that a replay does not run."""
        data = event.data
        if event.kind in ("call.rewritten", "call.reviewed"):
            return True
        if event.kind == "turn.held":
            return bool(data["plugin"])
        if event.kind == "approval.given":
            return bool(data.get("by") == "reviewer")
        if event.kind == "model.requested":
            return bool(data.get("plugin")) and data["plugin"] not in deciding
        if event.kind == "decision.made":
            return bool(data.get("reason") == NOT_ASKED)
        if event.kind == "call.state":
            return bool((data.get("call") or {}).get("origin") == "guard")
        if event.kind == "file.changed":  # by a reviewer, or a process that went on
            call = self.calls.get(str(data["call_id"]))
            return call is None or (call.result_event is not None and call.result_event.seq < event.seq)
        return event.kind == "error" and any(text in event.line for text in _FAILED)

    def _has_calls_of_others(self, sources: Collection[str]) -> bool:
        names = {f"{call.name}(" for call in self.calls.values() if call.origin == "mention"}
        others = (e for e in self.events if e.kind == "context.added" and e.data.get("source") not in sources)
        return any(name in str(event.data["text"]) for event in others for name in names)

    # What comes next.

    def request(self, event: Event) -> Exchange | None:
        """Assign the record of an announced request to the task that makes it, or None if there is none."""
        self.requests += 1
        waiting = self._waiting.get(_request_key(event))
        exchange = waiting.popleft() if waiting else None
        _exchange.set(exchange)
        return exchange

    def is_made_again(self) -> bool:
        """Return whether the request that just failed was retried."""
        exchange = current_exchange()
        following = next(iter(self._waiting.get(_request_key(exchange.requested), ())), None) if exchange else None
        return following is not None and int(following.requested.data.get("attempt", 1)) > 1

    def asked_by(self, plugin: str) -> list[Event]:
        """Return the requests of a plugin that were not made yet, without repeated attempts."""
        waiting = (one.requested for key, all_ in self._waiting.items() if key[1] == plugin for one in all_)
        return [event for event in waiting if event.data.get("attempt", 1) == 1]

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

    def bind(self, call_id: str, name: str) -> RecordedCall | None:
        """Return the record of a call of the run: that of its id, else the next free one of its tool."""
        if call_id not in self._bound:
            taken = {call.id for call in self._bound.values()}
            free = [call for call in self.calls.values() if call.id not in taken]
            found = next((call for call in free if call.id == call_id), None)
            found = found or next((call for call in free if call.name == name), None)
            if found is None:
                return None
            self._bound[call_id] = found
        return self._bound[call_id]

    def then(self, name: str, chosen: ChosenRights) -> tuple[Any, bool]:
        """Return the approval mode set with an approval of these rights, and whether no user could be asked."""
        answers = [one for call in self.calls.values() if call.name == name for one in call.all_answers]
        yes = [one for one in answers if one["outcome"] == "approve"]
        modes = (str(one.get("approve") or "") for one in yes if rights_of(one) == dict(chosen))
        return next(filter(None, modes), ""), any(one.get("by") == "headless" for one in yes)

    def next_covered(self, name: str) -> Covered | None:
        """Return the earlier approval that covered the tool's next call with a question."""
        while self._questioned:
            call = self._questioned.popleft()
            if call.name == name:
                return call.covered
        return None

    def of_source(self, name: str) -> Event | None:
        """Return a context source's addition, if any."""
        return next((e for e in self.events if e.kind == "context.added" and e.data.get("source") == name), None)

    def decision(self) -> Event | None:
        """Return a strategy's decision, if any."""
        return next((event for event in self.events if event.kind == "decision.made"), None)

    def opening_notes(self, source: str) -> list[str]:
        """Return the notes of a context source, from before the decision or the first request."""
        opening = itertools.takewhile(lambda event: event.kind not in ("decision.made", "turn.ended"), self.events)
        return [str(event.data["text"]) for event in opening if _is_note_of(event, source)]

    def closing_note(self, source: str) -> str | None:
        """Return a tracer's note at the end, if any."""
        ending = (event for event in reversed(self.events) if event.kind != "turn.ended")
        last = itertools.takewhile(lambda event: event.kind in ("note", "error"), ending)
        return next((str(event.data["text"]) for event in last if _is_note_of(event, source)), None)

    def of_plugins(self) -> list[Event]:
        """Return the events of plugins."""
        return [event for event in self.events if is_plugins(event.kind)]


_BUILDING = {
    "turn.started": RecordedTurn._started,
    "model.requested": RecordedTurn._requested,
    "model.replied": RecordedTurn._replied,
    "call.state": RecordedTurn._state,
    "call.result": RecordedTurn._result,
    "file.changed": RecordedTurn._changed,
    "approval.asked": RecordedTurn._asked,
    "approval.given": RecordedTurn._given,
}


def current_exchange() -> Exchange | None:
    """Return the record of the request that this task is making."""
    return _exchange.get()


def prompt_of(step: Iterable[Event]) -> Submitted | None:
    """Return the prompt of a step that is a turn of the agent, None for others."""
    given: Mapping[str, Any] = {}
    for event in step:
        if event.kind == "turn.started":
            turn = event.data["turn"]
            if turn["type"] == "agent":
                return Submitted(str(given.get("content", "")), mode=given.get("mode") or "text")
            given = turn
    return None


def _is_note_of(event: Event, source: str) -> bool:
    return event.kind == "note" and event.data.get("source") == source


def _request_key(event: Event) -> tuple[str, str]:
    """Return the key for matching a request, next to its order: its purpose and its plugin."""
    return str(event.data.get("purpose", "turn")), str(event.data.get("plugin", ""))


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
