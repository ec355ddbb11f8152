"""Fit of a conversation into a model's window: what to leave out, and its record."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from inarch.contract.capabilities import Early, Watches, able
from inarch.contract.errors import PluginError, ProviderError
from inarch.contract.records import Limits
from inarch.turns.models import Choice
from inarch.turns.session_state import SessionState

if TYPE_CHECKING:
    from inarch.contract.compaction import Compaction, Crowding
    from inarch.turns.run import TurnRun

OUTPUT_RESERVE = 4096
"""Tokens reserved for the reply if the request sets no limit."""
LARGEST_RESERVE = 0.25
"""Maximum share of a small window that is reserved for the reply."""
AFTER_REFUSAL = 0.6
"""Share of a refused request's tokens for the next attempt, if a service refused it as too long."""

# Services' wording: "maximum context length is 8192 tokens", "exceeds the available context size (4096 tokens)".
_LIMIT = r"(?:maximum|available|limit|context)[^.\d]{0,40}(\d[\d,]{2,9})(?: tokens)?"
_NUMBER = r"\d[\d,]{2,9}"


def window_of(choice: Choice, state: SessionState) -> int | None:
    """Return the maximum tokens of a request to this model; None if unknown."""
    try:
        limits = choice.limits
    except PluginError:
        limits = Limits()
    known = limits.context_tokens
    refused = state.asked.refused.get(choice.full_name)
    if known is None:
        return refused
    reserve = min(limits.output_tokens or OUTPUT_RESERVE, OUTPUT_RESERVE, int(known * LARGEST_RESERVE))
    return min(known - reserve, refused or known)


async def make_room(run: TurnRun) -> None:
    """Leave out what does not fit the model's window, record it and show a note.

    Raises:
        ProviderError: Nothing more can be left out, and the window is known, not guessed from a refusal.
    """
    choice = run.answering
    window = window_of(choice, run.state)
    if window is not None:
        await shrink(run, window, "window", strict=window != run.state.asked.refused.get(choice.full_name))


async def shrink(run: TurnRun, window: int, reason: Crowding, *, strict: bool) -> bool:
    """Leave out what exceeds `window` or what a compaction removes early; return whether anything was left out."""
    state, model = run.state, run.answering.full_name
    request = run.request()
    count = state.asked.counter.count(request, model)
    every = state.parts.compactions
    called = [one for one in every if count > window * _share(one.value)]
    if count <= window:
        if not called:
            return False
        called = [one for one in every if one in called or _watches(one.value)]
        reason = "early"
    called.sort(key=lambda one: not _watches(one.value))
    from inarch.turns.compaction import compacted, record  # most conversations fit

    known = state.asked.counter.calibration(model)
    room = window - 1 - state.asked.counter.frame(request) * known.ratio * (1 + known.margin)
    left_out = await compacted(run, called, room, reason, model, strict=strict)
    run.earlier[:] = state.earlier_messages()
    record(state, left_out, run.turn.id)
    if left_out:
        state.asked.prefix.pending = "compaction"
        _let_go(state)
    return bool(left_out)


def _share(compaction: Compaction) -> float:
    early = able(compaction, Early)
    return 1.0 if early is None else early.at


def _watches(compaction: Compaction) -> bool:
    watching = able(compaction, Watches)
    return watching is not None and watching.watches


def _let_go(state: SessionState) -> None:
    """Release turns that the model no longer sees, except the last one, which is still read; the store has them."""
    if state.gone and state.journal.degraded is None:
        seen = {said.turn_id for said in state.history}
        state.turns[:-1] = [turn for turn in state.turns[:-1] if turn.id in seen]


def room_after(error: ProviderError, counted: int) -> int:
    """Return the token limit of the next attempt: the service's limit, and less than the refused request.

    If the service also reports how many tokens there were, the limit is converted to tokens as counted here.
    """
    room = int(counted * AFTER_REFUSAL)
    said = re.search(_LIMIT, error.message, re.I)
    if said is None:
        return room
    limit = int(said[1].replace(",", ""))
    allowed = limit - min(OUTPUT_RESERVE, int(limit * LARGEST_RESERVE))
    sent = max(int(number.replace(",", "")) for number in re.findall(_NUMBER, error.message))
    return min(room, int(allowed * min(1.0, counted / max(sent, 1))) if sent > limit else allowed)
