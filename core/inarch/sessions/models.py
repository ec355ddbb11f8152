"""Models of a configuration: resolved by name, checked for readiness and retirement."""

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
    """Models of composed providers."""

    composed: Composed

    def choice(self, name: str = "") -> Choice:
        """Return the provider and model of a name, by default the profile's; it may take half a second.

        Raises:
            ConfigError: No composed plugin provides it.
        """
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
        """Return a model's name with its provider, which need not be composed, if exactly one provider knows the model.

        Raises:
            ConfigError: Several know it.
        """
        return full_name(name, {*self.composed.composition.models, *discover().plugins}, self.composed.environ)

    async def find(self, name: str) -> Choice:
        """Return the same after the provider has asked its service for its default model, if necessary.

        Raises:
            ConfigError: No composed plugin provides it.
        """
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
