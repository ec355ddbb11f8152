"""Changes of the model or of other profile keys for the rest of a session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import evolve

from inarch.config.tables import Profile
from inarch.contract.errors import UsageError
from inarch.turns.run import RECORDED
from inarch_sdk.modes import REVIEW
from inarch_sdk.suggestions import nearest

if TYPE_CHECKING:
    from inarch.turns.session_state import SessionState


async def switch_model(state: SessionState, name: str, why: str) -> str:
    """Use another model from the next turn on and return its full name.

    Raises:
        ConfigError: No composed plugin provides it, or its key is missing.
        PluginError: Its provider failed.
    """
    old = state.parts.choose(state.config.profile.model).full_name
    await state.parts.find_default(name)
    choice = state.parts.choose(name)
    choice.check_key()
    new = choice.full_name
    state.config = evolve(state.config, profile=evolve(state.config.profile, model=name))
    if new != old:
        from inarch.contract.other_events import ModelSwitched

        state.journal.record(ModelSwitched(old, new, why))
    return new


@contextmanager
def asking(state: SessionState, model: str) -> Iterator[None]:
    """Use another model in a turn; a choice by the user meanwhile applies from the next one on."""
    profile = state.config.profile
    state.config = evolve(state.config, profile=evolve(profile, model=model))
    try:
        yield
    finally:
        if state.config.profile.model == model:
            state.config = evolve(state.config, profile=evolve(state.config.profile, model=profile.model))


def require_copy(mode: str, root: str) -> None:
    """Raise for the approval mode `review` outside a copy of the workspace.

    Raises:
        UsageError: The root is not a copy.
    """
    if mode != REVIEW:
        return
    from inarch_lib.staging.copies import change_of  # other modes need none

    if not change_of(root):
        where = "start inarch or inarch chat with --approve review"
        raise UsageError("the approval mode review works in a copy of the workspace, and this is not one", where)


def change_settings(state: SessionState, settings: Mapping[str, Any]) -> None:
    """Change keys of the profile from the next turn, or call outside of turns, on.

    Raises:
        UsageError: One of them cannot be changed, or not to this value.
        ConfigError: No composed plugin provides a strategy.
    """
    from inarch.config.scalars import Wrong
    from inarch.config.values import read_key
    from inarch_sdk.settings import keys_of

    keys, known = keys_of(Profile), dict[str, Any]()
    for name, value in settings.items():
        if name not in RECORDED:
            raise UsageError(f"{name!r} can't be changed in a session", nearest(name, RECORDED))
        try:
            known[name] = read_key(keys[name], value)
        except Wrong as wrong:
            raise UsageError(f"{name} {wrong.message}", wrong.remedy) from None
    require_copy(known.get("approve", ""), state.config.root)
    if "strategy" in known:
        state.strategies = state.parts.find_strategies(known["strategy"])
    state.config = evolve(state.config, profile=evolve(state.config.profile, **known))
    if "approve" in known:
        state.scheduler.approve = known["approve"]
        state.tools.enter_mode(known["approve"])
