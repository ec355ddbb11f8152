"""What a session's events say about files: who changed what, what was undone, and how it all stood before. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from attrs import define, field

from inarch.contract.events import Event


class Change(NamedTuple):
    """One `file.changed` event: the turn (empty for a person's own command or an undo), the call, and its data."""

    turn_id: str
    call_id: str
    data: Mapping[str, Any]


class Standing(NamedTuple):
    """What stands at a path: the hash of its bytes, None for nothing and for a directory, and its whole mode."""

    hash: str | None
    mode: int


NOTHING = Standing(None, 0)


class Transition(NamedTuple):
    """What a change means for one path."""

    path: str
    before: Standing
    after: Standing


def changes_of(events: Iterable[Event]) -> list[Change]:
    """Return the changes of files in order; those of an undo have its id as their call."""
    return [
        Change(event.turn_id or "", str(event.data.get("call_id", "")), event.data)
        for event in events
        if event.kind == "file.changed" and isinstance(event.data.get("path"), str)
    ]


def transitions_of(data: Mapping[str, Any]) -> tuple[Transition, ...]:
    """Return what one change means for each of its paths: two for a move, else one."""
    before = Standing(data.get("before"), int(data.get("before_mode") or 0))
    after = Standing(data.get("after"), int(data.get("after_mode") or 0))
    if (new_path := data.get("new_path")) is None:
        return (Transition(data["path"], before, after),)
    return Transition(data["path"], before, NOTHING), Transition(new_path, NOTHING, after)


def files_at_start(events: Iterable[Event]) -> dict[str, tuple[str | None, int]]:
    """Return how each path that the session changed stood before it did, by path: the hash and the whole mode.

    A hash of None with a mode of 0 means that nothing stood there.
    """
    found: dict[str, tuple[str | None, int]] = {}
    for change in changes_of(events):
        for path, before, _ in transitions_of(change.data):
            found.setdefault(path, (before.hash, before.mode))
    return found


@define(eq=False, repr=False)
class Checkpoint:
    """What one turn changed, call by call; a person's own command is one of its own, with `number` 0.

    `number` counts the agent's turns from 1; `cut_off` are calls that may have changed more than they could tell.
    """

    id: str
    number: int
    prompt: str = ""
    calls: dict[str, list[Mapping[str, Any]]] = field(factory=dict)
    names: dict[str, str] = field(factory=dict)
    cut_off: set[str] = field(factory=set)


@define(eq=False, repr=False)
class Checkpoints:
    """All checkpoints of a session, oldest first, with the calls whose changes are undone now.

    `undone` has what each undo that still counts took back, oldest first.
    """

    turns: list[Checkpoint] = field(factory=list)
    undone: list[tuple[str, ...]] = field(factory=list)

    @property
    def undone_calls(self) -> set[str]:
        """The calls whose changes don't stand."""
        return {call_id for calls in self.undone for call_id in calls}

    def standing(self, checkpoint: Checkpoint) -> tuple[str, ...]:
        """Return the calls of a checkpoint whose changes stand."""
        undone = self.undone_calls
        return tuple(call_id for call_id in checkpoint.calls if call_id not in undone)


def checkpoints_of(events: Sequence[Event]) -> Checkpoints:
    """Return the checkpoints of a session's events."""
    reader = _Reader()
    for event in events:
        handler = _HANDLERS.get(event.kind)
        if handler is not None:
            try:
                handler(reader, event)
            except (KeyError, TypeError, ValueError, AttributeError):
                continue  # written by another version: the events around it still count
    return reader.found()


@define(eq=False, repr=False)
class _Reader:
    checkpoints: dict[str, Checkpoint] = field(factory=dict)
    prompts: dict[str, str] = field(factory=dict)
    names: dict[str, str] = field(factory=dict)
    running: dict[str, str] = field(factory=dict)
    undos: set[str] = field(factory=set)
    undone: list[tuple[str, ...]] = field(factory=list)
    agents: int = 0

    def started(self, event: Event) -> None:
        turn = event.data["turn"]
        if turn["type"] == "user":
            self.prompts[turn["id"]] = turn["content"]
            return
        self.agents += 1
        prompt = self.prompts.get(turn.get("parent_id") or "", "")
        self.checkpoints[turn["id"]] = Checkpoint(turn["id"], self.agents, prompt)

    def called(self, event: Event) -> None:
        call_id = event.data["call_id"]
        self.names[call_id] = event.data["name"]
        if event.data["status"] == "executing":
            self.running[call_id] = event.turn_id or ""

    def ended(self, event: Event) -> None:
        self.running.pop(event.data["call_id"], None)

    def changed(self, event: Event) -> None:
        call_id = event.data["call_id"]
        if call_id not in self.undos:
            self.at(event.turn_id, call_id).calls.setdefault(call_id, []).append(event.data)

    def took_back(self, event: Event) -> None:
        self.undos.add(event.data["id"])
        calls = tuple(event.data["calls"])
        if event.data["action"] == "undo":
            self.undone.append(calls)
        else:
            left = (tuple(call_id for call_id in one if call_id not in calls) for one in self.undone)
            self.undone = [one for one in left if one]

    def at(self, turn_id: str | None, call_id: str) -> Checkpoint:
        key = turn_id or call_id
        if key not in self.checkpoints:
            self.checkpoints[key] = Checkpoint(key, 0)
        return self.checkpoints[key]

    def found(self) -> Checkpoints:
        for call_id, turn_id in self.running.items():
            if turn_id in self.checkpoints:
                self.checkpoints[turn_id].cut_off.add(call_id)
        for checkpoint in self.checkpoints.values():
            checkpoint.names = {one: self.names.get(one, "") for one in (*checkpoint.calls, *checkpoint.cut_off)}
        return Checkpoints(list(self.checkpoints.values()), self.undone)


_HANDLERS = {
    "turn.started": _Reader.started,
    "call.state": _Reader.called,
    "call.result": _Reader.ended,
    "file.changed": _Reader.changed,
    "changes.undone": _Reader.took_back,
}
