"""Installed plugins and commands, found in the metadata on `sys.path` without importing any of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from inarch.contract.errors import ConfigError
from inarch.contract.metadata import (
    COMMANDS,
    OURS,
    PLUGINS,
    READY,
    Distribution,
    distributions,
    own_distribution,
    package_of,
    search_path,
    shipped,
)


class FoundPlugin(NamedTuple):
    """Installed plugin. `location` is the folder of its metadata, or the file of a single-file plugin."""

    name: str
    module: str
    distribution: str
    version: str
    location: str
    ours: bool = False
    file: str = ""

    @property
    def package(self) -> str:
        """The package that also owns the plugin's commands."""
        return package_of(self.module)

    def owns(self, command: FoundCommand) -> bool:
        """Return whether a command belongs to the plugin's package and distribution."""
        return command.package == self.package and command.distribution == self.distribution

    def remedy(self, text: str) -> str:
        """Return the remedy for a refused plugin; for a single file, the reader is usually its author."""
        from inarch.contract.guard import leaving_out  # every start imports this module

        return text.replace(leaving_out(self.name), f"mend {self.file.rpartition('/')[2]}") if self.file else text


class FoundCommand(NamedTuple):
    """Installed command. `target` is `module:attribute`.

    `plugin` is the plugin of the same package, `part` the built-in part: each "" if there is none.
    """

    name: str
    target: str
    plugin: str
    distribution: str
    version: str
    part: str = ""

    @property
    def package(self) -> str:
        """The package that the command comes from."""
        return package_of(self.target.partition(":")[0])


class Discovery(NamedTuple):
    """Installed plugins and commands.

    `shadowed` are plugins whose name another distribution has already taken. `declared` are the providers' requirements
    from metadata.
    """

    plugins: Mapping[str, FoundPlugin]
    commands: Mapping[str, FoundCommand]
    shadowed: tuple[FoundPlugin, ...] = ()
    builtins: Mapping[str, FoundPlugin] = {}
    declared: tuple[Ready, ...] = ()

    @property
    def ready(self) -> tuple[Ready, ...]:
        """Requirements of providers, the lowest rank first."""
        return tuple(sorted({*self.declared, *own_ready()}))

    @staticmethod
    def is_own_name(name: str) -> bool:
        """Return whether Inarch itself provides something with this name, of any kind."""
        return any(name == own for _, own in own_names())


def discover(paths: Sequence[str] | None = None) -> Discovery:
    """Return the installed plugins and commands on `paths` (default: `sys.path` without the working directory).

    The first distribution of a name counts, as for imports. No other distribution can take the names of Inarch's
    plugins.
    """
    # Inarch's own first. The sort is stable, so the others keep the order in which imports find them.
    found = sorted(distributions(search_path() if paths is None else paths), key=lambda item: item.name != OURS)
    plugins: dict[str, FoundPlugin] = {}
    shadowed: list[FoundPlugin] = []
    for distribution in found:
        for plugin in _plugins_of(distribution, distribution.groups.get(PLUGINS, ())):
            if plugins.setdefault(plugin.name, plugin) is not plugin:
                shadowed.append(plugin)  # noqa: PERF401 - setdefault is the point
    commands: dict[str, FoundCommand] = {}
    for distribution in found:
        for command in _commands_of(distribution, plugins):
            commands.setdefault(command.name, command)
    declared = tuple(one for distribution in found for one in _ready_of(distribution, plugins))
    return Discovery(plugins, commands, tuple(shadowed), _builtins(), declared)


def own_commands() -> Mapping[str, FoundCommand]:
    """Return Inarch's own commands that belong to no plugin, without reading other distributions."""
    own, plugins = _own()
    parts = {part.package: part.name for part in _builtins().values()}
    commands = (command for command in _commands_of(own, plugins) if not command.plugin)
    return {command.name: command._replace(part=parts.get(command.package, "")) for command in commands}


@cache
def own_ready() -> tuple[Ready, ...]:
    """Return the requirements of Inarch's own providers, the lowest rank first."""
    own, plugins = _own()
    needed = [Ready(rank, plugin, needs) for plugin, (needs, rank) in shipped().ready.items() if plugin in plugins]
    return tuple(sorted([*_ready_of(own, plugins), *needed, *proposed_ready(plugins)]))


def full_name(name: str, known: Collection[str], environ: Mapping[str, str]) -> str:
    """Return a model's name, adding the provider if exactly one of Inarch's own knows the model or its family.

    Args:
        name: As the user gave it.
        known: Names of plugins and providers; a name that begins with one of them is complete.
        environ: The variables of keys; a family's model is one of a service with a key if possible.
    """
    from inarch_sdk.model_table import family_model

    places = dict.fromkeys(one.place for one in own_ready())
    found = family_model(name, environ)
    if found and (name not in known or (name in places and not found.startswith(f"{name}/"))):
        return found
    if name == "auto" or name.partition("/")[0] in known:
        return name
    from inarch_sdk.prices import full_names

    names = full_names(name, places)
    if len(names) > 1:
        raise ConfigError(f"several providers know a model {name!r}", key="model", remedy=f"name {' or '.join(names)}")
    return names[0] if names else name


@cache
def own_names() -> Mapping[tuple[str, str], str]:
    """Return Inarch's own names, by kind of hook and name, each with the part that provides it."""
    kinds = shipped().names.items()
    return {(kind, name): part for kind, parts in kinds for part, names in parts.items() for name in names.split()}


@cache
def _own() -> tuple[Distribution, Mapping[str, FoundPlugin]]:
    """Return Inarch's own distribution and its plugins."""
    own = own_distribution()
    return own, {plugin.name: plugin for plugin in _plugins_of(own, own.groups.get(PLUGINS, ()))}


@cache
def _builtins() -> Mapping[str, FoundPlugin]:
    """Return the parts of every composition."""
    return {part.name: part for part in _plugins_of(own_distribution(), shipped().builtins.items())}


def _ready_of(distribution: Distribution, plugins: Mapping[str, FoundPlugin]) -> Iterator[Ready]:
    """Yield the requirements of a distribution's providers; entries about other distributions do not count."""
    for name, target in distribution.groups.get(READY, ()):
        ready = read_ready(name, target)
        if ready is not None and (owner := plugins.get(ready.plugin)) and owner.distribution == distribution.name:
            yield ready


def _plugins_of(distribution: Distribution, entries: Iterable[tuple[str, str]]) -> Iterator[FoundPlugin]:
    ours = distribution.name == OURS
    for name, target in entries:
        yield FoundPlugin(name, target, distribution.name, distribution.version, distribution.folder, ours)


def _commands_of(distribution: Distribution, plugins: Mapping[str, FoundPlugin]) -> Iterator[FoundCommand]:
    own_entries = shipped().commands.items() if distribution.name == OURS else ()
    entries = [*distribution.groups.get(COMMANDS, ()), *own_entries]
    own = [plugin for plugin in plugins.values() if plugin.distribution == distribution.name] if entries else []
    owners = {plugin.package: plugin.name for plugin in reversed(own)}  # the first of a package counts
    for name, target in entries:
        command = FoundCommand(name, target, "", distribution.name, distribution.version)
        yield command._replace(plugin=owners.get(command.package, ""))


_ENTRY = re.compile(r"([A-Z][A-Z0-9_]*|settings\.[a-z_]+|nothing):rank_(\d{1,9})")


class Ready(NamedTuple):
    """Requirements of a provider, by its plugin, and its rank: lower ones come first.

    `model` is asked then; "" is the provider's default.
    """

    rank: int  # the first field, because it decides the order
    plugin: str
    needs: str
    model: str = ""

    @property
    def variable(self) -> str:
        """The environment variable that must be set, "" if there is none."""
        return self.needs if self.needs.isupper() else ""

    @property
    def setting(self) -> str:
        """The key of the plugin's settings that must have a server's address, "" if there is none."""
        return self.needs.partition(".")[2]

    @property
    def place(self) -> str:
        """Location of its models: `PLUGIN`, or `PLUGIN/SERVICE` if the offered model's name begins with a service."""
        service, slash, _ = self.model.partition("/")
        return f"{self.plugin}/{service}" if slash else self.plugin

    @property
    def always(self) -> bool:
        """Whether it needs nothing: a last resort."""
        return self.needs == "nothing"


def read_ready(name: str, target: str) -> Ready | None:
    """Return an entry's requirements; None if the entry is not understood."""
    found = _ENTRY.fullmatch(target)
    plugin, _, model = name.partition("/")
    ready = None if found is None else Ready(int(found[2]), plugin, found[1], model)
    return None if ready is None or (model and not ready.variable) else ready


def proposed_ready(plugins: Collection[str]) -> Iterator[Ready]:
    """Yield the requirements of these plugins from the table of proposed models.

    Each has the plugin's key. The model is included if it is one of many services behind a provider.
    """
    from inarch_sdk.model_table import SERVICES

    for service in SERVICES:
        plugin, slash, place = service.provider.partition("/")
        if plugin in plugins:
            for variable, rank in service.keys:
                yield Ready(rank, plugin, variable, f"{place}/{service.model}" if slash else "")
