"""Replay of what happens between turns: settings, compaction, undo and redo. Other events are recorded again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from inarch import EVENT_KINDS, Event, UsageError
from inarch.host import PluginEvent
from inarch_plugins.replay.normal_form import in_present_words

if TYPE_CHECKING:
    from inarch import Session
    from inarch_plugins.replay.recorded_turns import RecordedTurn


def settings_of(turn: RecordedTurn, profile: Any) -> dict[str, Any]:
    """Return the profile's keys as they were in a turn, with the model that was asked."""
    said = {
        name: value for name, value in turn.settings.items() if hasattr(profile, name)
    }  # a newer version may record more
    said["max_seconds"] = None
    said["model"] = turn.model or profile.model
    return {"max_cost_usd": None, "decision_model": None, "approve": _approve_of(turn), **said}


def _approve_of(turn: RecordedTurn) -> str:
    """Return an approval mode that fits the results of the calls, for records without one."""
    if any(event.kind == "approval.given" and event.data.get("by") == "mode" for event in turn.events):
        return "all"
    errors = [call.result.error for call in turn.calls if call.result is not None and call.result.error]
    is_none = any(in_present_words(error.message).endswith("the approval mode is none") for error in errors)
    return "none" if is_none else "ask"


def change_settings(session: Session, settings: Mapping[str, Any], strategies: Iterable[str]) -> None:
    """Set these settings for the next turn. A strategy that is not composed now is ignored."""
    left_out = set() if {*settings.get("strategy", ())} <= {"native", *strategies} else {"strategy"}
    session.change({name: value for name, value in settings.items() if name not in left_out})


def do_again(session: Session, event: Event) -> str:
    """Replay an event between two turns. Return the error if that fails."""
    if event.kind == "changes.undone":
        return _put_back_again(session, event.data)
    if event.kind == "context.dropped":
        _compact_again(session, event.data)
    else:
        session.state.journal.record(payload_of(event))
    return ""


def _compact_again(session: Session, data: Mapping[str, Any]) -> None:
    """Omit from the model's context what the recorded compaction omitted."""
    left_out = {*data.get("shortened", ()), *data.get("turns", ())}
    ids = [said.turn_id for said in session.state.history]
    last = max((place for place, one in enumerate(ids) if one in left_out), default=-1)
    session.compact(len(ids) - 1 - last)


def _put_back_again(session: Session, data: Mapping[str, Any]) -> str:
    """Replay the recorded undo or redo. Return the error if that fails."""
    action, calls, turns = data["action"], [*data["calls"]], [*data.get("turns", ())]
    target = calls[0] if len(calls) == 1 else turns[0] if len(turns) == 1 else ""
    try:
        report = session.undo(target) if action == "undo" else session.redo(target)
    except UsageError as error:
        return f"the {action} of {target or 'the last turn'} can't be repeated: {error}"
    if report.done:
        return ""
    paths = ", ".join(conflict.path for conflict in report.conflicts) or "; ".join(report.notes)
    return f"the {action} of {target or 'the last turn'} can't be repeated: {paths or 'there is nothing to do'}"


def payload_of(event: Event, **changed: Any) -> Any:
    """Return an event's payload without keys of newer versions."""
    data = {**event.data, **changed}
    cls = EVENT_KINDS.get(event.kind)
    if cls is None:
        return PluginEvent(event.kind, data)
    names = {item.name for item in getattr(cls, "__attrs_attrs__", ())}
    return cls(**{name: value for name, value in data.items() if name in names})
