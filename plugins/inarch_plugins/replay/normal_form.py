"""Normal form of a session: its events without the details that differ between equal runs. Pure functions.

Compared by kind:

- `turn.started`: type, prompt, model, how the prompt was given
- `context.added`: source, text, pictures by hash
- `context.dropped`: everything but the tokens
- `input.ended`: text and author, if it arrived during a turn
- `decision.made`: strategy, decision, reason, calls, text, presentation of results
- `model.requested`: model, purpose, tool choice, plugin
- `model.replied`: the same, texts, reasoning, names and arguments of calls, end, error, answering model
- `model.switched`, `command.ran`, `approval.asked`, `approval.given`, `changes.undone`: everything but ids and digests
- `call.state`: name, state, arguments, origin, effects, reason for waiting
- `call.result`: name, state, data, error, hashes of the files it knew, pictures by hash
- `call.rewritten`, `call.reviewed`: everything but ids
- `file.changed`: paths and hashes
- `note`, `error`, `turn.held`: everything
- `turn.ended`: answer, reasoning, model, answering model, status, error, limit

Ignored:

- ids, times, durations, costs and token counts
- the remedy of a call's error, because it names files that parallel calls may be changing
- `model.delta`, `call.output` and `file.changing`, because later events contain them
- `context.fixed`, `context.broken` and notes on new instructions and tools, because they concern the composition
- `child.started` and `child.ended`, because a child has its own record
- `limit.wait`, because it concerns time
- the data of `session.started`
- notes on the run: outside turns, or on the journal, undo coverage, failed observers, services and model choice
- input that waits, was withdrawn, or starts a prompt
- events of plugins, because a replay only repeats them

Turns and calls are identified by their number. The workspace's own path counts as equal in both.

The events of one call are grouped where the call first appears, because parallel calls interleave at random.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from inarch import Event
from inarch.host import is_plugins
from inarch_sdk.result_text import HELD_REMEDY

MAIN = ""
"""Stream of the events outside calls."""
_AGAIN = re.compile(r"it can be asked again at (?:\d{4}-\d\d-\d\d )?\d{1,2}:\d\d(?::\d\d)?, in \d+ (?:s|min|h|days)")
_OF_CALLS = frozenset({"call.state", "call.rewritten", "call.result", "call.reviewed", "file.changed"})
_LOOKING_ON = frozenset({"store", "tracer", "front end"})
"""Hooks whose failure changes nothing in the session."""
_LEFT_OUT = frozenset(
    {
        "model.delta",
        "call.output",
        "calls.done",
        "file.changing",
        "changes.undoing",
        "limit.wait",
        "input.waiting",
        "child.started",
        "context.fixed",
        "context.broken",
        "child.ended",
    }
)


@frozen
class Said:
    """One event in normal form. `stream` is its call, `turn` the number of its turn, 0 for none."""

    stream: str
    turn: int
    kind: str
    data: Mapping[str, Any]
    seq: int

    @property
    def key(self) -> tuple[str, Mapping[str, Any]]:
        """The fields that are compared."""
        return self.kind, self.data


_REACHED = re.compile(r"^(this change \(.*\)) is (?:on|reached from) [^\n]*$")
"""What the tracer says of a turn's edits; its words and its knowledge depend on its version."""
_FORMER = (
    (" and nobody could be asked", " and there was no user to ask"),
    (" is there in the approve mode ", " is offered in the approval mode "),
    ("the approve mode ", "the approval mode "),
    (f"\n{HELD_REMEDY}", ""),  # a replay may run where the sandbox promises more, or less
)
"""Words of 0.1 in messages that a replay makes again, and those of today."""


def in_present_words(text: str) -> str:
    """Return a recorded message as Inarch words it today."""
    for former, present in _FORMER:
        text = text.replace(former, present)
    return _REACHED.sub(r"\1", text)


@define(eq=False, repr=False)
class Normaliser:
    """Converter of one session's events to normal form, one by one.

    Args:
        root: The workspace's path, which may differ between runs; by default that of the first event.
    """

    root: str = ""
    _turns: dict[str, str] = field(init=False, factory=dict)
    _numbers: dict[str, int] = field(init=False, factory=dict)
    _calls: dict[str, str] = field(init=False, factory=dict)
    _agents: int = field(init=False, default=0)
    _just_began: bool = field(init=False, default=False)

    def take(self, event: Event) -> tuple[Said, ...]:
        """Return the event's normal form: nothing, one item, or the mark of a new call and one item."""
        began, self._just_began = self._just_began, event.kind == "turn.started"
        if event.kind == "session.started" and not self.root:
            self.root = str(event.data.get("root", ""))
        if event.kind in _LEFT_OUT or _is_of_the_run(event, began):
            return ()
        try:
            said = self._said(event)
        except (KeyError, TypeError, AttributeError):  # written by another version: compared unchanged
            said = dict(event.data)
        turn = self._numbers.get(event.turn_id or "", 0)
        data = self._plain(said)
        is_about_a_call = event.kind == "error" and bool(event.data.get("call_id"))
        if event.kind not in _OF_CALLS and not is_about_a_call:
            return (Said(MAIN, turn, event.kind, data, event.seq),)
        call_id = str(event.data.get("call_id", ""))
        is_new = call_id not in self._calls
        stream = self._call(call_id)
        mark = (Said(MAIN, turn, "call", {"call": stream}, event.seq),) if is_new else ()
        return (*mark, Said(stream, turn, event.kind, data, event.seq))

    def _said(self, event: Event) -> dict[str, Any]:
        if event.kind == "turn.started":
            self._begin(event)
        form = _FORMS.get(event.kind)
        return dict(event.data) if form is None else form(self, event.data)

    def _begin(self, event: Event) -> None:
        turn = event.data["turn"]
        if turn["type"] == "agent":
            self._agents += 1
            self._turns[turn["id"]], self._numbers[turn["id"]] = f"turn {self._agents}", self._agents
        else:
            self._turns[turn["id"]] = f"prompt {self._agents + 1}"
            self._numbers[turn["id"]] = self._agents + 1

    def _call(self, call_id: str) -> str:
        return self._calls.setdefault(call_id, f"call {len(self._calls) + 1}")

    def _turn(self, turn_id: str) -> str:
        return self._turns.get(turn_id, "a turn")

    def _plain(self, value: Any) -> Any:
        if isinstance(value, str):
            text = value.replace(self.root, "‹root›") if len(self.root) > 1 and self.root in value else value
            text = in_present_words(text)
            return _AGAIN.sub("it can be asked again later", text) if "asked again at" in text else text
        if isinstance(value, Mapping):
            return {self._plain(key): self._plain(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._plain(item) for item in value]
        return value

    def _state(self, data: Mapping[str, Any]) -> dict[str, Any]:
        said = {"name": data["name"], "status": data["status"], "after": [*map(self._call, data.get("after") or ())]}
        call = data.get("call")
        if call is not None:
            said |= {"arguments": call["arguments"], "origin": call.get("origin")}
        if data.get("effects") is not None:
            # Empty fields count as absent, because events of older versions lack the newer fields. `removes` only
            # says how a call is shown. Its absence in older versions does not make the call different.
            said["effects"] = {key: value for key, value in data["effects"].items() if value and key != "removes"}
        return said

    def _given(self, data: Mapping[str, Any]) -> dict[str, Any]:
        said = _some("outcome", "scope", "by", "reason", "arguments", "rights")(self, data)
        return {"call": self._call(data["call_id"]), **said, "approve": data.get("approve") or None}

    def _replied(self, data: Mapping[str, Any]) -> dict[str, Any]:
        said = _some("model", "purpose", "plugin", "finish", "error")(self, data)
        said |= {key: data.get(key) or "" for key in ("answered_by", "company")}  # older versions have neither
        parts = data["message"]["parts"]
        return {**said, "parts": [{key: part[key] for key in _PART if key in part} for part in parts]}


Form = Callable[[Normaliser, Mapping[str, Any]], dict[str, Any]]
_PART = ("type", "text", "name", "arguments")


def _some(*keys: str, calls: str = "", turns: Sequence[str] = ()) -> Form:
    """Return the form with these keys. `calls` and `turns` are keys whose values are ids."""

    def form(self: Normaliser, data: Mapping[str, Any]) -> dict[str, Any]:
        said = {key: data.get(key) for key in keys}
        said |= {calls: sorted(map(self._call, data.get(calls) or ()))} if calls else {}
        return said | {key: [*map(self._turn, data.get(key) or ())] for key in turns}

    return form


def _turn_form(*keys: str, **newer: str) -> Form:
    """Return the form of a turn's event. Older versions lack the `newer` keys, which then have these values."""

    def form(_: Normaliser, data: Mapping[str, Any]) -> dict[str, Any]:
        turn = data["turn"]
        return {key: turn.get(key) for key in keys} | {key: turn.get(key) or plain for key, plain in newer.items()}

    return form


def _result(_: Normaliser, data: Mapping[str, Any]) -> dict[str, Any]:
    result = data["result"]
    metadata = result.get("metadata") or {}
    error = {key: text for key, text in (result.get("error") or {}).items() if key != "remedy"}
    said = {"name": data["name"], "status": data["status"], "data": result.get("data"), "error": error or None}
    return {**said, "files": dict(metadata.get("files") or {}), "images": metadata.get("images") or []}


_FORMS: dict[str, Form] = {
    "session.started": lambda _, __: {},
    "turn.started": _turn_form("type", "content", "model", mode="text"),
    "turn.ended": _turn_form("status", "content", "reasoning", "model", "error", "limit", answered_by="", company=""),
    "input.ended": _some("text", "by"),
    "context.added": _some("source", "text", "images"),
    "context.dropped": _some("reason", "steps", "structure", "added", calls="results", turns=("shortened", "turns")),
    "decision.made": _some("strategy", "decision", "reason", "calls", "text", "present"),
    "model.requested": _some("model", "purpose", "tool_choice", "plugin"),
    "model.replied": Normaliser._replied,
    "call.state": Normaliser._state,
    "call.result": _result,
    "call.rewritten": _some("name", "plugin", "rewriter", "arguments", "decision", "reason"),
    "call.reviewed": _some("name", "plugin", "reviewer", "text", "stop", "data"),
    "error": _some("message", "remedy", "plugin", "door"),
    "approval.asked": _some("reasons", calls="call_ids"),
    "approval.given": Normaliser._given,
    "file.changed": _some("path", "before", "after", "new_path"),
    "changes.undone": _some("action", calls="calls", turns=("turns",)),
}


def normal_form(events: Iterable[Event], root: str | None = None) -> Iterator[Said]:
    """Yield the normal form of a session: its events in order, those of each call where the call first appears.

    It holds one turn in memory. Events of a call after its turn appear in the turn in which they came.
    """
    normaliser = Normaliser(root or "")
    arranger = Arranger()
    for event in events:
        for said in normaliser.take(event):
            yield from arranger.take(said)
    yield from arranger.rest()


@define(eq=False, repr=False)
class Arranger:
    """Sorter of normal forms that groups those of a call at its first appearance in a turn."""

    _main: list[Said | list[Said]] = field(init=False, factory=list)
    _calls: dict[str, list[Said]] = field(init=False, factory=dict)

    def take(self, said: Said) -> Sequence[Said]:
        """Add the next event's forms. Return those whose position is now known."""
        settled = self.rest() if said.kind == "turn.started" else ()
        if said.stream == MAIN and said.kind != "call":
            self._main.append(said)
            return settled
        stream = said.data["call"] if said.stream == MAIN else said.stream
        if stream not in self._calls:
            self._calls[stream] = []
            self._main.append(self._calls[stream])
        if said.stream != MAIN:
            self._calls[stream].append(said)
        return settled

    def rest(self) -> list[Said]:
        """Return the remaining forms."""
        settled = [one for part in self._main for one in (part if isinstance(part, list) else (part,))]
        self._main, self._calls = [], {}
        return settled


def _is_of_the_run(event: Event, began: bool) -> bool:
    """Return whether an event concerns the run: configuration, store, model choice, or a plugin's record."""
    if is_plugins(event.kind) or (event.kind == "input.ended" and event.data.get("outcome") != "added"):
        return True
    if event.kind == "context.added":
        return event.data.get("source") in ("new instructions", "new tools")
    if event.kind == "error":
        return not event.turn_id or event.data.get("door") in _LOOKING_ON
    if event.kind != "note":
        return False
    source = event.data.get("source")
    return not event.turn_id or source in ("journal", "service", "undo") or (began and source == "model")
