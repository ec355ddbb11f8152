"""Another model, or another answer to what may run without a question, for the rest of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from attrs import evolve

from inarch.contract.errors import UsageError
from inarch.contract.events import ModelSwitched

if TYPE_CHECKING:
    from inarch.turns import SessionState


async def switch_model(state: SessionState, name: str, why: str) -> str:
    """Ask another model from the next turn on and return its full name.

    Raises:
        ConfigError: No composed plugin provides it.
    """
    from inarch.turns.models import choose_model, find_default

    old = choose_model(state.config.profile.model, state.models, state.environ).full_name
    await find_default(name, state.models, state.environ)
    new = choose_model(name, state.models, state.environ).full_name
    state.config = evolve(state.config, profile=evolve(state.config.profile, model=name))
    if new != old:
        state.journal.record(ModelSwitched(old, new, why))
    return new


def switch_approve(state: SessionState, level: str) -> None:
    """Let other calls run without a question from the next one on.

    Raises:
        UsageError: There is no such level.
    """
    from inarch.config.tables import Approve

    for known in get_args(Approve):
        if known == level:
            state.config = evolve(state.config, profile=evolve(state.config.profile, approve=known))
            state.scheduler.approve = known
            return
    raise UsageError(f"{level!r} is no way to approve", f"write one of {', '.join(get_args(Approve))}")
