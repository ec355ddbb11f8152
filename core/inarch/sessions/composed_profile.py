"""Composition for a configuration: the parts that its profile names, and names without a match."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from attrs import define

from inarch.config.config import Config
from inarch.contract.capabilities import Remarks, able
from inarch.contract.errors import ConfigError, PluginError
from inarch.contract.guard import guarded
from inarch.plugins.composition import Bound, Composition
from inarch.plugins.discovery import discover, full_name
from inarch_sdk.suggestions import nearest

if TYPE_CHECKING:
    from inarch.contract.compaction import Compaction
    from inarch.contract.front_ends import FrontEnd
    from inarch.contract.ports import DecisionStrategy

T = TypeVar("T")


@define(eq=False, repr=False)
class Composed:
    """Configuration and the plugins composed for it."""

    config: Config
    composition: Composition
    front_end: FrontEnd | None
    journalled: bool
    environ: Mapping[str, str]

    @property
    def strategies(self) -> list[Bound[DecisionStrategy]]:
        """The profile's decision strategies in its order.

        Raises:
            ConfigError: No plugin provides one of them.
        """
        return self.strategies_of(self._strategy_names)

    @property
    def compactions(self) -> list[Bound[Compaction]]:
        """Compactions: the plugins' first, in the profile's order, then the built-in ones."""
        return sorted(self.composition.compactions, key=lambda one: one.plugin in self.composition.builtins)

    def strategies_of(self, names: Sequence[str]) -> list[Bound[DecisionStrategy]]:
        """Return the composed strategies of these names.

        Raises:
            ConfigError: No plugin provides one of them.
        """
        return [self.named("strategy", name, self.composition.strategies) for name in names]

    @property
    def _strategy_names(self) -> Sequence[str]:
        """The profile's strategies; by default, the composed ones."""
        names = self.config.profile.strategy
        return names if self.config.sets("strategy") else [one for one in names if one in self.composition.strategies]

    def named(self, what: str, name: str, known: Mapping[str, Bound[T]]) -> Bound[T]:
        """Return the part that the profile names.

        Raises:
            ConfigError: No plugin provides it; includes the reason if its plugin was refused.
        """
        found = known.get(name)
        if found is not None:
            return found
        raise self._absent(what, name, name, known)

    def missing_models(self) -> ConfigError | None:
        """Return the error for the first model of the profile that no plugin provides."""
        profile = self.config.profile
        for key, name in (("model", profile.model), ("decision_model", profile.decision_model or "auto")):
            provider = full_name(name, self.composition.models, self.environ).partition("/")[0]
            if provider != "auto" and provider not in self.composition.models:
                return self._absent(key, name, provider, self.composition.models)
        if not self.composition.models and self.composition.refused:
            item = self.composition.refused[0]
            message = f"no plugin of this profile provides a model: plugin {item.name!r} {item.reason}"
            return self.config.error("model", message, item.remedy)
        return None

    def missing(self) -> Iterator[ConfigError]:
        """Yield an error for each part that the profile names and no plugin provides."""
        profile, composed = self.config.profile, self.composition
        if (models := self.missing_models()) is not None:
            yield models
        named = [
            ("workspace", profile.workspace, {*composed.workspaces}),
            ("store", profile.store, {"memory", *composed.stores}),
            *(("strategy", name, {*composed.strategies}) for name in self._strategy_names),
        ]
        yield from (self._absent(what, name, name, known) for what, name, known in named if name not in known)

    def _absent(self, key: str, name: str, plugin: str, known: Collection[str]) -> ConfigError:
        """Return the error for a key whose value no plugin provides, with the nearest available one."""
        what = key.replace("_", " ")
        if self.config.safe_mode:
            return ConfigError(f"safe mode has no {what}: it loads no plugins", remedy="unset INARCH_SAFE_MODE")
        message = f"no plugin provides the {what} {name!r}"
        refused = next((item for item in self.composition.refused if item.name == plugin), None)
        if refused is not None:
            message += f": plugin {plugin!r} {refused.reason}"
        found = discover()
        if plugin in found.builtins:
            remedy = f"take -p no:{plugin} away" if self.composition.builtins else "compose with builtins=True"
        elif plugin not in found.plugins:
            remedy = nearest(plugin, known) or "none of the profile's plugins provides one"
        elif refused is not None:
            remedy = refused.remedy
        elif plugin in self.config.profile.plugins:
            remedy = f"take -p no:{plugin} away"
        else:
            remedy = f"add {plugin!r} to the profile's `plugins`"
        return self.config.error(key, message, remedy)

    @property
    def ignored(self) -> tuple[str, ...]:
        """One line for each setting in the configuration that has no effect."""
        has_tables = bool(self.config.plugin_tables or self.config.isolation)
        if not has_tables and not any(name.startswith("INARCH_PLUGIN_") for name in self.environ):
            return (*self.config.notes, *self.composition.outcome.given_way, *self._remarks())
        tried = (item.name for item in self.composition.refused)  # a single file, for example
        names = {*(plugin.name for plugin in self.composition.loaded), *tried}
        if self.config.hints(names):  # an installed plugin outside the profile may have a table, too
            found = discover()
            names |= {*found.plugins, *found.builtins}
        return (*self.config.notes, *self.config.hints(names), *self.composition.outcome.given_way, *self._remarks())

    def _remarks(self) -> Iterator[str]:
        for tracer in self.composition.tracers:
            remarking = able(tracer.value, Remarks)
            if remarking is None:
                continue
            try:
                with guarded(tracer.plugin, "tracer", passes=()):
                    yield from [str(line) for line in remarking.remarks()]
            except PluginError:
                continue  # a failing remark must not raise an error
