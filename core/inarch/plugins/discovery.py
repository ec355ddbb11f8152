"""Which plugins and commands are installed: read from the metadata on `sys.path`, without importing any of them.

An own reader instead of `importlib.metadata`, because that import alone costs more than reading 200 distributions.
Named tuples instead of attrs classes for the same reason: `inarch --help` gets by with this module.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from inarch.plugins.readiness import READY, Ready, read_ready

PLUGINS = "inarch.plugins"
COMMANDS = "inarch.commands"
BUILTINS = "inarch.builtins"
"""Parts of Inarch itself that every composition has, unless they are left out: only our own may be here."""
NAMES = "inarch.names"
"""What nobody else may claim, because a part of Inarch brings it: `"KIND.NAME" = "PART"`; only our own may be here."""
_OURS = "inarch"


class FoundPlugin(NamedTuple):
    """An installed plugin. `location` is the folder of its metadata, or the file of a single-file plugin."""

    name: str
    module: str
    distribution: str
    version: str
    location: str
    ours: bool = False
    file: str = ""

    @property
    def package(self) -> str:
        """The top-level package, which also owns the plugin's commands."""
        return self.module.partition(".")[0]

    def owns(self, command: FoundCommand) -> bool:
        """Whether a command is of the plugin's package and distribution."""
        return command.package == self.package and command.distribution == self.distribution


class FoundCommand(NamedTuple):
    """An installed command. `target` is `module:attribute`.

    `plugin` is the plugin of the same package, `part` the built-in part: each "" where there is none.
    """

    name: str
    target: str
    plugin: str
    distribution: str
    version: str
    part: str = ""

    @property
    def package(self) -> str:
        """The top-level package that the command comes from."""
        return self.target.partition(":")[0].partition(".")[0]


class Discovery(NamedTuple):
    """What is installed. `shadowed` are plugins whose name another distribution has already taken."""

    plugins: Mapping[str, FoundPlugin]
    commands: Mapping[str, FoundCommand]
    shadowed: tuple[FoundPlugin, ...] = ()
    builtins: Mapping[str, FoundPlugin] = {}
    ready: tuple[Ready, ...] = ()


class _Distribution(NamedTuple):
    name: str
    version: str
    folder: str
    groups: Mapping[str, Sequence[tuple[str, str]]]


def discover(paths: Sequence[str] | None = None) -> Discovery:
    """Return what is installed on `paths` (default: `sys.path` without the working directory).

    The first distribution of a name counts, as for imports. Our own plugins' names can't be taken by anybody else.
    """
    found = sorted(_distributions(_search_path() if paths is None else paths), key=lambda item: item.name != _OURS)
    plugins: dict[str, FoundPlugin] = {}
    shadowed: list[FoundPlugin] = []
    builtins = {one.name: one for own in found[:1] if own.name == _OURS for one in _plugins_of(own, BUILTINS)}
    for distribution in found:
        for plugin in _plugins_of(distribution, PLUGINS):
            if plugins.setdefault(plugin.name, plugin) is not plugin:
                shadowed.append(plugin)  # noqa: PERF401 - setdefault is the point
    commands: dict[str, FoundCommand] = {}
    for distribution in found:
        for command in _commands_of(distribution, plugins):
            commands.setdefault(command.name, command)
    ready = sorted(one for distribution in found for one in _ready_of(distribution, plugins))
    return Discovery(plugins, commands, tuple(shadowed), builtins, tuple(ready))


def own_commands() -> Mapping[str, FoundCommand]:
    """Return the commands of Inarch itself that are no plugin's, without reading of what else is installed."""
    own, plugins = _own()
    parts = {part.package: part.name for part in _plugins_of(own, BUILTINS) if part.package != _OURS}
    commands = (command for command in _commands_of(own, plugins) if not command.plugin)
    return {command.name: command._replace(part=parts.get(command.package, "")) for command in commands}


@cache
def own_ready() -> tuple[Ready, ...]:
    """Return what Inarch's own providers need, the lowest rank first."""
    return tuple(sorted(_ready_of(*_own())))


@cache
def own_names() -> Mapping[tuple[str, str], str]:
    """Return the names that are Inarch's own, by kind of hook and name, each with the part that brings it."""
    pairs = ((entry.partition("."), part) for entry, part in _own()[0].groups.get(NAMES, ()))
    return {(kind, name): part for (kind, _, name), part in pairs}


@cache
def _own() -> tuple[_Distribution, Mapping[str, FoundPlugin]]:
    """Return Inarch's own distribution, an empty one where its metadata is missing, and its plugins."""
    own = next(_distributions(_search_path(), only=_OURS), _Distribution(_OURS, "", "", {}))
    return own, {plugin.name: plugin for plugin in _plugins_of(own, PLUGINS)}


def _ready_of(distribution: _Distribution, plugins: Mapping[str, FoundPlugin]) -> Iterator[Ready]:
    """Yield what the providers of a distribution need; nobody says it of another's."""
    for name, target in distribution.groups.get(READY, ()):
        ready = read_ready(name, target)
        if ready is not None and name in plugins and plugins[name].distribution == distribution.name:
            yield ready


def _plugins_of(distribution: _Distribution, group: str) -> Iterator[FoundPlugin]:
    ours = distribution.name == _OURS
    for name, target in distribution.groups.get(group, ()):
        yield FoundPlugin(name, target, distribution.name, distribution.version, distribution.folder, ours)


def _commands_of(distribution: _Distribution, plugins: Mapping[str, FoundPlugin]) -> Iterator[FoundCommand]:
    for name, target in distribution.groups.get(COMMANDS, ()):
        command = FoundCommand(name, target, "", distribution.name, distribution.version)
        owners = (plugin.name for plugin in plugins.values() if plugin.owns(command))
        yield command._replace(plugin=next(owners, ""))


def _search_path() -> Sequence[str]:
    # Without -P, `python -m` puts the working directory first: a cloned repository must not add plugins that way.
    path = sys.path
    if path and not sys.flags.safe_path and path[0] == _working_directory():
        return path[1:]
    return path


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return ""


def _distributions(paths: Sequence[str], only: str = "") -> Iterator[_Distribution]:
    seen: set[str] = set()
    for path in dict.fromkeys(paths):
        if not isinstance(path, str) or path in ("", "."):  # imports pass over what is no text, too
            continue
        try:
            names = os.listdir(path)
        except OSError:  # a zip archive, or nothing at all
            continue
        for folder in sorted(name for name in names if name.endswith((".dist-info", ".egg-info"))):
            name, version = _name_and_version(folder)
            if name in seen or (only and name != only):
                continue
            if name.startswith("~"):  # what pip leaves behind when it fails to uninstall
                continue
            seen.add(name)
            groups = _entry_points(f"{path}/{folder}/entry_points.txt")
            if groups:
                yield _Distribution(name, version or _written_version(f"{path}/{folder}"), f"{path}/{folder}", groups)


def _name_and_version(folder: str) -> tuple[str, str]:
    stem = folder.rpartition(".")[0]
    name, _, rest = stem.partition("-")
    if folder.endswith(".dist-info") and "-" in rest:
        name, _, rest = stem.rpartition("-")
    name = name.lower().replace("_", "-").replace(".", "-")
    while "--" in name:
        name = name.replace("--", "-")
    return name, rest.partition("-")[0]


def _written_version(folder: str) -> str:
    for file in ("PKG-INFO", "METADATA"):
        for line in (_read(f"{folder}/{file}") or b"").decode("utf-8", "replace").splitlines():
            if line.startswith("Version:"):
                return line.partition(":")[2].strip()
    return ""


def _entry_points(path: str) -> dict[str, list[tuple[str, str]]]:
    """Return the entries of our groups in an entry_points.txt; nothing if there is no such file."""
    data = _read(path)
    if data is None or b"inarch." not in data:
        return {}
    groups: dict[str, list[tuple[str, str]]] = {}
    group = ""
    for raw in data.decode("utf-8", "replace").splitlines():
        line = raw.strip()
        if line.startswith("["):
            group = line.strip("[] ")
        elif group in (PLUGINS, COMMANDS, BUILTINS, NAMES, READY) and "=" in line and line[0] not in "#;":
            name, _, target = line.partition("=")
            groups.setdefault(group, []).append((name.strip(), target.partition("[")[0].strip()))  # "[": extras
    return groups


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.readall()
    except OSError:
        return None
