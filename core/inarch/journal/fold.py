"""Fold of events into turns and messages; pure, and robust against any gap from damage.

Wherever the events end, every call gets a result and no turn stays running. An interrupted call that could change
something gets the result that the files show, or `unknown_outcome` if they do not. Any other is `cancelled`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch.contract.codec import from_data
from inarch.contract.errors import StoreError
from inarch.contract.events import Event
from inarch.contract.frozen import frozen
from inarch.contract.inputs import Input
from inarch.contract.records import (
    TERMINAL,
    CallPart,
    Message,
    Part,
    ResultPart,
    Text,
    ToolCall,
    ToolError,
    ToolResult,
    Turn,
)
from inarch.contract.replacements import Settled
from inarch.journal.journal import unpacked
from inarch.journal.pictures import kept_images, with_bytes
from inarch_sdk.message_cache import without_thoughts
from inarch_sdk.result_text import held_text, with_added

if TYPE_CHECKING:
    from inarch.journal.interrupted_calls import OpenCall


@frozen
class History:
    """Session as its events describe it.

    `seen` has hashes of the files as the session last read or wrote them, `said` the same messages by the agent's turn
    that they belong to, `left_out` the data of each `context.dropped`. `unknown`, `cut_off` and `unended` are calls
    with an unknown outcome, calls without a result, and turns without an end. `settled` are the outcomes of the cut-off
    calls according to the files. `last_request` is the model last asked in a turn, the number of messages, and their
    digest; `compacted` says whether the conversation was shortened since.
    """

    turns: tuple[Turn, ...] = ()
    messages: tuple[Message, ...] = ()
    seen: Mapping[str, str] = field(factory=dict)
    root: str = ""
    title: str = ""
    seq: int = 0
    unknown: tuple[str, ...] = ()
    said: tuple[tuple[str, tuple[Message, ...]], ...] = ()
    left_out: tuple[Mapping[str, Any], ...] = ()
    cut_off: tuple[str, ...] = ()
    unended: tuple[str, ...] = ()
    settled: tuple[tuple[OpenCall, Settled], ...] = ()
    fixed: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    last_request: tuple[str, int, str] = ("", 0, "")
    compacted: bool = False


CUT_OFF = "Inarch stopped before the turn ended"


@define(eq=False, repr=False)
class _Batch:
    """Calls that go into one tool message; `message` is the reply that asked for them, None for planned ones.

    `others` are the messages that a compaction made of everything before the next batch.
    """

    message: Message | None
    call_ids: list[str] = field(factory=list)
    others: tuple[Message, ...] = ()


@define(eq=False, repr=False)
class _OpenTurn:
    """Turn while its events are read."""

    turn: Turn
    last_time: str
    present: str = "results"
    context: list[Part] = field(factory=list)
    batches: list[_Batch] = field(factory=list)
    calls: dict[str, ToolCall] = field(factory=dict)
    effectful: dict[str, bool] = field(factory=dict)
    changed: dict[str, list[str]] = field(factory=dict)
    is_compacted: bool = False


@define(eq=False, repr=False)
class _Folder:
    """State of a fold, with a method for each kind of event."""

    blob: Callable[[str], bytes]
    settled: Mapping[str, Settled] = field(factory=dict)
    turns: dict[str, _OpenTurn] = field(factory=dict)
    unknown: list[str] = field(factory=list)
    cut_off: list[str] = field(factory=list)
    left_out: list[Mapping[str, Any]] = field(factory=list)

    def take(self, event: Event) -> None:
        """Process an event; skip kinds and shapes that are not understood."""
        if event.kind == "context.dropped" and is_readable_drop(event.data):
            self.left_out.append(event.data)
        handler = _HANDLERS.get(event.kind)
        if handler is None or not event.turn_id:  # a user's own command belongs to no turn
            return
        try:
            turn = self._turn(event)
            turn.last_time = event.time
            handler(self, turn, event.data)
        except (KeyError, TypeError, ValueError, AttributeError):
            return  # written by another version: the events around it still count

    def _turn(self, event: Event) -> _OpenTurn:
        assert event.turn_id is not None
        known = self.turns.get(event.turn_id)
        if known is None:
            # Its beginning is lost if this is not turn.started: an agent's turn, because a user's has no other event.
            turn = Turn(event.turn_id, "agent", None, event.session_id, event.time)
            known = self.turns[event.turn_id] = _OpenTurn(turn, event.time)
        return known

    def recorded(self, turn: _OpenTurn, data: Mapping[str, Any]) -> None:
        """Note a turn's record, the first or the final one."""
        turn.turn = from_data(Turn, data["turn"])

    def context(self, turn: _OpenTurn, data: Mapping[str, Any]) -> None:
        """Note what the model saw beside the prompt; a missing picture is left out."""
        parts: list[Part] = [Text(str(data["text"])), *kept_images(data.get("images") or (), self.blob)]
        if data.get("apart"):
            turn.batches.append(_Batch(Message("user", tuple(parts))))
        else:
            turn.context += parts

    def compacted(self, turn: _OpenTurn, data: Mapping[str, Any]) -> None:
        """Note the compacted messages of the running turn, if they were stored."""
        if not data.get("running"):
            return
        try:
            kept = unpacked(self.blob, _text(data, "running"))
        except StoreError:
            return
        messages = from_data(tuple[Message, ...], json.loads(kept))
        turn.context, turn.batches, turn.is_compacted = [], [_Batch(None, others=messages)], True

    def broken(self, turn: _OpenTurn, data: Mapping[str, Any]) -> None:
        """Remove data that only services can read from all earlier messages."""
        if data["reason"] == "service":
            return
        for batch in (batch for known in self.turns.values() for batch in known.batches):
            batch.others = tuple(without_thoughts(batch.others))
            batch.message = next(iter(without_thoughts([batch.message])), None) if batch.message else None

    def heard(self, turn: _OpenTurn, data: Mapping[str, Any]) -> None:
        """Note a message that was added while the turn ran, at its position."""
        if data["outcome"] != "added":
            return
        said = Text(Input("", _text(data, "text"), str(data.get("by") or "")).wording)
        last = turn.batches[-1].message if turn.batches else None
        if not turn.batches:
            turn.context.append(said)
        elif last is not None and last.role == "user":
            turn.batches[-1] = _Batch(Message("user", (*last.parts, said)))
        else:
            turn.batches.append(_Batch(Message("user", (said,))))

    def decided(self, turn: _OpenTurn, data: Mapping[str, Any]) -> None:
        """Note how a strategy's calls are presented, or its answer without a model."""
        turn.present = data.get("present", "results")
        if data["decision"] == "answer" and data.get("text"):
            turn.batches.append(_Batch(Message("assistant", (Text(str(data["text"])),))))

    def replied(self, turn: _OpenTurn, data: Mapping[str, Any]) -> None:
        """Note a reply and its calls; a broken one was requested again."""
        if data.get("purpose", "turn") != "turn" or data.get("finish") == "error":
            return
        message = from_data(Message, data["message"])
        parts = [part for part in message.parts if isinstance(part, CallPart)]
        turn.batches.append(_Batch(message, [part.id for part in parts]))
        for part in parts:
            turn.calls[part.id] = ToolCall(part.id, part.provider_id, turn.turn.id, part.name, part.arguments)

    def call_state(self, turn: _OpenTurn, data: Mapping[str, Any]) -> None:
        """Note the state of a call."""
        call_id, status = _text(data, "call_id"), _text(data, "status")
        if data.get("call") is not None:
            self._adopt(turn, from_data(ToolCall, data["call"]))
        elif call_id not in turn.calls:
            self._adopt(turn, ToolCall(call_id, "", turn.turn.id, _text(data, "name"), {}))
        if data.get("effects") is not None:
            effects = data["effects"]
            turn.effectful[call_id] = any(effects.get(name) for name in ("writes", "exclusive", "programs"))
        call = turn.calls[call_id]
        if call.status not in TERMINAL:
            turn.calls[call_id] = evolve(call, status=status, after=tuple(data.get("after") or call.after))

    def call_result(self, turn: _OpenTurn, data: Mapping[str, Any]) -> None:
        """Note a call's end."""
        call_id, status = _text(data, "call_id"), _text(data, "status")
        result = from_data(ToolResult, data["result"])
        if call_id not in turn.calls:
            self._adopt(turn, ToolCall(call_id, "", turn.turn.id, _text(data, "name"), {}))
        turn.calls[call_id] = evolve(
            turn.calls[call_id],
            status=status,
            result=result,
            started=data.get("started"),
            ended=data.get("ended"),
        )

    def reviewed(self, turn: _OpenTurn, data: Mapping[str, Any]) -> None:
        """Note an addition to a call's result."""
        call = turn.calls[_text(data, "call_id")]
        if call.result is not None:
            added = with_added(call.result, _text(data, "plugin"), _text(data, "text"), data.get("data"))
            turn.calls[call.id] = evolve(call, result=added)

    def held(self, turn: _OpenTurn, data: Mapping[str, Any]) -> None:
        """Note why the turn had to continue."""
        said = held_text(_text(data, "plugin"), _text(data, "reason"))
        turn.batches.append(_Batch(Message("user", (Text(said),))))

    def changed(self, turn: _OpenTurn, data: Mapping[str, Any]) -> None:
        """Note a changed file, in case its call never reports."""
        turn.changed.setdefault(data["call_id"], []).append(_text(data, "path"))

    def _adopt(self, turn: _OpenTurn, call: ToolCall) -> None:
        # A call that is in no reply was made by a strategy, a mention, a guard or the user. Results of mentions are in
        # the text that was added to the prompt, and so are those of a strategy that embeds them. A guard says its own.
        embedded = call.origin in ("mention", "guard") or (call.origin == "strategy" and turn.present == "prompt")
        if call.id not in turn.calls and not embedded:
            if not turn.batches or turn.batches[-1].message is not None:
                turn.batches.append(_Batch(None))
            turn.batches[-1].call_ids.append(call.id)
        turn.calls[call.id] = call

    def history(self) -> History:
        """Return the history from the events."""
        messages: list[Message] = []
        turns: list[Turn] = []
        groups: list[tuple[str, list[Message]]] = []
        for turn in self.turns.values():
            asked = self.turns.get(turn.turn.parent_id or "")
            if asked is not None and asked.turn.type == "user":
                # Additions are recorded in the agent's turn, but the model sees them in the prompt.
                asked.context, turn.context = asked.context + turn.context, []
                asked.is_compacted = turn.is_compacted
        for turn in self.turns.values():
            for call_id, call in turn.calls.items():
                if call.result is None or call.status not in TERMINAL:
                    turn.calls[call_id] = self._cut_off(turn, call)
                    self.cut_off.append(call_id)
            said = list(_messages(turn, self.blob))
            turns.append(_closed(turn, said))
            messages += said
            if turn.turn.type == "user" or not groups or groups[-1][0]:
                groups.append(("", []))
            groups[-1] = (turn.turn.id if turn.turn.type == "agent" else "", groups[-1][1] + said)
        return History(
            tuple(turns),
            tuple(messages),
            unknown=tuple(self.unknown),
            said=tuple((turn_id, tuple(said)) for turn_id, said in groups if said),
            left_out=tuple(self.left_out),
            cut_off=tuple(self.cut_off),
            unended=tuple(turn.turn.id for turn in self.turns.values() if turn.turn.status == "running"),
        )

    def _cut_off(self, turn: _OpenTurn, call: ToolCall) -> ToolCall:
        settled = self.settled.get(call.id)
        if call.status == "executing" and settled is not None and settled.result is not None:
            return evolve(call, status="success" if settled.result.success else "cancelled", result=settled.result)
        if call.status != "executing" or not turn.effectful.get(call.id, True):
            error = ToolError("cancelled", "the session stopped before this call was done", "call it again if needed")
            return evolve(call, status="cancelled", result=ToolResult(False, error=error))
        self.unknown.append(call.id)
        did = f"; it had changed {', '.join(turn.changed[call.id])}" if call.id in turn.changed else ""
        error = ToolError(
            "unknown_outcome",
            f"the session stopped while this call ran: what it did is unknown{did}",
            "look at the present state before doing it again",
        )
        return evolve(call, status="error", result=ToolResult(False, error=error))


_HANDLERS: Mapping[str, Callable[[_Folder, _OpenTurn, Mapping[str, Any]], None]] = {
    "turn.started": _Folder.recorded,
    "turn.ended": _Folder.recorded,
    "input.ended": _Folder.heard,
    "context.added": _Folder.context,
    "context.dropped": _Folder.compacted,
    "context.broken": _Folder.broken,
    "decision.made": _Folder.decided,
    "model.replied": _Folder.replied,
    "call.state": _Folder.call_state,
    "call.result": _Folder.call_result,
    "call.reviewed": _Folder.reviewed,
    "turn.held": _Folder.held,
    "file.changed": _Folder.changed,
}


def is_readable_drop(data: Mapping[str, Any]) -> bool:
    """Return whether the data of a `context.dropped` has the shapes that its readers rely on."""
    lists = (data.get("shortened") or [], data.get("turns") or [])
    counts = (data.get("tokens", 0), data.get("steps", 0), data.get("added", 0))
    return (
        all(isinstance(ids, list) and all(isinstance(one, str) for one in ids) for ids in lists)
        and all(isinstance(count, int) for count in counts)
        and isinstance(data.get("results") or {}, dict)
    )


def _text(data: Mapping[str, Any], key: str) -> Any:
    """Return a value that must be text, because a wrong type would fail much later."""
    if not isinstance(data[key], str):
        raise TypeError(f"{key} is not text")
    return data[key]


def _no_blob(ref: str) -> bytes:
    raise StoreError("missing", f"nothing is stored as {ref}")


def fold(
    events: Iterable[Event],
    blob: Callable[[str], bytes] = _no_blob,
    settled: Mapping[str, Settled] = MappingProxyType({}),
) -> History:
    """Return turns and messages of a session from its events, wherever they end.

    `blob` returns the bytes stored beside them, `settled` has known outcomes of calls without a result.
    """
    folder = _Folder(blob, settled)
    for event in events:
        folder.take(event)
    return folder.history()


def _messages(turn: _OpenTurn, blob: Callable[[str], bytes]) -> Iterable[Message]:
    if turn.turn.type == "user":
        if not turn.is_compacted:
            yield Message("user", (Text(turn.turn.content), *turn.context))
        return
    if turn.context:
        yield Message("user", tuple(turn.context))
    answer = ""
    for batch in turn.batches:
        yield from batch.others
        calls = [turn.calls[call_id] for call_id in batch.call_ids]
        asked = batch.message or Message("assistant", tuple(map(_call_part, calls)))
        answer = "" if calls or asked.role == "user" else asked.text
        if answer and turn.turn.limit and batch is turn.batches[-1]:
            break  # the turn's own text is this one with the reached limit
        if asked.parts:
            yield asked
        if calls:
            names = {part.id: part.name for part in asked.parts if isinstance(part, CallPart)}
            yield Message("tool", tuple(_result_part(call, names.get(call.id, call.name), blob) for call in calls))
    if turn.turn.content and (turn.turn.limit or not answer):
        yield Message("assistant", (Text(turn.turn.content),))


def _call_part(call: ToolCall) -> CallPart:
    return CallPart(call.id, call.provider_id, call.name, call.arguments)


def _result_part(call: ToolCall, asked: str, blob: Callable[[str], bytes]) -> ResultPart:
    """Return a call's result under the requested name."""
    assert call.result is not None
    return ResultPart(call.id, call.provider_id, asked, with_bytes(call.result, blob))


def _closed(turn: _OpenTurn, said: Iterable[Message]) -> Turn:
    record = evolve(turn.turn, calls=tuple(turn.calls.values()))
    if record.status != "running":
        return record
    texts = [message.text for message in said if message.role == "assistant"]
    content = record.content or (texts[-1] if texts else "")
    return evolve(record, status="cancelled", content=content, ended=turn.last_time, error=record.error or CUT_OFF)
