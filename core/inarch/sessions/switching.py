"""Another model, or another answer to what may run without a question, for the rest of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from attrs import evolve

from inarch.contract.errors import UsageError
from inarch.contract.events import ModelSwitched

if TYPE_CHECKING:
    from inarch.turns import Conversation


async def switch_model(talk: Conversation, name: str, why: str) -> str:
    """Ask another model from the next turn on and return its full name.

    Raises:
        ConfigError: No composed plugin provides it.
    """
    from inarch.turns.models import choose_model, find_default

    old = choose_model(talk.config.profile.model, talk.models, talk.environ).full_name
    await find_default(name, talk.models, talk.environ)
    new = choose_model(name, talk.models, talk.environ).full_name
    talk.config = evolve(talk.config, profile=evolve(talk.config.profile, model=name))
    if new != old:
        talk.journal.record(ModelSwitched(old, new, why))
    return new


def switch_approve(talk: Conversation, level: str) -> None:
    """Let other calls run without a question from the next one on.

    Raises:
        UsageError: There is no such level.
    """
    from inarch.config.tables import Approve

    for known in get_args(Approve):
        if known == level:
            talk.config = evolve(talk.config, profile=evolve(talk.config.profile, approve=known))
            talk.scheduler.approve = known
            return
    raise UsageError(f"{level!r} is no way to approve", f"write one of {', '.join(get_args(Approve))}")
