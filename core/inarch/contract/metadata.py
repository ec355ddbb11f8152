"""Installed distributions with entries in Inarch's groups of entry points, read from metadata without imports.

It has its own reader, because importing `importlib.metadata` costs more than reading 200 distributions. It uses named
tuples instead of attrs classes for the same reason: `inarch --help` needs only this module.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

PLUGINS = "inarch.plugins"
COMMANDS = "inarch.commands"
READY = "inarch.ready"
"""Requirements of model providers; see `plugins/discovery.py`."""
SHIPPED = "inarch.shipped"
"""Module that lists the contents of Inarch's own distribution; only Inarch may use this group."""
OURS = "inarch"
GROUPS = (PLUGINS, COMMANDS, READY, SHIPPED)


_SHARED = ("inarch_plugins", "inarch_brief")
"""Packages that contain several of Inarch's plugins."""


def package_of(module: str) -> str:
    """Return the top-level package of a module, or that of its plugin in a package that contains several."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] in _SHARED else parts[0]


class Distribution(NamedTuple):
    """Installed distribution, its location, and its entries in each of Inarch's groups."""

    name: str
    version: str
    folder: str
    groups: Mapping[str, Sequence[tuple[str, str]]]


@cache
def own_distribution() -> Distribution:
    """Return Inarch's own distribution, or an empty one if its metadata is missing."""
    return next(distributions(search_path(), only=OURS), Distribution(OURS, "", "", {}))


class Shipped(NamedTuple):
    """Contents of Inarch's own distribution, according to `inarch_plugins`."""

    builtins: Mapping[str, str] = {}
    defaults: Mapping[str, str] = {}
    names: Mapping[str, Mapping[str, str]] = {}
    ready: Mapping[str, tuple[str, int]] = {}
    commands: Mapping[str, str] = {}
    offered: Mapping[str, str] = {}
    kept_keys: Mapping[str, str] = {}


@cache
def shipped() -> Shipped:
    """Return the contents of Inarch's own distribution; nothing if its metadata is missing."""
    for _, name in own_distribution().groups.get(SHIPPED, ()):
        from importlib import import_module

        tables = vars(import_module(name))
        keys = "BUILT_IN", "DEFAULTS", "NAMES", "READY", "COMMANDS", "OFFERED", "KEPT_KEYS"
        return Shipped(*(tables.get(key, {}) for key in keys))
    return Shipped()


def search_path() -> Sequence[str]:
    """Return the search path for distributions: `sys.path` without the working directory."""
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


def distributions(paths: Sequence[str], only: str = "") -> Iterator[Distribution]:
    """Yield the distributions with Inarch's entries, the first of each name; with `only`, read no others."""
    seen: set[str] = set()
    for path in dict.fromkeys(paths):
        if not isinstance(path, str) or path in ("", "."):  # imports skip entries that are not text, too
            continue
        try:
            names = os.listdir(path)
        except OSError:  # a zip archive, or missing
            continue
        for folder in sorted(name for name in names if name.endswith((".dist-info", ".egg-info"))):
            if only and not folder.lower().startswith(only):
                continue
            name, version = _name_and_version(folder)
            if name in seen or (only and name != only):
                continue
            if name.startswith("~"):  # pip leaves this behind when it fails to uninstall
                continue
            seen.add(name)
            groups = _entry_points(f"{path}/{folder}/entry_points.txt")
            if groups:
                yield Distribution(name, version, f"{path}/{folder}", groups)


def _name_and_version(folder: str) -> tuple[str, str]:
    stem = folder.rpartition(".")[0]
    name, _, rest = stem.partition("-")
    # The name of an .egg-info may end with Python's version, `-py3.11`.
    if folder.endswith(".dist-info") and "-" in rest:
        name, _, rest = stem.rpartition("-")
    name = name.lower().replace("_", "-").replace(".", "-")
    while "--" in name:
        name = name.replace("--", "-")
    return name, rest.partition("-")[0]


def _entry_points(path: str) -> dict[str, list[tuple[str, str]]]:
    """Return the entries of Inarch's groups in an entry_points.txt; nothing if there is no such file."""
    data = _read(path)
    if data is None or b"inarch." not in data:
        return {}
    groups: dict[str, list[tuple[str, str]]] = {}
    group = ""
    for raw in data.decode("utf-8", "replace").splitlines():
        line = raw.strip()
        if line.startswith("["):
            group = line.strip("[] ")
        elif group in GROUPS and "=" in line and line[0] not in "#;":
            name, _, target = line.partition("=")
            groups.setdefault(group, []).append((name.strip(), target.partition("[")[0].strip()))  # "[": extras
    return groups


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.readall()
    except OSError:
        return None
