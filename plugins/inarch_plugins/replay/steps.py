"""Steps of a record: a turn with its prompt is one, and so is each event outside turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inarch import Event, UsageError
from inarch_plugins.replay.recorded_turn import prompt_of


def steps_of(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Yield the events of each step. A turn that was interrupted lasts until the next prompt."""
    step, ids, has_ended = list[Event](), set[str](), True
    for event in events:
        turn = event.data["turn"] if event.kind in ("turn.started", "turn.ended") else {}
        if event.kind == "turn.started":
            is_new = turn["type"] != "agent" or turn.get("parent_id") not in ids
            ids = {turn["id"]} if is_new else {*ids, turn["id"]}
            has_ended = False
        elif is_new := has_ended and event.turn_id not in ids:
            ids = set()
        elif turn.get("type") == "agent":
            has_ended = True
        if is_new and step:
            yield step
            step = []
        step.append(event)
    if step:
        yield step


def first_turns(events: Iterable[Event], turns: int | None) -> Iterator[Event]:
    """Yield the events of the agent's first `turns` turns and of their prompts, or all for None.

    Raises:
        UsageError: There are fewer turns.
    """
    known: set[str] = set()
    count = 0
    for event in events:
        if event.turn_id and event.turn_id not in known:
            if count == turns:
                return
            known.add(event.turn_id)
            count += not _is_prompt(event)
        yield event
    if turns is not None and count < turns:
        many = "1 turn" if count == 1 else f"{count} turns"
        raise UsageError(f"the session has {many}, not {turns}", "inarch sessions show ID shows them")


def prompts_of(events: Iterable[Event]) -> list[str]:
    """Return the prompts of the agent's turns."""
    return [prompt for step in steps_of(events) if (prompt := prompt_of(step)) is not None]


def _is_prompt(event: Event) -> bool:
    return event.kind == "turn.started" and (event.data.get("turn") or {}).get("type") == "user"
