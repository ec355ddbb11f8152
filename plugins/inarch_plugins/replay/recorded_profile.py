"""The profile of a turn as it was then, and the clock that a turn's time limit goes by."""

from __future__ import annotations

import asyncio
from typing import Any

from inarch.host import RECORDED
from inarch_plugins.replay.recorded_turns import RecordedTurn

FOREVER_S = 1e6
"""Seconds that a turn with a time limit may take in a replay, until the record says that its time is up."""
FOR_GOOD = 1e9
"""Seconds that nothing takes, not even where a turn's time is up."""


class SaidSeconds(float):
    """Very many seconds that are told as the few that they were."""

    said: float

    @classmethod
    def of(cls, said: float) -> SaidSeconds:
        """Return the time that a turn has, which is told as `said`."""
        seconds = cls(FOREVER_S)
        seconds.said = said
        return seconds

    def __format__(self, spec: str) -> str:
        return format(self.said, spec)


def settings_of(turn: RecordedTurn, profile: Any) -> dict[str, Any]:
    """Return the keys of the profile as they were in a turn; its model is the one that was asked."""
    said = {name: value for name, value in turn.settings.items() if name in RECORDED}  # a newer version may say more
    seconds = said.get("max_seconds") or profile.max_seconds
    said["max_seconds"] = SaidSeconds.of(seconds) if turn.stop == "out_of_time" and seconds else None
    said["model"] = turn.model or profile.model
    return {"max_cost_usd": None, "decision_model": None, "approve": _approve_of(turn), **said}


def _approve_of(turn: RecordedTurn) -> str:
    """Return an approve mode that fits what came of the calls, for records that don't say it."""
    if any(event.kind == "approval.given" and event.data.get("by") == "mode" for event in turn.events):
        return "all"
    denied = (call.result.error.message for call in turn.calls if call.result is not None and call.result.error)
    return "none" if any(message.endswith("the approve mode is none") for message in denied) else "ask"


def put_forward(loop: asyncio.AbstractEventLoop, seconds: float) -> None:
    """Put the clock of a loop forward: what waits for less is due."""
    real = loop.time

    def time() -> float:
        return real() + seconds

    loop.time = time  # type: ignore[method-assign]
