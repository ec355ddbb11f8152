"""Resuming: what going on with a session needs of it, in one passage through its events and without holding them all.

Of turns that the model doesn't see any more nothing is kept but that they were. A session of a hundred thousand events
takes no more memory than its last turns do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import define, evolve, field

from inarch.contract.events import Event
from inarch.journal.folding import fold, is_readable_drop
from inarch.journal.history import History, title_of


@define(eq=False, repr=False)
class _Held:
    """The events of the turns that may still be seen, by turn; what stands outside of turns is of no use to a model."""

    turns: dict[str, list[Event]] = field(factory=dict)
    asked: dict[str, str] = field(factory=dict)
    dropped: dict[str, None] = field(factory=dict)
    left_out: list[Any] = field(factory=list)
    seen: dict[str, str] = field(factory=dict)
    root: str = ""
    title: str = ""
    seq: int = 0

    def take(self, event: Event) -> None:
        """Take in one event."""
        self.seq = max(self.seq, event.seq)
        kind, turn_id = event.kind, event.turn_id
        if kind == "session.started":
            self.root = self.root or str(event.data.get("root", ""))
        elif kind == "context.dropped" and is_readable_drop(event.data):
            self.left_out.append(event.data)
            self._drop(event.data.get("turns") or ())
        elif kind == "turn.started":
            self.title = self.title or title_of(event)
            self._note_prompt(event.data.get("turn"))
        elif kind == "call.result":
            self._see(event.data.get("result"))
        elif kind == "file.changed" and not turn_id:  # an undo, or a person's own command: the model has not seen that
            for key in ("path", "new_path"):
                self.seen.pop(str(event.data.get(key)), None)
        if turn_id and turn_id not in self.dropped:
            self.turns.setdefault(turn_id, []).append(event)

    def _note_prompt(self, turn: object) -> None:
        if isinstance(turn, dict) and turn.get("type") == "agent" and isinstance(turn.get("parent_id"), str):
            self.asked[str(turn.get("id"))] = turn["parent_id"]

    def _drop(self, turn_ids: Iterable[str]) -> None:
        """Let go of turns and of the prompts they answer; the turn in which that is recorded is never one of them."""
        for turn_id in turn_ids:
            self.dropped[turn_id] = None
            self.turns.pop(turn_id, None)
            self.turns.pop(self.asked.pop(turn_id, ""), None)

    def _see(self, result: object) -> None:
        metadata = result.get("metadata") if isinstance(result, dict) else None
        files = metadata.get("files") if isinstance(metadata, dict) else None
        for path, digest in files.items() if isinstance(files, dict) else ():
            if digest is None:
                self.seen.pop(path, None)
            else:
                self.seen[path] = digest


def resume(
    events: Iterable[Event], blob: Callable[[str], bytes], hear: Callable[[Event], None] = lambda event: None
) -> History:
    """Return a session as far as its events tell and a model may still see it; each event is passed on to `hear`.

    It is what `fold` returns, but that of dropped turns there is an empty entry in `said` and nothing else.
    """
    held = _Held()
    for event in events:
        held.take(event)
        hear(event)
    kept = fold((event for turn in held.turns.values() for event in turn), blob)
    gone = tuple((turn_id, ()) for turn_id in held.dropped)
    return evolve(
        kept,
        said=(*gone, *kept.said),
        seen=held.seen,
        root=held.root,
        title=held.title,
        seq=held.seq,
        left_out=tuple(held.left_out),
    )
