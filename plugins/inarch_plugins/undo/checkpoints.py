"""Turns of a session as checkpoints: the changes of each call, and which of them are undone now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from stat import S_IFMT
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch_plugins.undo.prompts import prompt_at

if TYPE_CHECKING:
    from inarch import ContextStore
    from inarch.host import Changes


@define(eq=False, repr=False)
class Checkpoint:
    """The changes of one turn by call, or of one command of the user's, which has `number` 0.

    `number` counts the agent's turns from 1. `began` and `asked` are the event numbers of the turn and its prompt.
    `cut_off` has interrupted calls that may have made unrecorded changes, `caches` the folders of caches that changed.
    """

    id: str
    number: int
    began: int = 0
    asked: int = 0
    calls: dict[str, list[Mapping[str, Any]]] = field(factory=dict)
    names: dict[str, str] = field(factory=dict)
    cut_off: set[str] = field(factory=set)
    caches: set[str] = field(factory=set)
    say: Callable[[int], str] = field(default=lambda seq: "")

    @property
    def prompt(self) -> str:
        """The turn's prompt, read on demand."""
        return self.say(self.asked) if self.asked else ""


@define(eq=False, repr=False)
class Checkpoints:
    """All checkpoints of a session, oldest first, and the calls whose changes are undone now.

    `undone` has the calls that each undo in effect reverted, oldest first.
    """

    turns: list[Checkpoint] = field(factory=list)
    undone: list[tuple[str, ...]] = field(factory=list)

    @property
    def undone_calls(self) -> set[str]:
        """The calls whose changes are undone."""
        return {call_id for calls in self.undone for call_id in calls}

    def standing(self, checkpoint: Checkpoint) -> tuple[str, ...]:
        """Return the calls of a checkpoint whose changes are in effect."""
        undone = self.undone_calls
        return tuple(call_id for call_id in checkpoint.calls if call_id not in undone)


def is_cache(data: Mapping[str, Any]) -> bool:
    """Return whether a change is that of a cache: its bytes were not read, and its modes have no type."""
    return "" in (data.get("before"), data.get("after")) and not any(
        S_IFMT(int(data.get(side) or 0)) for side in ("before_mode", "after_mode")
    )


def checkpoints_of(changes: Changes, say: Callable[[int], str]) -> Checkpoints:
    """Return the checkpoints of a session. `say` returns the prompt of an event."""
    found = {
        turn_id: Checkpoint(turn_id, number, began, asked, say=say)
        for number, (began, turn_id, asked) in enumerate(changes.turns, 1)
    }
    for seq, _, (turn_id, call_id, data), tool in changes.changes:
        if call_id not in changes.undos:
            key = turn_id or call_id
            at = found.setdefault(key, Checkpoint(key, 0, seq, say=say))
            if is_cache(data):
                at.caches.add(data["path"])
                continue
            at.calls.setdefault(call_id, []).append(data)
            at.names.setdefault(call_id, tool)
    for turn_id, call_id, tool in changes.cut_off:
        if turn_id in found:
            found[turn_id].cut_off.add(call_id)
            found[turn_id].names[call_id] = tool
    return Checkpoints(sorted(found.values(), key=lambda one: one.began), changes.undone)


def kept_checkpoints(store: ContextStore, session_id: str, changes: Changes) -> Checkpoints:
    """Return the checkpoints of a stored session. Their prompts are read on demand."""
    return checkpoints_of(changes, lambda seq: prompt_at(store, session_id, seq))
