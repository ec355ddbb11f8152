"""Events in, chapters out, one after the other: only the chapter that is being read is held.

Events of other versions and from damaged or hostile files are met here: what can't be understood becomes a remark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attrs import define, field

from inarch.contract.events import Event
from inarch.sessions.exporting.remarks import as_it_stands, remark_of
from inarch.sessions.exporting.story import Answered, Call, Change, Chapter, Data, Request, Step
from inarch.sessions.exporting.words import seconds_of

MOST_OUTPUT = 100_000
"""Characters of live output that are held of a call; shown only where it has no result."""


def chapters(events: Iterable[Event]) -> Iterator[Chapter]:
    """Yield a chapter an agent's turn; one without prompt before them if anything happened there."""
    reader = _Reader()
    for event in events:
        yield from reader.take(event)
    if reader.chapter.steps or reader.chapter.later or reader.chapter.prompt is not None or reader.chapter.number:
        yield reader.chapter


@define(eq=False, repr=False)
class _Reader:
    chapter: Chapter = field(factory=Chapter)
    calls: dict[str, Call] = field(factory=dict)
    turns: int = 0
    time: float = 0.0

    def take(self, event: Event) -> Iterator[Chapter]:
        """Take in an event; yields the chapter that it ends."""
        self.time = seconds_of(event.time) or self.time
        data = event.data
        if event.kind == "turn.started":
            turn = _mapping(data.get("turn"))
            yield from self._begun(turn, turn.get("type") == "user")
            return
        handler = _HANDLERS.get(event.kind)
        try:
            if handler is not None:
                handler(self, data)
            elif event.kind != "session.started":
                remark = remark_of(event.kind, data, self.time)
                if remark is not None and not self._is_shown(event.kind, data):
                    self._add(remark)
        except (KeyError, TypeError, ValueError, AttributeError):
            self._add(as_it_stands(event.kind, data, self.time))

    def _begun(self, turn: Data, is_users: bool) -> Iterator[Chapter]:
        open_, content = self.chapter, str(turn.get("content") or "")
        answers_it = not is_users and open_.prompt is not None and open_.begun is None
        if not answers_it:
            if open_.steps or open_.later or open_.prompt is not None or open_.number:
                yield open_
            self.turns += 1
            self.chapter, self.calls = Chapter(self.turns), {}
        began = seconds_of(turn.get("started")) or self.time
        if is_users:
            self.chapter.prompt, self.chapter.prompted = content, began
        else:
            self.chapter.begun, self.chapter.model = began, str(turn.get("model") or "")

    def _is_shown(self, kind: str, data: Data) -> bool:
        """Whether a person's own command is on the page already: the call that it was has all of it."""
        steps = self.chapter.later if self.chapter.is_over else self.chapter.steps
        last = steps[-1] if steps else None
        if kind != "command.ran" or data.get("name") != "!" or not isinstance(last, Call):
            return False
        return last.origin == "user" and last.arguments.get("command") == data.get("arguments")

    def _add(self, step: Step) -> None:
        (self.chapter.later if self.chapter.is_over else self.chapter.steps).append(step)

    def ended(self, data: Data) -> None:
        """Note what a turn came to."""
        turn, chapter = _mapping(data.get("turn")), self.chapter
        if turn.get("type") == "user":
            return
        chapter.answer, chapter.status = str(turn.get("content") or ""), str(turn.get("status") or "")
        chapter.model = str(turn.get("model") or chapter.model)
        chapter.error, chapter.limit = str(turn.get("error") or ""), str(turn.get("limit") or "")
        chapter.begun = chapter.begun or seconds_of(turn.get("started"))
        chapter.ended = seconds_of(turn.get("ended")) or self.time
        chapter.usage = _mapping(turn.get("usage"))
        chapter.spent = [_mapping(row) for row in _list(data.get("spent"))]
        chapter.is_over = True

    def context(self, data: Data) -> None:
        """Note what was added to the prompt, and how many pictures."""
        self.chapter.pictures += len(_list(data.get("images")))
        remark = remark_of("context.added", data, self.time)
        if remark is not None:
            self._add(remark)

    def requested(self, data: Data) -> None:
        """Note a request."""
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
        """Note the reply to the latest request of its model and purpose that has none."""
        model, purpose = str(data.get("model") or ""), str(data.get("purpose") or "turn")
        steps = self.chapter.later if self.chapter.is_over else self.chapter.steps
        request = next(
            (
                step
                for step in reversed(steps)
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
        request.text = _texts(parts, "text")
        request.reasoning = _texts(parts, "reasoning")
        request.replied, request.seconds = self.time, seconds
        request.usage, request.finish = _mapping(data.get("usage")), str(data.get("finish") or "")
        request.error = str(data.get("error") or "")

    def call_state(self, data: Data) -> None:
        """Note how far a call came; a call that an approval changed comes with its new arguments."""
        call = self._call(data)
        call.status = str(data.get("status") or "")
        whole = data.get("call")
        if isinstance(whole, dict):
            call.arguments, call.origin = _mapping(whole.get("arguments")), str(whole.get("origin") or "")
        if call.status == "executing" and call.started is None:
            call.started = self.time

    def call_output(self, data: Data) -> None:
        """Note live output, for the case that no result comes."""
        call = self._call(data)
        call.output += str(data.get("text") or "")[: max(MOST_OUTPUT - len(call.output), 0)]

    def call_result(self, data: Data) -> None:
        """Note how a call ended."""
        call = self._call(data)
        call.status, call.result = str(data.get("status") or ""), _mapping(data.get("result"))
        call.started = seconds_of(data.get("started")) or call.started
        call.ended = seconds_of(data.get("ended")) or self.time
        call.output = ""

    def asked(self, data: Data) -> None:
        """Note that calls wait for a person."""
        reasons = _list(data.get("reasons"))
        for place, call_id in enumerate(_list(data.get("call_ids"))):
            call = self._call({"call_id": call_id})
            call.waiting = self.time if call.waiting is None else call.waiting
            call.reasons += [str(reasons[place])] if place < len(reasons) and reasons[place] else []

    def answered(self, data: Data) -> None:
        """Note a person's answer."""
        call = self._call(data)
        call.answered = self.time
        call.answers.append(Answered(*(str(data.get(name) or "") for name in ("outcome", "scope", "by", "reason"))))

    def changed(self, data: Data) -> None:
        """Note a changed file at the call that did it; what an undo did stands with the undo."""
        change = _change(data)
        call = self.calls.get(str(data.get("call_id")))
        if call is not None:
            call.changes.append(change)
            return
        steps = self.chapter.later if self.chapter.is_over else self.chapter.steps
        last = steps[-1] if steps else None
        if last is not None and not isinstance(last, (Request, Call)) and last.kind == "undone":
            last.changes.append(change)
        else:
            self._call(data).changes.append(change)

    def _call(self, data: Data) -> Call:
        call_id = str(data["call_id"])
        call = self.calls.get(call_id)
        if call is None:
            call = self.calls[call_id] = Call(call_id, str(data.get("name") or "(unknown)"), self.time)
            self._add(call)
        return call


_HANDLERS: dict[str, Callable[[_Reader, Data], None]] = {
    "turn.ended": _Reader.ended,
    "context.added": _Reader.context,
    "model.requested": _Reader.requested,
    "model.replied": _Reader.replied,
    "call.state": _Reader.call_state,
    "call.output": _Reader.call_output,
    "call.result": _Reader.call_result,
    "approval.asked": _Reader.asked,
    "approval.given": _Reader.answered,
    "file.changed": _Reader.changed,
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
