"""What was composed for a configuration: what its profile names of that, and what it names in vain."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define, evolve

from inarch.calls.offering import is_offered
from inarch.config.config import Config
from inarch.contract.errors import ConfigError, PluginError
from inarch.contract.guarding import KERNEL, guarded
from inarch.contract.records import PluginContext, ToolSpec
from inarch.plugins.composition import Bound, Composition
from inarch.plugins.discovery import discover, full_name
from inarch.plugins.loading import is_given
from inarch.plugins.registration import check_offered
from inarch_sdk.nearest import nearest

if TYPE_CHECKING:
    from inarch.calls.grants import ProjectGrants
    from inarch.contract.compaction import Compaction
    from inarch.contract.ports import DecisionStrategy, FrontEnd, Policy, Tool
    from inarch.plugins.readiness import Ready
    from inarch.turns.models import Choice

T = TypeVar("T")


@define(eq=False, repr=False, slots=False)
class Composed:
    """A configuration and the plugins composed for it."""

    config: Config
    composition: Composition
    front_end: FrontEnd | None
    journalled: bool
    environ: Mapping[str, str]

    @property
    def tool_specs(self) -> tuple[ToolSpec, ...]:
        """The composed tools as models see them, in the profile's order."""
        from inarch_schemas.for_models import told_schema

        tools = (bound.value for bound in self.composition.tools.values())
        return tuple(ToolSpec(tool.name, tool.description, told_schema(tool.input_schema)) for tool in tools)

    def find_late_tools(self) -> Mapping[str, Bound[Tool]]:
        """Return all tools by name; those that came since this was last called are composed from now on.

        Raises:
            PluginError: A plugin failed to say which, or brought something else.
        """
        for source in self.composition.late_tools:
            with guarded(source.plugin, "hook", passes=()):
                found = tuple(source.value.new_tools())
            check_offered(source.plugin, "tools", found)
            known = self.composition.tools
            new = {one.name: Bound(source.plugin, one, source.context) for one in found if one.name not in known}
            if new:
                self.composition = evolve(self.composition, tools={**known, **new})
        return self.composition.tools

    def tools_in(self, mode: str | None, among: Collection[str] | None = None) -> tuple[ToolSpec, ...]:
        """Return the tools that there are in an approve mode; None is any mode, and for `among` any tool."""
        tools = self.composition.tools
        there = (name for name in tools if among is None or name in among)
        names = {name for name in there if mode is None or is_offered(tools[name].value, mode)}
        return tuple(spec for spec in self.tool_specs if spec.name in names)

    @property
    def strategies(self) -> list[Bound[DecisionStrategy]]:
        """The profile's decision strategies in its order.

        Raises:
            ConfigError: No plugin provides one of them.
        """
        return self.strategies_of(self._strategy_names)

    @property
    def compactions(self) -> list[Bound[Compaction]]:
        """What makes a conversation shorter: the plugins' first, in the profile's order, then the built-in ones."""
        return sorted(self.composition.compactions, key=lambda one: one.plugin in self.composition.builtins)

    def strategies_of(self, names: Sequence[str]) -> list[Bound[DecisionStrategy]]:
        """Return the composed strategies of these names.

        Raises:
            ConfigError: No plugin provides one of them.
        """
        return [self.named("strategy", name, self.composition.strategies) for name in names]

    @property
    def _strategy_names(self) -> Sequence[str]:
        """The profile's strategies; where nobody chose them, those that are composed."""
        names = self.config.profile.strategy
        return names if self.config.sets("strategy") else [one for one in names if one in self.composition.strategies]

    def choice(self, name: str = "") -> Choice:
        """Return the provider and model that a name means, without one those of the profile; it may take half a second.

        Raises:
            ConfigError: No composed plugin provides it.
        """
        from inarch.turns.models import choose_model

        return choose_model(name or self.config.profile.model, self.composition.models, self.environ)

    @property
    def ready(self) -> Mapping[Ready, bool]:
        """What providers need that `auto` chooses from, the lowest rank first, each with whether the user gave it."""
        from inarch.turns.models import ready_among

        return {one: is_given(self.config, one) for one in ready_among(self.composition.models)}

    @property
    def offers(self) -> Mapping[str, str]:
        """The models proposed of services behind a provider of many, by the variables that hold their keys."""
        given = (one for one, is_given in self.ready.items() if is_given and one.model)
        return {one.variable: f"{one.plugin}/{one.model}" for one in given}

    def model_name(self, name: str) -> str:
        """Return a model's name with its provider, which need not be composed, where one alone knows the model.

        Raises:
            ConfigError: Several know it.
        """
        return full_name(name, {*self.composition.models, *discover().plugins})

    async def find_choice(self, name: str) -> Choice:
        """Return the same after the provider has asked its service which model is its default, where it has to.

        Raises:
            ConfigError: No composed plugin provides it.
        """
        from inarch.turns.models import find_default

        await find_default(name, self.composition.models, self.environ)
        return self.choice(name)

    def retirement(self, choice: Choice) -> tuple[str, str] | None:
        """Return that a model retires soon, and what to do; None if that is not known. Nothing is sent."""
        from inarch.turns.services import retirement

        return retirement(choice, self.config.cache_dir, datetime.now(UTC).date())

    async def look_at_models(self, choice: Choice) -> tuple[str, str] | None:
        """Have a service on another machine list its models, unless it did today, and return what is new.

        That is a retirement of the model, and what to do.
        """
        from inarch.turns.services import listed_today

        before = self.retirement(choice)
        service = getattr(choice.provider.value, "service", None)
        if service is not None and not service.is_local:
            with suppress(ConfigError, PluginError):
                choice.check_key()
                await listed_today(choice, self.config.cache_dir, datetime.now(UTC).date())
        return self.retirement(choice) if before is None else None

    @property
    def runners(self) -> tuple[str, ...]:
        """The tools whose command lines the workspace runs: those of category `command` of who brings the workspace.

        That is a plugin, with the others of its distribution.
        """
        workspace = self.composition.workspaces.get(self.config.profile.workspace)
        if workspace is None:
            return ()
        brought = {one.name: one.distribution for one in self.composition.loaded}
        whose = brought.get(workspace.plugin)
        return tuple(
            name
            for name, bound in self.composition.tools.items()
            if (bound.plugin == workspace.plugin or (whose and brought.get(bound.plugin) == whose))
            and bound.value.category == "command"
            and "command" in bound.value.input_schema.get("properties", ())
        )

    @property
    def policies(self) -> tuple[Bound[Policy], ...]:
        """Who judges calls: the user's own rules and grants, who asks about steering files, then the plugins'."""
        from inarch.calls.rules import RulesPolicy
        from inarch_sdk.steering_files import AskAboutSteering

        config = self.config
        own = RulesPolicy(config.rules, commands=config.commands, runners=self.runners, root=config.root)
        kernels: tuple[Policy, ...] = (own, AskAboutSteering())
        return *(Bound(KERNEL, one, PluginContext(KERNEL, config.root)) for one in kernels), *self.composition.policies

    @property
    def project_grants(self) -> ProjectGrants:
        """What the user has approved for good in this project."""
        from inarch.calls.grants import ProjectGrants

        origins = {
            plugin.name: f"{plugin.name} ({plugin.distribution} {plugin.version})"
            for plugin in self.composition.loaded
            if plugin.distribution
        }
        return ProjectGrants(self.config.root, self.config.state_dir, origins)

    @property
    def key_notes(self) -> tuple[str, ...]:
        """What was wrong with keys that are kept outside the environment, as far as they were looked at."""
        notes: tuple[str, ...] = getattr(self.environ, "notes", ())
        return notes

    def key_variables(self) -> Iterator[str]:
        """Yield the variables of keys that are kept, and those that settings called `*_env` name."""
        yield from getattr(self.environ, "kept", ())
        for plugin in self.composition.loaded:
            settings = plugin.context.settings
            for item in getattr(type(settings), "__attrs_attrs__", ()):
                if item.name.endswith("_env"):
                    named = getattr(settings, item.name)
                    yield from (one for one in _texts(named) if one)

    def named(self, what: str, name: str, known: Mapping[str, Bound[T]]) -> Bound[T]:
        """Return the part that the profile names.

        Raises:
            ConfigError: No plugin provides it; where its plugin was refused, the reason.
        """
        found = known.get(name)
        if found is not None:
            return found
        raise self._absent(what, name, name, known)

    def missing_models(self) -> ConfigError | None:
        """Return the error for the first model of the profile that no plugin provides."""
        for key in ("model", "decision_model"):
            name = getattr(self.config.profile, key)
            provider = full_name(name or "auto", self.composition.models).partition("/")[0]
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
        """Return the error for a key whose value no plugin provides, with the nearest that is provided."""
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
            remedy = nearest(plugin, known) or "none of the profile's plugins brings one"
        elif refused is not None:
            remedy = refused.remedy
        elif plugin in self.config.profile.plugins:
            remedy = f"take -p no:{plugin} away"
        else:
            remedy = f"add {plugin!r} to the profile's `plugins`"
        return self.config.error(key, message, remedy)

    @property
    def ignored(self) -> tuple[str, ...]:
        """One line for each thing that the configuration says and that counts for nothing."""
        has_tables = bool(self.config.plugin_tables or self.config.isolation)
        if not has_tables and not any(name.startswith("INARCH_PLUGIN_") for name in self.environ):
            return (*self.config.notes, *self.composition.given_way, *self._remarks())
        tried = (item.name for item in self.composition.refused)  # a single file, for one
        names = {*(plugin.name for plugin in self.composition.loaded), *tried}
        if self.config.hints(names):  # one that is installed, and not of the profile, may have a table, too
            names |= discover().plugins.keys()
        return (*self.config.notes, *self.config.hints(names), *self.composition.given_way, *self._remarks())

    def _remarks(self) -> Iterator[str]:
        for tracer in self.composition.tracers:
            said = getattr(tracer.value, "remarks", None)
            if said is None:
                continue
            try:
                with guarded(tracer.plugin, "tracer", passes=()):
                    yield from [str(line) for line in said()]
            except PluginError:
                continue  # a remark is no reason to fail


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list, tuple)):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(one)
