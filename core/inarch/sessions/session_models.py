"""Models of a configuration by name, and changes of the model or of other profile keys for the rest of a session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from attrs import define, evolve

from inarch.contract.capabilities import OverHttp, able
from inarch.contract.errors import ConfigError, PluginError, UsageError
from inarch.plugins.discovery import discover, full_name
from inarch.plugins.plugin_loader import is_given
from inarch_sdk.modes import REVIEW
from inarch_sdk.suggestions import nearest

if TYPE_CHECKING:
    from inarch.plugins.discovery import Ready
    from inarch.sessions.composed_profile import Composed
    from inarch.turns.models import Choice
    from inarch.turns.session_state import SessionState
    from inarch.turns.token_count import TokenCounter


@define(eq=False, repr=False)
class Models:
    """Models of composed providers."""

    composed: Composed

    def choice(self, name: str = "") -> Choice:
        """Return the provider and model of a name, by default the profile's; it may take half a second."""
        from inarch.turns.models import choose_model

        return choose_model(
            name or self.composed.config.profile.model, self.composed.composition.models, self.composed.environ
        )

    @property
    def ready(self) -> Mapping[Ready, bool]:
        """Requirements of the providers for `auto`, the lowest rank first, each with whether the user has met them."""
        from inarch.turns.models import ready_among

        return {one: is_given(self.composed.config, one) for one in ready_among(self.composed.composition.models)}

    @property
    def offers(self) -> Mapping[str, str]:
        """Proposed models of services behind a provider of many, by the variables of their keys."""
        given = (one for one, is_given in self.ready.items() if is_given and one.model)
        return {one.variable: f"{one.plugin}/{one.model}" for one in given}

    def full_name(self, name: str) -> str:
        """Return a model's name with its provider, composed or not, if exactly one provider knows the model."""
        return full_name(name, {*self.composed.composition.models, *discover().plugins}, self.composed.environ)

    async def find(self, name: str) -> Choice:
        """Return the same after the provider has asked its service for its default model, if necessary."""
        from inarch.turns.models import ComposedModels

        await ComposedModels(self.composed.composition.models, self.composed.environ).find_default(name)
        return self.choice(name)

    @staticmethod
    def counter() -> TokenCounter:
        """Return a token counter like that of a session without requests."""
        from inarch.turns.token_count import TokenCounter

        return TokenCounter()

    def retirement(self, choice: Choice) -> tuple[str, str] | None:
        """Return a model's coming retirement and what to do; None if unknown. Nothing is sent."""
        from inarch.turns.services import retirement

        return retirement(choice, self.composed.config.cache_dir, datetime.now(UTC).date())

    async def look(self, choice: Choice) -> tuple[str, str] | None:
        """Ask a remote service for its models, at most once a day, and return a new retirement and what to do."""
        from inarch.turns.services import listed_today

        before = self.retirement(choice)
        remote = able(choice.provider.value, OverHttp)
        if remote is not None and not remote.service.is_local:
            with suppress(ConfigError, PluginError):
                choice.check_key()
                await listed_today(choice, self.composed.config.cache_dir, datetime.now(UTC).date())
        return self.retirement(choice) if before is None else None


async def switch_model(state: SessionState, name: str, why: str) -> str:
    """Use another model from the next turn on and return its full name."""
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
    """Raise for the approval mode `review` outside a copy of the workspace."""
    if mode != REVIEW:
        return
    from inarch_lib.staging.copies import change_of  # other modes need none

    if not change_of(root):
        where = "start inarch or inarch chat with --approve review"
        raise UsageError("the approval mode review works in a copy of the workspace, and this is not one", where)


def change_settings(state: SessionState, settings: Mapping[str, Any]) -> None:
    """Change keys of the profile from the next turn, or call outside of turns, on."""
    from inarch.config.profile import Profile
    from inarch.config.values import Wrong, read_key
    from inarch.turns.run import RECORDED
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
