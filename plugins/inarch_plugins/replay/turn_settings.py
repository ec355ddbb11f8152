"""Settings of a recorded turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from inarch_plugins.replay.normal_form import in_present_words

if TYPE_CHECKING:
    from inarch import Session
    from inarch_plugins.replay.recorded_turn import RecordedTurn


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
    if any(call.by_mode for call in turn.calls.values()):
        return "all"
    errors = [call.result.error for call in turn.calls.values() if call.result is not None and call.result.error]
    is_none = any(in_present_words(error.message).endswith("the approval mode is none") for error in errors)
    return "none" if is_none else "ask"


def change_settings(session: Session, settings: Mapping[str, Any], strategies: Iterable[str]) -> None:
    """Set these settings for the next turn. A strategy that is not composed now is ignored."""
    left_out = set() if {*settings.get("strategy", ())} <= {"native", *strategies} else {"strategy"}
    session.change({name: value for name, value in settings.items() if name not in left_out})
