"""Resolution of `model = "PROVIDER/NAME"` or `"auto"` to a provider and its model."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from attrs import evolve, frozen

from inarch.contract.capabilities import ChecksKey, FindsDefault, TakesEffort, able
from inarch.contract.errors import ConfigError, PluginError, ProviderError
from inarch.contract.guard import guarded
from inarch.contract.ports import ModelProvider
from inarch.contract.records import Limits, Price
from inarch.plugins.discovery import Ready, full_name, own_ready
from inarch.plugins.registration import Bound
from inarch_sdk.model_table import family_model

Models = Mapping[str, Bound[ModelProvider]]


KNOCK_S = 0.5
"""Seconds in which a server must accept a connection to be chosen."""


class Choice(NamedTuple):
    """Provider and model; `note` explains an unexpected choice."""

    provider: Bound[ModelProvider]
    model: str
    note: str = ""

    @property
    def full_name(self) -> str:
        """`PROVIDER/NAME`."""
        return f"{self.provider.value.name}/{self.model}"

    @property
    def price(self) -> Price | None:
        """The model's price from the provider, else from the tables of known models; None if unknown.

        Raises:
            PluginError: The provider failed, or returned another type.
        """
        return self._priced[0]

    @property
    def price_source(self) -> str:
        """Source of the price, "" if there is none.

        Raises:
            PluginError: The provider failed, or returned another type.
        """
        return self._priced[1]

    @property
    def _priced(self) -> tuple[Price | None, str]:
        own = self._own_price()
        if own is not None:
            return own, self.provider.value.name
        # It costs nothing, and the tables know none of its names.
        if self.needs_nothing:
            return None, ""
        from inarch_sdk.model_table import proposed_model
        from inarch_sdk.prices import price_table

        row = proposed_model(self.full_name)
        if row is not None and row.price is not None:
            return row.price, f"Inarch's table of {row.seen}"
        known = price_table().find(self.full_name)
        return (None, "") if known is None or known.price is None else (known.price, price_table().source)

    @property
    def limits(self) -> Limits:
        """The model's limits, from the provider and then from the table of known models.

        Raises:
            PluginError: The provider failed, or returned another type.
        """
        with guarded(self.provider.plugin, "provider", passes=()):
            limits = self.provider.value.limits(self.model)
            if not isinstance(limits, Limits):
                raise TypeError(f"limits returned {limits!r:.60}, not an inarch.Limits")
        if limits.context_tokens is not None and limits.output_tokens is not None:
            return limits
        if self.needs_nothing:
            return limits
        from inarch_sdk.model_table import proposed_model
        from inarch_sdk.prices import price_table

        row, known = proposed_model(self.full_name), price_table().find(self.full_name)
        tables = Limits() if known is None else known.limits
        if row is not None:
            tables = Limits(row.context_tokens or tables.context_tokens, row.output_tokens or tables.output_tokens)
        return evolve(
            limits,
            context_tokens=limits.context_tokens or tables.context_tokens,
            output_tokens=limits.output_tokens or tables.output_tokens,
        )

    @property
    def deciding(self) -> str:
        """Full name of the provider's model for strategies: the table's, or this one if it names none."""
        from inarch_sdk.model_table import service_of

        named = self.provider.value.default_decision_model
        service = None if named else service_of(self.full_name)
        if service is not None and self.full_name == f"{service.provider}/{service.model}":
            return f"{service.provider}/{service.decision_model}"
        return f"{self.provider.value.name}/{named or self.model}"

    @property
    def takes_effort(self) -> bool:
        """Whether the provider can set the model's reasoning effort.

        Raises:
            PluginError: The provider failed.
        """
        provider = able(self.provider.value, TakesEffort)
        if provider is None:
            return False
        with guarded(self.provider.plugin, "provider", passes=()):
            return bool(provider.takes_effort(self.model))

    def check_key(self) -> str:
        """Refuse a model whose provider knows that its key is missing; return a message if it can only guess.

        Raises:
            ConfigError: The key is missing; the message names the variable.
            PluginError: The provider failed.
        """
        provider = able(self.provider.value, ChecksKey)
        if provider is None:
            return ""
        try:
            with guarded(self.provider.plugin, "provider", passes=(ProviderError,)):
                return provider.check_key(self.model) or ""
        except ProviderError as error:
            raise ConfigError(error.message, key="model", remedy=error.remedy) from error

    @property
    def needs_nothing(self) -> bool:
        """Whether this is Inarch's own last resort, which sends nothing."""
        return any(ready.always and ready in own_ready() for ready in self.provider.ready)

    def _own_price(self) -> Price | None:
        with guarded(self.provider.plugin, "provider", passes=()):
            price = self.provider.value.price(self.model)
            if price is not None and not isinstance(price, Price):
                raise TypeError(f"price returned {price!r:.60}, not an inarch.Price or None")
            return price


def choose_model(name: str, models: Models, environ: Mapping[str, str]) -> Choice:
    """Return the provider and model that `name` means.

    Raises:
        ConfigError: No composed plugin provides it; the message names the available ones.
    """
    if name == "auto":
        return _automatic(models, environ)
    whole = full_name(name, models, environ)
    provider_name, _, model = whole.partition("/")
    provider = models.get(provider_name)
    if provider is None:
        raise _unknown(name, provider_name, models)
    choice = Choice(provider, model or provider.value.default_model)
    is_family = whole == family_model(name, environ)
    return choice._replace(note=f"{name} means {whole}") if is_family else choice


@frozen(eq=False, repr=False)
class ComposedModels:
    """Composed providers, and the source of their keys."""

    models: Models
    environ: Mapping[str, str]

    def choose(self, name: str) -> Choice:
        """Return the provider and model that `name` means, as `choose_model` does."""
        return choose_model(name, self.models, self.environ)

    async def find_default(self, name: str) -> None:
        """Let the provider ask its service for its default model, if `name` names none and it must ask.

        The records then have the model from the start. A failure is reported by the first request, which fails in the
        same way.

        Raises:
            ConfigError: No composed plugin provides it.
        """
        if "/" in name:
            return
        provider = self.choose(name).provider
        finds = able(provider.value, FindsDefault)
        if finds is None:
            return
        with suppress(PluginError, ProviderError), guarded(provider.plugin, "provider", passes=(ProviderError,)):
            await finds.find_default()


def _automatic(models: Models, environ: Mapping[str, str]) -> Choice:
    notes = []
    ready = ready_among(models)
    for one in ready:
        if one.always or not (setting := _given(one, models, environ)):
            continue
        if one.plugin not in models:
            notes.append(f"{one.variable} is set, but the profile has no plugin {one.plugin!r}")
        elif one.variable or listens(setting):
            return _default(models[one.plugin], one.model, "; ".join(notes))
        else:  # a user may run their own server because no data may leave the machine
            notes.append(f"nothing listens at {one.plugin}'s {one.setting}")
            break
    last = [one.plugin for one in ready if one.always]
    found = next((models[name] for name in (*last, *models) if name in models), None)
    if found is None:
        hint = f"add {last[0]!r} to the profile's plugins" if last else ""
        raise ConfigError("no plugin of this profile provides a model", key="model", remedy=hint)
    return _default(found, "", "; ".join(notes) and f"{'; '.join(notes)}: answering without a language model")


def _given(ready: Ready, models: Models, environ: Mapping[str, str]) -> object:
    """Return the user's part of a provider's requirements: its key, or the address of its server."""
    if ready.variable:
        return environ.get(ready.variable, "").strip()
    return getattr(models[ready.plugin].context.settings, ready.setting, "") if ready.plugin in models else ""


def ready_among(models: Models) -> list[Ready]:
    """Return the requirements of the shipped and composed providers for `auto`, the lowest rank first."""
    return sorted({*own_ready(), *(one for bound in models.values() for one in bound.ready)})


def _default(provider: Bound[ModelProvider], model: str, note: str) -> Choice:
    return Choice(provider, model or provider.value.default_model, note)


def listens(address: object) -> bool:
    """Return whether a server accepts connections at an address; nothing is sent there."""
    if not isinstance(address, str) or not address:
        return False
    import socket
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(address)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        socket.create_connection((parts.hostname or "", port), KNOCK_S).close()
    except (OSError, ValueError):
        return False
    return True


def _unknown(name: str, provider: str, models: Models) -> ConfigError:
    from inarch_sdk.suggestions import closest

    known = ", ".join(sorted(models)) or "none"
    near = closest(provider, models)
    hint = f"did you mean {near!r}? " if near else ""
    return ConfigError(
        f"no plugin provides the model {name!r}", key="model", remedy=f"{hint}providers of this profile: {known}"
    )
