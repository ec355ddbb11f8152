"""The profile of a turn as it was then, and the clock that a turn's time limit goes by."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

from attrs import evolve

from inarch_replay.recorded import RecordedTurn

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


def settings_of(turn: RecordedTurn, profile: Any) -> Any:
    """Return the profile with what the turn's record says of it; its model is the one that was asked."""
    said = turn.settings
    known: dict[str, Any] = {
        name: tuple(said[name]) if isinstance(said[name], list) else said[name]
        for name in (
            "fallback",
            "decision_model",
            "strategy",
            "approve",
            "max_iterations",
            "max_tokens",
            "max_reply_bytes",
            "context_turns",
        )
        if name in said
    }
    if "approve" not in known:
        known["approve"] = _approve_of(turn)
    if said.get("max_cost_usd") is not None:
        known["max_cost_usd"] = Decimal(said["max_cost_usd"])
    seconds = said.get("max_seconds") or profile.max_seconds
    known["max_seconds"] = SaidSeconds.of(seconds) if turn.stop == "out_of_time" and seconds else None
    return evolve(
        profile, **{"max_cost_usd": None, "decision_model": None, **known, "model": turn.model or profile.model}
    )


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
