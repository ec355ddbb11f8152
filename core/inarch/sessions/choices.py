"""The models that a configuration can ask: which one a name means, which are ready, which retire soon."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from attrs import define

from inarch.contract.capabilities import OverHttp, able
from inarch.contract.errors import ConfigError, PluginError
from inarch.plugins.discovery import discover, full_name
from inarch.plugins.plugin_loader import is_given

if TYPE_CHECKING:
    from inarch.plugins.discovery import Ready
    from inarch.sessions.composed_profile import Composed
    from inarch.turns.models import Choice
    from inarch.turns.token_count import TokenCounter


@define(eq=False, repr=False)
class Models:
    """The models of composed providers."""

    composed: Composed

    def choice(self, name: str = "") -> Choice:
        """Return the provider and model that a name means, without one those of the profile; it may take half a second.

        Raises:
            ConfigError: No composed plugin provides it.
        """
        from inarch.turns.models import choose_model

        return choose_model(
            name or self.composed.config.profile.model, self.composed.composition.models, self.composed.environ
        )

    @property
    def ready(self) -> Mapping[Ready, bool]:
        """What providers need that `auto` chooses from, the lowest rank first, each with whether the user gave it."""
        from inarch.turns.models import ready_among

        return {one: is_given(self.composed.config, one) for one in ready_among(self.composed.composition.models)}

    @property
    def offers(self) -> Mapping[str, str]:
        """The models proposed of services behind a provider of many, by the variables that hold their keys."""
        given = (one for one, is_given in self.ready.items() if is_given and one.model)
        return {one.variable: f"{one.plugin}/{one.model}" for one in given}

    def full_name(self, name: str) -> str:
        """Return a model's name with its provider, which need not be composed, where one alone knows the model.

        Raises:
            ConfigError: Several know it.
        """
        return full_name(name, {*self.composed.composition.models, *discover().plugins})

    async def find(self, name: str) -> Choice:
        """Return the same after the provider has asked its service which model is its default, where it has to.

        Raises:
            ConfigError: No composed plugin provides it.
        """
        from inarch.turns.models import ComposedModels

        await ComposedModels(self.composed.composition.models, self.composed.environ).find_default(name)
        return self.choice(name)

    @staticmethod
    def counter() -> TokenCounter:
        """Return what estimates tokens, as a session does that has asked nothing yet."""
        from inarch.turns.token_count import TokenCounter

        return TokenCounter()

    def retirement(self, choice: Choice) -> tuple[str, str] | None:
        """Return that a model retires soon, and what to do; None if that is not known. Nothing is sent."""
        from inarch.turns.services import retirement

        return retirement(choice, self.composed.config.cache_dir, datetime.now(UTC).date())

    async def look(self, choice: Choice) -> tuple[str, str] | None:
        """Have a service on another machine list its models, unless it did today, and return what is new.

        That is a retirement of the model, and what to do.
        """
        from inarch.turns.services import listed_today

        before = self.retirement(choice)
        remote = able(choice.provider.value, OverHttp)
        if remote is not None and not remote.service.is_local:
            with suppress(ConfigError, PluginError):
                choice.check_key()
                await listed_today(choice, self.composed.config.cache_dir, datetime.now(UTC).date())
        return self.retirement(choice) if before is None else None
