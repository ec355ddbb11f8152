"""What happened between two turns, done again: compaction, undo and redo; anything else is said again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inarch import EVENT_KINDS, Event, UsageError
from inarch.host import PluginEvent

if TYPE_CHECKING:
    from inarch import Session


def compact_again(session: Session, data: Mapping[str, Any]) -> None:
    """Leave out of what the model sees what was left out then."""
    left_out = {*data.get("shortened", ()), *data.get("turns", ())}
    ids = [said.turn_id for said in session.state.history]
    last = max((place for place, one in enumerate(ids) if one in left_out), default=-1)
    session.compact(len(ids) - 1 - last)


def put_back_again(session: Session, data: Mapping[str, Any]) -> str:
    """Undo or redo what was undone or redone then; return why it can't be, else nothing."""
    action, calls, turns = data["action"], [*data["calls"]], [*data.get("turns", ())]
    target = calls[0] if len(calls) == 1 else turns[0] if len(turns) == 1 else ""
    try:
        report = session.undo(target) if action == "undo" else session.redo(target)
    except UsageError as error:
        return f"the {action} of {target or 'the last turn'} can't be done again: {error}"
    if report.done:
        return ""
    paths = ", ".join(conflict.path for conflict in report.conflicts) or "; ".join(report.notes)
    return f"the {action} of {target or 'the last turn'} can't be done again: {paths or 'there is nothing to do'}"


def payload_of(event: Event, **changed: Any) -> Any:
    """Return the payload that an event was; keys of a newer version are left out."""
    data = {**event.data, **changed}
    cls = EVENT_KINDS.get(event.kind)
    if cls is None:
        return PluginEvent(event.kind, data)
    names = {item.name for item in getattr(cls, "__attrs_attrs__", ())}
    return cls(**{name: value for name, value in data.items() if name in names})
