"""The normal form of a session: its events without what another run of the same can't have again. Pure.

What counts, kind by kind:

- `turn.started`: type, prompt, model, how the prompt was given
- `context.added`: source, text, pictures by their hash; `context.dropped`: all but the tokens
- `input.ended`: the words and who said them, where they went in while a turn ran
- `decision.made`: strategy, decision, reason, calls, text, how results are presented
- `model.requested`: model, purpose, tool choice, plugin
- `model.replied`: the same, texts, reasoning, names and arguments of calls, how it ended, the error, who answered
- `model.switched`, `command.ran`, `approval.asked`, `approval.given`, `changes.undone`: everything but ids and digests
- `call.state`: name, state, arguments, origin, effects, what it waited for; `call.result`: name, state, data, error,
  hashes of the files it knew; `call.rewritten`, `call.reviewed`: everything but ids
- `file.changed`: paths and hashes
- `note`, `error`, `turn.held`: everything
- `turn.ended`: answer, reasoning, model, who answered, status, error, limit

Left out are ids, times, durations, costs and counts of tokens; the remedy of a call's error, which names files that
other calls may be changing just then; `model.delta`, `call.output` and `file.changing`, which are said again
as a whole in what follows; `context.fixed` and `context.broken`, with what is said of new instructions and tools, which
are about what was composed; `child.started` and `child.ended`, for a child has a record of its own; `limit.wait`, which
is about time; what stands in `session.started`; remarks outside of any turn, those of the journal, about what undo
covers and about onlookers that failed, those about a service and why a model was chosen, for they are about the run and
not the session; words that wait, that were taken back, or that a prompt begins with; and what plugins recorded, which a
replay only says again.
Turns and calls are named by their number. The workspace's own path counts as the same in both.

The events of one call stand together, where the call first appears: calls that ran beside each other interleave as
they please.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from inarch import Event
from inarch.host import is_plugins

MAIN = ""
"""The stream of what belongs to no single call."""
_AGAIN = re.compile(r"it can be asked again at (?:\d{4}-\d\d-\d\d )?\d{1,2}:\d\d(?::\d\d)?, in \d+ (?:s|min|h|days)")
_OF_CALLS = frozenset({"call.state", "call.rewritten", "call.result", "call.reviewed", "file.changed"})
_LOOKING_ON = frozenset({"store", "tracer", "front end"})
"""Doors at which a failure changes nothing in the session."""
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
    """One event in its normal form: `stream` is the call it belongs to, `turn` the number of its turn, 0 for none."""

    stream: str
    turn: int
    kind: str
    data: Mapping[str, Any]
    seq: int

    @property
    def key(self) -> tuple[str, Mapping[str, Any]]:
        """What is compared."""
        return self.kind, self.data


@define(eq=False, repr=False)
class Normaliser:
    """Brings the events of one session into their normal form, one after the other.

    Args:
        root: The workspace's path, which is nothing that two runs must share; without it that of the first event.
    """

    root: str = ""
    _turns: dict[str, str] = field(init=False, factory=dict)
    _numbers: dict[str, int] = field(init=False, factory=dict)
    _calls: dict[str, str] = field(init=False, factory=dict)
    _agents: int = field(init=False, default=0)
    _just_began: bool = field(init=False, default=False)
    _sign: str = field(init=False, default="")

    def __attrs_post_init__(self) -> None:
        self._name_root()

    def _name_root(self) -> None:
        self._sign = json.dumps(self.root, ensure_ascii=False)[1:-1] if len(self.root) > 1 else ""

    def take(self, event: Event) -> tuple[Said, ...]:
        """Return what the event comes to: nothing, itself, or the mark of a new call and itself."""
        began, self._just_began = self._just_began, event.kind == "turn.started"
        if event.kind == "session.started" and not self.root:
            self.root = str(event.data.get("root", ""))
            self._name_root()
        if event.kind in _LEFT_OUT or _is_of_the_run(event, began):
            return ()
        try:
            said = self._said(event)
        except (KeyError, TypeError, AttributeError):  # written by another version: it counts as it stands
            said = dict(event.data)
        turn = self._numbers.get(event.turn_id or "", 0)
        data = self._plain(said) if self._is_of_this_run(event.line) else said
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

    def _is_of_this_run(self, line: str) -> bool:
        """Whether a line may say what is of no other run; one that another program wrote may have its own escapes."""
        return (bool(self._sign) and self._sign in line) or "asked again at" in line or "\\u" in line or "\\/" in line

    def _plain(self, value: Any) -> Any:
        if isinstance(value, str):
            text = value.replace(self.root, "‹root›") if len(self.root) > 1 and self.root in value else value
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
            # What says nothing is as good as absent: an older version's events lack the newer fields. `removes` only
            # says how a call is shown, and what such a version's tools declared is no other call for it.
            said["effects"] = {key: value for key, value in data["effects"].items() if value and key != "removes"}
        return said

    def _asked(self, data: Mapping[str, Any]) -> dict[str, Any]:
        return {"calls": [*map(self._call, data["call_ids"])], "reasons": data.get("reasons")}

    def _given(self, data: Mapping[str, Any]) -> dict[str, Any]:
        said = _some("outcome", "scope", "by", "reason", "arguments", "rights")(self, data)
        return {"call": self._call(data["call_id"]), **said, "approve": data.get("approve") or None}

    def _dropped(self, data: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "reason": data["reason"],
            "shortened": [*map(self._turn, data.get("shortened") or ())],
            "turns": [*map(self._turn, data.get("turns") or ())],
            "results": sorted(map(self._call, data.get("results") or ())),
            "steps": data.get("steps"),
            "structure": data.get("structure"),
            "added": data.get("added"),
        }

    def _undone(self, data: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "action": data["action"],
            "calls": [*map(self._call, data["calls"])],
            "turns": [*map(self._turn, data.get("turns") or ())],
        }

    def _replied(self, data: Mapping[str, Any]) -> dict[str, Any]:
        said = _some("model", "purpose", "plugin", "finish", "error")(self, data)
        said |= {key: data.get(key) or "" for key in ("answered_by", "company")}  # an older version's has neither
        parts = data["message"]["parts"]
        return {**said, "parts": [{key: part[key] for key in _PART if key in part} for part in parts]}


Form = Callable[[Normaliser, Mapping[str, Any]], dict[str, Any]]
_PART = ("type", "text", "name", "arguments")


def _some(*keys: str) -> Form:
    def form(_: Normaliser, data: Mapping[str, Any]) -> dict[str, Any]:
        return {key: data.get(key) for key in keys}

    return form


def _turn_form(*keys: str, **newer: str) -> Form:
    """Return the form of a turn's record; an older version's lacks the `newer` keys, which then have these values."""

    def form(_: Normaliser, data: Mapping[str, Any]) -> dict[str, Any]:
        turn = data["turn"]
        return {key: turn.get(key) for key in keys} | {key: turn.get(key) or plain for key, plain in newer.items()}

    return form


def _result(_: Normaliser, data: Mapping[str, Any]) -> dict[str, Any]:
    result = data["result"]
    files = (result.get("metadata") or {}).get("files") or {}
    error = {key: text for key, text in (result.get("error") or {}).items() if key != "remedy"}
    said = {"name": data["name"], "status": data["status"], "data": result.get("data"), "error": error or None}
    return {**said, "files": dict(files)}


_FORMS: dict[str, Form] = {
    "session.started": lambda _, __: {},
    "turn.started": _turn_form("type", "content", "model", mode="text"),
    "turn.ended": _turn_form("status", "content", "reasoning", "model", "error", "limit", answered_by="", company=""),
    "input.ended": _some("text", "by"),
    "context.added": _some("source", "text", "images"),
    "context.dropped": Normaliser._dropped,
    "decision.made": _some("strategy", "decision", "reason", "calls", "text", "present"),
    "model.requested": _some("model", "purpose", "tool_choice", "plugin"),
    "model.replied": Normaliser._replied,
    "call.state": Normaliser._state,
    "call.result": _result,
    "call.rewritten": _some("name", "plugin", "rewriter", "arguments", "decision", "reason"),
    "call.reviewed": _some("name", "plugin", "reviewer", "text", "stop"),
    "error": _some("message", "remedy", "plugin", "door"),
    "approval.asked": Normaliser._asked,
    "approval.given": Normaliser._given,
    "file.changed": _some("path", "before", "after", "new_path"),
    "changes.undone": Normaliser._undone,
}


def normal_form(events: Iterable[Event], root: str | None = None) -> Iterator[Said]:
    """Yield the normal form of a session: its events in order, those of each call where the call first appears.

    It holds those of one turn. What comes of a call after the turn of the call has its place in the turn in which it
    came.
    """
    normaliser = Normaliser(root or "")
    arranger = Arranger()
    for event in events:
        for said in normaliser.take(event):
            yield from arranger.take(said)
    yield from arranger.rest()


@define(eq=False, repr=False)
class Arranger:
    """Puts what events come to in order: those of a call together where it first appears in a turn."""

    _main: list[Said | list[Said]] = field(init=False, factory=list)
    _calls: dict[str, list[Said]] = field(init=False, factory=dict)

    def take(self, said: Said) -> Sequence[Said]:
        """Take what the next event comes to; return what has its place now."""
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
        """Return what was taken and not returned yet."""
        settled = [one for part in self._main for one in (part if isinstance(part, list) else (part,))]
        self._main, self._calls = [], {}
        return settled


def _is_of_the_run(event: Event, began: bool) -> bool:
    """Whether an event is about the run: its configuration, its store, the choice of a model, what a plugin records."""
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
