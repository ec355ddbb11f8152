"""Composition: built-in parts and the plugins that a profile names, in its order, with their registrations.

Only named plugins are imported. One that cannot be loaded becomes a `Refused`, and the rest works.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy
from attrs import Factory, define, evolve

from inarch.config.plugin_folders import Folders, folders_of
from inarch.contract.errors import PluginError, UsageError
from inarch.contract.event_parts import EventKind
from inarch.contract.front_ends import FrontEnd, FrontEndSpec
from inarch.contract.frozen import frozen
from inarch.contract.guard import blame, guarded, leaving_out
from inarch.contract.ports import ContextSource, DecisionStrategy, ModelProvider, Policy, Tool, Tracer
from inarch.contract.records import PluginContext, Refused
from inarch.contract.session_extensions import SessionExtension
from inarch.contract.slash_commands import SlashCommand
from inarch.contract.stores import StoreSpec
from inarch.contract.workspaces import WorkspaceSpec
from inarch.plugins.discovery import Discovery, FoundPlugin, Ready, discover, own_names
from inarch.plugins.modules import tried_file
from inarch.plugins.plugin_loader import absent, load_plugin, providers_named
from inarch.plugins.registration import Bound, Registration, new_manager
from inarch_sdk.port_checks import PORTS

if TYPE_CHECKING:
    from inarch.config.config import Config
    from inarch.contract.compaction import Compaction
    from inarch.contract.findings import SelfCheck
    from inarch.contract.interventions import Approver, EndGuard, Reviewer, Rewriter
    from inarch.contract.loaders import Loader, Loading
    from inarch.contract.ports import LateTools
    from inarch.contract.transcripts import Exporter
    from inarch.plugins.isolated_plugins import Apart

T = TypeVar("T")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@frozen
class LoadedPlugin:
    """Plugin of the composition with its hooks, its tools and its context."""

    name: str
    distribution: str
    version: str
    hooks: tuple[str, ...]
    tools: tuple[str, ...]
    context: PluginContext


@frozen
class Outcome:
    """Outcome for the plugins of a composition.

    `loaded` are the profile's plugins. `builtins` are Inarch's own parts, which register like plugins. `elsewhere` has
    the handles of plugins loaded outside this process. `given_way` has notes about commands whose names were taken.
    `original` is the composition before the program's replacements.
    """

    refused: tuple[Refused, ...] = ()
    loaded: tuple[LoadedPlugin, ...] = ()
    builtins: Mapping[str, LoadedPlugin] = _NOTHING
    elsewhere: Mapping[str, Loading] = _NOTHING
    given_way: tuple[str, ...] = ()
    loaders: Mapping[str, Bound[Loader]] = _NOTHING
    checks: tuple[Bound[SelfCheck], ...] = ()
    original: Composition | None = None


@frozen
class Composition:
    """All registrations of built-in parts and then a profile's plugins, in this order; mappings are by name."""

    tools: Mapping[str, Bound[Tool]] = _NOTHING
    models: Mapping[str, Bound[ModelProvider]] = _NOTHING
    strategies: Mapping[str, Bound[DecisionStrategy]] = _NOTHING
    stores: Mapping[str, Bound[StoreSpec]] = _NOTHING
    tracers: tuple[Bound[Tracer], ...] = ()
    workspaces: Mapping[str, Bound[WorkspaceSpec]] = _NOTHING
    context_sources: tuple[Bound[ContextSource], ...] = ()
    compactions: tuple[Bound[Compaction], ...] = ()
    rewriters: tuple[Bound[Rewriter], ...] = ()
    approvers: tuple[Bound[Approver], ...] = ()
    reviewers: tuple[Bound[Reviewer], ...] = ()
    end_guards: tuple[Bound[EndGuard], ...] = ()
    late_tools: tuple[Bound[LateTools], ...] = ()
    policies: tuple[Bound[Policy], ...] = ()
    slash_commands: Mapping[str, Bound[SlashCommand]] = _NOTHING
    session_extensions: Mapping[str, Bound[SessionExtension]] = _NOTHING
    events: tuple[Bound[EventKind], ...] = ()
    front_ends: Mapping[str, Bound[FrontEnd | FrontEndSpec]] = _NOTHING
    exporters: Mapping[str, Bound[Exporter]] = _NOTHING
    outcome: Outcome = Outcome()

    @property
    def refused(self) -> tuple[Refused, ...]:
        """Plugins that were left out, with reasons."""
        return self.outcome.refused

    @property
    def loaded(self) -> tuple[LoadedPlugin, ...]:
        """The profile's plugins."""
        return self.outcome.loaded

    @property
    def builtins(self) -> Mapping[str, LoadedPlugin]:
        """Parts of Inarch itself, by name."""
        return self.outcome.builtins

    @property
    def loaders(self) -> Mapping[str, Bound[Loader]]:
        """Loaders of plugins outside this process, by name."""
        return self.outcome.loaders

    @property
    def checks(self) -> tuple[Bound[SelfCheck], ...]:
        """Checks that `inarch doctor` runs."""
        return self.outcome.checks

    def of(self, plugin: str) -> dict[str, list[Any]]:
        """Return a plugin's registrations, by kind."""
        found = {kind: getattr(self, kind) for kind in PORTS}
        all_of = {kind: known.values() if isinstance(known, Mapping) else known for kind, known in found.items()}
        own = {kind: [one.value for one in bound if one.plugin == plugin] for kind, bound in all_of.items()}
        return {kind: values for kind, values in own.items() if values}

    def adding(self, kind: str, value: Any, context: PluginContext) -> Composition:
        """Return the same with one more object, as if the plugin of this context had registered it last."""
        known, bound = getattr(self, kind), Bound(context.name, value, context)
        more: Any = {**known, value.name: bound} if isinstance(known, Mapping) else (*known, bound)
        changed: dict[str, Any] = {kind: more}
        return evolve(self, **changed)

    def close(self) -> None:
        """End the processes of plugins loaded elsewhere; may be called twice."""
        for loading in self.outcome.elsewhere.values():
            loading.close()


def compose_plugins(
    config: Config,
    *,
    without: Sequence[str] = (),
    files: Sequence[str] = (),
    builtins: bool = True,
    auto: bool = True,
    recorded: bool = True,
) -> Composition:
    """Load built-in parts, the plugins of the profile, single files, and the providers that its models name.

    Args:
        config: The configuration; in its safe mode only a shipped store is loaded, so that sessions can be read.
        without: Names to leave out.
        files: `.py` files to load as plugins.
        builtins: Whether the built-in parts are loaded, too.
        auto: Whether the model `auto` may mean providers that the profile's `plugins` does not name.
        recorded: Whether plugins may store records of events.
    """
    composer = _Composer(config, discover(), recorded)
    if builtins:
        composer.add_builtins(without)
    if config.safe_mode:
        composer.add_own(config.profile.store)
        return composer.composition()
    singles = [tried_file(file, config) for file in files]
    composer.require(without, {found.name for found in singles})
    composer.begin_elsewhere(without, singles)
    for name in dict.fromkeys(config.profile.plugins):
        if name not in without:
            composer.add(name)
    for found in singles:
        if found.name not in without:
            composer.try_to_add(found)
    for name, key in providers_named(config, composer.discovery, auto):
        if name not in without and not composer.has_provider(name):
            composer.add(name, key)
    return composer.composition()


@define(eq=False, repr=False)
class _Composer:
    config: Config
    discovery: Discovery
    recorded: bool
    manager: pluggy.PluginManager = Factory(new_manager)
    folders: Folders = Factory(lambda self: folders_of(self.config), takes_self=True)
    claims: dict[tuple[str, str], str] = Factory(lambda: {**own_names()})
    loaded: dict[str, tuple[FoundPlugin, Registration]] = Factory(dict)
    refused: list[Refused] = Factory(list)
    _apart: Apart | None = None

    @property
    def apart(self) -> Apart:
        """Plugins loaded elsewhere; costs nothing until there is one."""
        if self._apart is None:
            from inarch.plugins.isolated_plugins import Apart

            self._apart = Apart(self.config, self.recorded)
        return self._apart

    def begin_elsewhere(self, without: Sequence[str], singles: Sequence[FoundPlugin]) -> None:
        """Start the plugins that are loaded elsewhere, so that they load while the others are loaded here."""
        named = map(self.discovery.plugins.get, self.config.profile.plugins)
        for found in (*filter(None, named), *singles):
            loader = self.loader(found.name)
            if found.name not in without and self.config.is_isolated(found.name) and loader is not None:
                self.apart.begin(found, loader)

    def load(self, found: FoundPlugin) -> Registration:
        """Load a plugin where the user's configuration says, never in this process instead."""
        if not self.config.is_isolated(found.name) or self.is_builtin(found):
            return load_plugin(found, self.config, self.manager, self.folders, self.recorded)
        loader = self.loader(found.name)
        if loader is None:
            name, mode = found.name, self.config.isolation[found.name].mode
            raise blame(name, "load", f'can\'t run as [isolation.{name}] says: nothing here offers mode = "{mode}"')
        return self.apart.load(found, loader)

    def loader(self, plugin: str) -> Loader | None:
        """Return the loader for a plugin's configured mode, None for none."""
        table = self.config.isolation.get(plugin)
        loaders = (one for _, registration in self.loaded.values() for one in registration.offers["loaders"])
        return next((one for one in loaders if table is not None and one.name == table.mode), None)

    def require(self, without: Sequence[str], others: Collection[str]) -> None:
        """Refuse to leave out an unknown name: after a typo, the intended plugin would load."""
        from inarch_sdk.suggestions import nearest

        known = {*self.discovery.plugins, *self.discovery.builtins, *self.config.profile.plugins, *others}
        for name in without:
            if name not in known:
                raise UsageError(f"-p no:{name}: no plugin is called {name!r}", nearest(name, known))

    def has_provider(self, name: str) -> bool:
        return name in self.loaded or ("models", name) in self.claims or any(item.name == name for item in self.refused)

    def add_builtins(self, without: Collection[str]) -> None:
        for name, found in self.discovery.builtins.items():
            if name not in without:
                self.try_to_add(found)

    def is_builtin(self, found: FoundPlugin) -> bool:
        return self.discovery.builtins.get(found.name) is found

    def add_own(self, name: str) -> None:
        found = self.discovery.plugins.get(name)
        if found is not None and found.ours:
            self.try_to_add(found)

    def add(self, name: str, key: str = "plugins") -> None:
        found = self.discovery.plugins.get(name)
        if found is None:
            self.refused.append(absent(name, self.discovery, self.config, key))
            return
        self.try_to_add(found)
        for other in self.discovery.shadowed:
            if other.name == name:
                taken = f"the name is taken by {found.distribution} {found.version}"
                self._refuse(other, taken, "uninstall one of the two distributions")

    def try_to_add(self, found: FoundPlugin) -> None:
        if found.name in self.discovery.builtins and not self.is_builtin(found):
            self._refuse(found, f"{found.name!r} is the name of a built-in part", "give the plugin another name")
            return
        if found.name in self.loaded:
            self._refuse(found, f"a plugin named {found.name!r} is loaded already", "rename the file")
            return
        try:
            registration = self.load(found)
            with guarded(found.name, "hook"):  # a name may be a property of the plugin's
                wanted = [
                    (kind, str(value.name))
                    for kind, port in PORTS.items()
                    if port.claims
                    for value in registration.offers[kind]
                    if not (isinstance(value, SlashCommand) and value.asks)
                ]
        except PluginError as error:
            self._refuse(found, error.reason, error.remedy)
            return
        if found.file and not registration.hooks and not any(registration.offers.values()):
            self._refuse(
                found, "registers nothing", "put @inarch.tool above a function with a docstring, or add a hook"
            )
            return
        if registration.offers["loaders"] and not self.is_builtin(found):
            what = "registers a loader of plugins, which only a built-in part may"
            self._refuse(found, what, leaving_out(found.name))
            return
        free = {found.name, None} if self.is_builtin(found) else {None}
        taken = next((claim for claim in wanted if self.claims.get(claim) not in free), None)
        if taken is not None:
            self._refuse_claim(found, *taken)
            return
        self.claims |= dict.fromkeys(wanted, found.name)
        self.loaded[found.name] = (found, registration)

    def _refuse_claim(self, found: FoundPlugin, kind: str, name: str) -> None:
        holder = self.claims[kind, name]
        is_ours = holder == own_names().get((kind, name))
        by = "the kernel" if is_ours else f"plugin {holder!r}, which precedes it in the profile"
        reason = f"claims the {PORTS[kind].noun} name {name!r}, which is taken by {by}"
        rename = "give it another name, or " if found.file else ""
        leave = found.name if is_ours else holder
        self._refuse(found, reason, f"{rename}leave one of them out, for instance with -p no:{leave}")

    def _refuse(self, found: FoundPlugin, reason: str, remedy: str) -> None:
        if self._apart is not None and found.name not in self.loaded:
            self._apart.drop(found.name)
        self.refused.append(Refused(found.name, found.distribution, found.version, reason, found.remedy(remedy)))

    def composition(self) -> Composition:
        bound: dict[str, Any] = {}
        told: list[str] = []
        for kind, port in PORTS.items():
            items = [
                Bound(name, value, registration.context, self._ready(name) if kind == "models" else ())
                for name, (_, registration) in self.loaded.items()
                for value in registration.offers[kind]
            ]
            if kind == "slash_commands":
                items = list(self._giving_way(items, told))
            bound[kind] = MappingProxyType({item.value.name: item for item in items}) if port.claims else tuple(items)
        builtins = {name: _loaded(*one) for name, one in self.loaded.items() if self.is_builtin(one[0])}
        loaded = tuple(_loaded(*one) for name, one in self.loaded.items() if name not in builtins)
        elsewhere = self._apart.running if self._apart is not None else _NOTHING
        outcome = Outcome(
            tuple(self.refused),
            loaded,
            MappingProxyType(builtins),
            elsewhere,
            tuple(told),
            bound.pop("loaders"),
            bound.pop("checks"),
        )
        return Composition(**bound, outcome=outcome)

    def _ready(self, plugin: str) -> tuple[Ready, ...]:
        return tuple(one for one in self.discovery.ready if one.plugin == plugin)

    def _giving_way(self, items: Sequence[Bound[SlashCommand]], told: list[str]) -> Iterator[Bound[SlashCommand]]:
        """Yield the commands without those whose names other commands have; add a note for each."""
        asking: dict[str, str] = {}
        for item in items:
            name = item.value.name
            holder = self.claims.get(("slash_commands", name), asking.get(name)) if item.value.asks else None
            if holder is None:
                yield item
                if item.value.asks:
                    asking[name] = item.plugin
            else:
                told.append(f"/{name} of {item.plugin} is left out ({item.value.help}): the name is that of {holder}")


def _loaded(found: FoundPlugin, registration: Registration) -> LoadedPlugin:
    return LoadedPlugin(
        found.name,
        found.distribution,
        found.version,
        registration.hooks,
        tuple(tool.name for tool in registration.offers["tools"]),
        registration.context,
    )
