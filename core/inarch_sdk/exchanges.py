"""Conversion of events to exchanges, one at a time: only the current one is held in memory.

Events may be of other versions, or from damaged or hostile files. Unreadable ones become remarks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from attrs import define, field

from inarch.contract.events import Event
from inarch.contract.transcripts import Answered, Call, Change, Data, Exchange, Remark, Request, Step

_PATHS = ("file_path", "filePath", "path", "new_path", "directory", "file_paths", "paths")
"""Arguments that name a call's target."""


@define(eq=False)
class _Tried:
    """Call so far, and the calls of its turn that had failed before it."""

    id: str
    name: str
    before: list[_Tried]
    arguments: Data = field(factory=dict)
    has_failed: bool = False


@define(eq=False, repr=False)
class Recoveries:
    """Recoveries of failed calls: `of` maps the id of each failed call to the id of the later call that recovered it.

    That is the first successful call of the same tool that began after the failure, in the same turn, and names every
    path that the failed one names. If it names none, the arguments are the same.
    """

    of: dict[str, str] = field(factory=dict)
    _calls: dict[str, _Tried] = field(init=False, factory=dict)

    def take(self, event: Event) -> str:
        """Process an event; return the id of the failed call that it recovers, empty for none."""
        data, call_id = event.data, str(event.data.get("call_id"))
        tried = self._calls.get(call_id)
        if event.kind == "turn.started":
            self._calls = {}
        elif event.kind == "call.state":
            if tried is None:
                before = [one for one in self._calls.values() if one.has_failed]
                tried = self._calls[call_id] = _Tried(call_id, str(data.get("name")), before)
            tried.arguments = _mapping(_mapping(data.get("call")).get("arguments")) or tried.arguments
        elif event.kind == "call.result" and tried is not None and not tried.has_failed:
            tried.has_failed = data.get("status") == "error"
            for failed in tried.before if data.get("status") == "success" else ():
                if failed.id not in self.of and _recovers(tried, failed):
                    self.of[failed.id] = tried.id
                    return failed.id
        return ""


def _recovers(later: _Tried, failed: _Tried) -> bool:
    paths = _named(failed.arguments)
    is_same = paths <= _named(later.arguments) if paths else later.arguments == failed.arguments
    return is_same and later.name == failed.name


def _named(arguments: Data) -> set[str]:
    given = (arguments.get(name) for name in _PATHS)
    return {path for one in given for path in (one if isinstance(one, list) else [one]) if isinstance(path, str)}


MOST_OUTPUT = 100_000
"""Maximum characters of a call's live output that are stored; shown only if the call has no result."""


def exchanges(events: Iterable[Event]) -> Iterator[Exchange]:
    """Yield prompts with their agent turns, one at a time; events before them come first, without a number."""
    reader = Reading()
    for event in events:
        yield from reader.take(event)
    if not reader.is_empty:
        yield reader.exchange


@define(eq=False, repr=False)
class Reading:
    """Incremental reader of events that holds the current exchange, for live display.

    Args:
        turns: The number of turns before the first event, if reading starts inside a session.
        exchange: The exchange so far; `calls` are its calls by id.
        touched: The step of the last event, None if it had none.
    """

    turns: int = 0
    exchange: Exchange = field(factory=Exchange)
    calls: dict[str, Call] = field(factory=dict)
    time: float = 0.0
    touched: Step | None = field(init=False, default=None)
    _recoveries: Recoveries = field(init=False, factory=Recoveries)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing has happened yet."""
        now = self.exchange
        return not (now.steps or now.later or now.number) and now.prompt is None

    @property
    def steps(self) -> list[Step]:
        """The list for the next step: after the end of the turn once it is over."""
        return self.exchange.later if self.exchange.is_over else self.exchange.steps

    def take(self, event: Event) -> Iterator[Exchange]:
        """Process an event; yield the exchange that it ends."""
        self.touched = None
        self.time = seconds_of(event.time) or self.time
        data = event.data
        if event.kind == "turn.started":
            turn = _mapping(data.get("turn"))
            yield from self._begun(turn, turn.get("type") == "user")
        self.exchange.size += len(event.line)
        recovered = self._recoveries.take(event)
        if event.kind in ("turn.started", "session.started"):
            return
        handler = _HANDLERS.get(event.kind)
        try:
            if handler is not None:
                handler(self, data)
            elif not self._is_shown(event.kind, data):
                self._add(Remark(event.kind, self.time, data))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            self._add(Remark(event.kind, self.time, data))
        if recovered in self.calls:
            self.calls[recovered].recovered_by = str(data.get("call_id"))

    def _begun(self, turn: Data, is_users: bool) -> Iterator[Exchange]:
        before, content = self.exchange, str(turn.get("content") or "")
        answers_it = not is_users and before.prompt is not None and before.begun is None
        if not answers_it:
            if not self.is_empty:
                yield before
            self.turns += 1
            self.exchange, self.calls = Exchange(self.turns), {}
        began = seconds_of(turn.get("started")) or self.time
        if is_users:
            self.exchange.prompt, self.exchange.prompted = content, began
            self.exchange.mode = str(turn.get("mode") or "text")
        else:
            self.exchange.begun, self.exchange.model = began, str(turn.get("model") or "")

    def _is_shown(self, kind: str, data: Data) -> bool:
        """Return whether a user's command is already shown: its call contains all of it."""
        last = self.steps[-1] if self.steps else None
        if kind != "command.ran" or data.get("name") != "!" or not isinstance(last, Call):
            return False
        return last.origin == "user" and last.arguments.get("command") == data.get("arguments")

    def _add(self, step: Step) -> None:
        self.touched = step
        self.steps.append(step)

    def ended(self, data: Data) -> None:
        """Record the end of a turn."""
        turn, exchange = _mapping(data.get("turn")), self.exchange
        if turn.get("type") == "user":
            return
        exchange.answer, exchange.status = str(turn.get("content") or ""), str(turn.get("status") or "")
        exchange.model = str(turn.get("model") or exchange.model)
        exchange.answered_by, exchange.company = str(turn.get("answered_by") or ""), str(turn.get("company") or "")
        exchange.error, exchange.limit = str(turn.get("error") or ""), str(turn.get("limit") or "")
        exchange.begun = exchange.begun or seconds_of(turn.get("started"))
        exchange.ended = seconds_of(turn.get("ended")) or self.time
        exchange.usage = _mapping(turn.get("usage"))
        exchange.spent = [_mapping(row) for row in _list(data.get("spent"))]
        exchange.is_over = True

    def context(self, data: Data) -> None:
        """Record the text added to the prompt, and the number of pictures."""
        self.exchange.pictures += len(_list(data.get("images")))
        self._add(Remark("context.added", self.time, data))

    def requested(self, data: Data) -> None:
        """Record a request."""
        attempt = data.get("attempt")
        self._add(
            Request(
                str(data.get("model") or ""),
                self.time,
                str(data.get("purpose") or "turn"),
                str(data.get("plugin") or ""),
                attempt if type(attempt) is int else 1,
            )
        )

    def replied(self, data: Data) -> None:
        """Record the reply to the latest open request of its model and purpose."""
        model, purpose = str(data.get("model") or ""), str(data.get("purpose") or "turn")
        request = next(
            (
                step
                for step in reversed(self.steps)
                if isinstance(step, Request) and step.replied is None and (step.model, step.purpose) == (model, purpose)
            ),
            None,
        )
        took = data.get("duration_s")
        seconds = float(took) if isinstance(took, (int, float)) else 0.0
        if request is None:
            request = Request(model, self.time - seconds, purpose, str(data.get("plugin") or ""))
            self._add(request)
        parts = [_mapping(part) for part in _list(_mapping(data.get("message")).get("parts"))]
        self.touched = request
        request.text = _texts(parts, "text")
        request.reasoning = _texts(parts, "reasoning")
        request.replied, request.seconds = self.time, seconds
        request.usage, request.finish = _mapping(data.get("usage")), str(data.get("finish") or "")
        request.error = str(data.get("error") or "")
        request.answered_by, request.company = str(data.get("answered_by") or ""), str(data.get("company") or "")

    def call_state(self, data: Data) -> None:
        """Record the state of a call; a call that an approval changed has new arguments."""
        call = self._call(data)
        call.status = str(data.get("status") or "")
        whole = data.get("call")
        if isinstance(whole, dict):
            call.arguments, call.origin = _mapping(whole.get("arguments")), str(whole.get("origin") or "")
        if call.status == "executing" and call.started is None:
            call.started = self.time

    def call_output(self, data: Data) -> None:
        """Record live output, in case no result arrives."""
        call = self._call(data)
        call.output += str(data.get("text") or "")[: max(MOST_OUTPUT - len(call.output), 0)]

    def call_result(self, data: Data) -> None:
        """Record the result of a call."""
        call = self._call(data)
        call.status, call.result = str(data.get("status") or ""), _mapping(data.get("result"))
        call.started = seconds_of(data.get("started")) or call.started
        call.ended = seconds_of(data.get("ended")) or self.time
        call.output = ""

    def rewritten(self, data: Data) -> None:
        """Record how a plugin rewrote a call."""
        self._call(data).rewritten.append(data)

    def reviewed(self, data: Data) -> None:
        """Record a plugin's addition to a result."""
        self._call(data).added.append(data)

    def asked(self, data: Data) -> None:
        """Record that calls wait for approval."""
        reasons = _list(data.get("reasons"))
        for place, call_id in enumerate(_list(data.get("call_ids"))):
            call = self._call({"call_id": call_id})
            call.waiting = self.time if call.waiting is None else call.waiting
            call.reasons += [str(reasons[place])] if place < len(reasons) and reasons[place] else []

    def answered(self, data: Data) -> None:
        """Record the user's decision."""
        call = self._call(data)
        call.answered = self.time
        call.answers.append(Answered(*(str(data.get(name) or "") for name in ("outcome", "scope", "by", "reason"))))

    def changed(self, data: Data) -> None:
        """Record a changed file with its call; changes by an undo belong to the undo."""
        change = _change(data)
        call = self.calls.get(str(data.get("call_id")))
        if call is not None:
            call.changes.append(change)
            self.touched = call
            return
        last = self.steps[-1] if self.steps else None
        if last is not None and not isinstance(last, (Request, Call)) and last.kind == "changes.undone":
            last.changes.append(change)
            self.touched = last
        else:
            self._call(data).changes.append(change)

    def _call(self, data: Data) -> Call:
        call_id = str(data["call_id"])
        call = self.calls.get(call_id)
        if call is None:
            call = self.calls[call_id] = Call(call_id, str(data.get("name") or "(unknown)"), self.time)
            self._add(call)
        self.touched = call
        return call


_HANDLERS: dict[str, Callable[[Reading, Data], None]] = {
    "turn.ended": Reading.ended,
    "context.added": Reading.context,
    "model.requested": Reading.requested,
    "model.replied": Reading.replied,
    "call.state": Reading.call_state,
    "call.output": Reading.call_output,
    "call.result": Reading.call_result,
    "call.rewritten": Reading.rewritten,
    "call.reviewed": Reading.reviewed,
    "approval.asked": Reading.asked,
    "approval.given": Reading.answered,
    "file.changed": Reading.changed,
}


def _change(data: Data) -> Change:
    before, after, new_path = data.get("before"), data.get("after"), str(data.get("new_path") or "")
    verb = "moved" if new_path else "created" if before is None else "deleted" if after is None else "changed"
    return Change(str(data["path"]), verb, new_path)


def _texts(parts: list[Data], kind: str) -> str:
    return "\n\n".join(str(part.get("text") or "") for part in parts if part.get("type") == kind)


def _mapping(value: Any) -> Data:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def seconds_of(time: Any) -> float | None:
    """Return a recorded time in seconds since the epoch, None if it is not a time."""
    try:
        return datetime.fromisoformat(str(time)).timestamp() if time else None
    except (ValueError, OverflowError):
        return None
