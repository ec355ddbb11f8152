"""Start parameters of a child from the grants of `[isolation.NAME]`; unenforceable limits prevent the start."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from attrs import frozen

from inarch import PluginError
from inarch.host import LoadJob
from inarch_lib.staging import make_folder
from inarch_plugins.isolation.run_rights import is_below

ANYWHERE = "*"
"""In `write`: the plugin may read and write whatever the user may."""
_PROTECTED = (".git", ".inarch")
_OWN = ("inarch", "inarch_lib", "inarch_plugins", "inarch_sdk", "inarch_testing")


@frozen
class Launch:
    """Start parameters of a child: its environment, and its job with the limits to apply and the plugin to load."""

    environment: Mapping[str, str]
    job: Mapping[str, Any]


def launch(job: LoadJob) -> Launch:
    """Return the start parameters of the plugin's process.

    Raises:
        PluginError: This system cannot enforce a withheld right, or a path is wrong.
    """
    name, table, context = job.name, job.table, job.context
    require_enforceable(name, table)
    if "/" in name or name in ("", ".", ".."):
        raise _refusal(name, "a name that is a path can't name the plugin's own folders", "")
    cache, state = context.cache_dir, context.state_dir
    temporary = os.path.join(cache, "tmp")
    for folder in (cache, state, temporary):
        _make(folder)
    own = [os.path.realpath(cache), os.path.realpath(state)]
    granted = {one: context.environ[one] for one in table["env"] if one in context.environ}
    anywhere = ANYWHERE in table["write"]
    told = {
        "plugin": dict(job.found),
        "name": name,
        "root": context.root,
        "cache_dir": cache,
        "state_dir": state,
        "recorded": context.recorded,
        "environ": granted,
        "settings": dict(job.settings),
        "variables": dict(job.variables),
        "readable": [*_readable(), *job.code],
        "writable": [] if anywhere else [*own, *_writable(job)],
        "anywhere": anywhere,
        "network": table["network"] is True,
        "hosts": _hosts(table),
        "children": table["children"] is True,
        "memory_mb": table["memory_mb"],
        "seconds": table["seconds"],
        "parent": os.getpid(),
    }
    return Launch(_environment(state, temporary, granted), told)


def require_enforceable(name: str, table: Mapping[str, Any]) -> None:
    """Refuse a plugin whose table withholds a right that this system cannot withhold.

    Raises:
        PluginError: It names what is missing, and the key that would grant it.
    """
    if not hasattr(os, "fork"):
        raise _refusal(name, f"processes can't be isolated on {sys.platform}", "")
    if table["network"] is True and ANYWHERE in table["write"]:
        return
    landlock, seccomp = _offered()
    if not landlock and ANYWHERE not in table["write"]:
        what = "this system has no Landlock, so writing and reading outside `write` can't be kept from the plugin"
        raise _refusal(name, what, 'write = ["*"]')
    if not seccomp and table["network"] is not True:
        what = "this system takes no seccomp filter, so the network can't be kept from the plugin"
        raise _refusal(name, what, "network = true")


def _hosts(table: Mapping[str, Any]) -> list[str]:
    """Return the granted hosts, if the grant is not the whole network."""
    return [] if isinstance(table["network"], bool) else list(table["network"])


def _offered() -> tuple[int, bool]:
    if sys.platform != "linux":
        return 0, False
    from inarch_lib.confinement import landlock, seccomp
    from inarch_lib.confinement.kernel import machine

    return landlock.abi(), seccomp.available(machine())


def _refusal(name: str, what: str, grant: str) -> PluginError:
    ways = (f"grant it with {grant} in [isolation.{name}]" if grant else "", 'use mode = "in-process"')
    remedy = " or ".join((*filter(None, ways), f"leave it out with -p no:{name}"))
    return PluginError(
        f"plugin {name!r} can't run as [isolation.{name}] says: {what}", plugin=name, door="load", remedy=remedy
    )


def _make(folder: str) -> None:
    try:
        make_folder(folder)
    except OSError:
        pass  # a missing folder needs no right: the plugin gets an error when it writes


def _environment(state: str, temporary: str, granted: Mapping[str, str]) -> dict[str, str]:
    """Return the child's variables, built from zero, so that Inarch's own, above all keys, are not inherited."""
    own = {"HOME": state, "TMPDIR": temporary, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "dumb"}
    return {**own, **granted, "PYTHONDONTWRITEBYTECODE": "1"}


def _own_packages() -> Iterator[str]:
    """Yield the folders of the kernel, of the libraries beside it and of this plugin."""
    from importlib.util import find_spec

    for spec in map(find_spec, _OWN):
        yield from (spec.submodule_search_locations or ()) if spec is not None else ()


def _readable() -> Iterator[str]:
    """Yield the paths that Python needs."""
    import sysconfig

    yield from {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    yield from (path for key, path in sysconfig.get_paths().items() if key in ("stdlib", "platstdlib", "purelib"))
    yield from (entry for entry in sys.path if entry not in ("", ".") and _is_library(entry))
    yield from _own_packages()


def _is_library(entry: str) -> bool:
    """Return whether an entry of `sys.path` holds installed packages, rather than a project."""
    if os.path.isfile(entry):
        return True
    try:
        return any(name.endswith((".dist-info", ".egg-info", ".egg-link", ".pth")) for name in os.listdir(entry))
    except OSError:
        return False


def _writable(job: LoadJob) -> Iterator[str]:
    """Yield the absolute paths of `write`; a link that leads out of the workspace is refused."""
    paths: Collection[str] = job.table["write"]
    top = os.path.realpath(job.context.root)
    kept = {place for place in _what_runs(job) if is_below(place, top) and place != top} if paths else set()
    for path in paths:
        place = os.path.realpath(os.path.join(top, path))
        if not is_below(place, top):
            raise _wrong_path(job.name, path, f"leads out of the workspace to {place}", "name a path inside it")
        if place == top:
            yield from _beside(place, kept | {os.path.join(top, name) for name in _PROTECTED})
            continue
        if any(is_below(place, one) for one in kept):
            what = "is what Inarch itself runs from, or the plugin's own code"
            raise _wrong_path(job.name, path, what, "name another path")
        if path.endswith("/"):
            _make(place)
        if not os.path.exists(place):
            raise _wrong_path(job.name, path, "does not exist", f"make it, or grant a folder: {path}/")
        yield from _beside(place, kept)


def _beside(place: str, kept: Collection[str]) -> Iterator[str]:
    """Yield a path; if something in it must be excluded, yield its other entries except links."""
    if any(is_below(place, one) for one in kept):
        return
    if os.path.isdir(place) and any(is_below(one, place) for one in kept):
        for entry in os.scandir(place):
            if not entry.is_symlink():  # it would grant its target, wherever that is
                yield from _beside(entry.path, kept)
        return
    yield place


def _what_runs(job: LoadJob) -> Iterator[str]:
    """Yield paths that would run, or decide, outside of the plugin's process at the next start."""
    import sysconfig

    names = [path for key, path in sysconfig.get_paths().items() if key not in ("data", "include", "platinclude")]
    names += [entry for entry in sys.path if entry not in ("", ".") and _is_library(entry)]
    if sys.prefix != sys.base_prefix:
        names.append(sys.prefix)
    names += [*_own_packages(), *job.kept, *job.code]
    yield from map(os.path.realpath, names)


def _wrong_path(name: str, path: str, what: str, remedy: str) -> PluginError:
    return PluginError(
        f"plugin {name!r} can't run as [isolation.{name}] says: {path!r} of `write` {what}",
        plugin=name,
        door="load",
        remedy=remedy,
    )
