"""Rights of a program that a child wants to run, limited by `[isolation.NAME]`, whatever the child claims.

The call's own handle enforces the call's declaration and approval. This module enforces only the table.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inarch import Effects, Rights, ToolFailed, capabilities

if TYPE_CHECKING:
    from inarch import Workspace

LEAST_LEVEL = 2
"""Minimum confinement level, below which a program could exceed its rights."""
_OWN = ((".config", "inarch"), (".local", "state", "inarch"))
_LOADERS = ("LD_", "DYLD_", "GLIBC_")


def within(rights: Rights, plugin: str, job: Mapping[str, Any]) -> Rights:
    """Return the rights of a program that a child asked for, if its plugin has them.

    A path is replaced by the granted folder above it, which the child cannot replace by a link.

    Args:
        rights: The requested rights.
        plugin: Its plugin's name.
        job: The job of its process.

    Raises:
        ToolFailed: The table does not grant one of them.
    """
    loading = [name for name in rights.env if name.upper().startswith(_LOADERS)]
    if loading:
        raise ToolFailed("permission", f"plugin {plugin!r} may not set {loading[0]} for a program: it loads other code")
    network, hosts = _reached(rights, plugin, job)
    for path in rights.writes:
        if _is_protected(path) and not is_granted(os.path.join(job["root"], path), job):
            raise _refusal(plugin, f"programs of it may not change {path}", f'write = ["{path}"]')
    reads = tuple(dict.fromkeys(top for path in rights.reads for top in _readable(path, plugin, job)))
    outside = tuple(dict.fromkeys(_writable(path, plugin, job) for path in rights.writes_outside))
    return Rights(rights.writes, rights.executes, network, reads, outside, dict(rights.env), hosts)


def _reached(rights: Rights, plugin: str, job: Mapping[str, Any]) -> tuple[bool, tuple[str, ...]]:
    """Return the program's network: all of it, or the hosts."""
    if job["network"]:
        return rights.network, rights.hosts
    if not rights.network and not rights.hosts:
        return False, ()
    granted = tuple(job["hosts"])
    if not granted:
        raise _refusal(plugin, "programs of it may not use the network", "network = true")
    if rights.network:
        return False, granted
    from inarch_lib.confinement.hosts import Hosts

    kept = Hosts(granted).narrowed(rights.hosts)
    if kept != rights.hosts:
        beyond = next(host for host in rights.hosts if host not in kept)
        raise _refusal(plugin, f"programs of it may not reach {beyond}", f'network = ["{beyond}"]')
    return False, kept


def require_confined(level: int, plugin: str, job: Mapping[str, Any]) -> None:
    """Refuse to start a program that could exceed the table's grants.

    Raises:
        ToolFailed: Programs are not confined well enough here.
    """
    if level < LEAST_LEVEL and not (job["anywhere"] and job["network"]):
        what = f"programs are confined at level {level} here, which keeps nothing from them that its table withholds"
        raise _refusal(plugin, what, 'write = ["*"] and network = true')


def require_nothing_hidden(workspace: Workspace, plugin: str) -> None:
    """Refuse to start a program for a call with files that rules hide: it could read them.

    Raises:
        ToolFailed: There are such rules.
    """
    veiled = capabilities.able(workspace, capabilities.Hides)
    hidden = veiled.hidden if veiled is not None else ()
    if hidden:
        raise ToolFailed(
            "permission", f"a rule keeps {hidden[0]} from this call of plugin {plugin!r}, and a program could read it",
            "read through the workspace, or let the user allow it with a rule",
        )  # fmt: skip


def bounds(effects: Effects, plugin: str, job: Mapping[str, Any]) -> str:
    """Return the maximum effects of an isolated plugin's call, for the person who approves."""
    network = " and use the network" if job["network"] else ""
    if job["hosts"]:
        network = f" and reach {_listed(job['hosts'])}"
    if effects.exclusive:
        said = f"plugin {plugin!r} runs isolated: it may run any program, which may change anything in the workspace"
        said += network
    else:
        more = "but that" if effects.writes else "at all"
        said = f"plugin {plugin!r} runs isolated: it may run programs, which change nothing {more}"
        said += network if effects.programs else ""
    if job["children"]:
        said += ", and have child sessions, whose calls are judged on their own"
    if job["anywhere"]:
        return f'{said}; write = ["*"] lets it read and change whatever you may'
    own = {os.path.realpath(job["cache_dir"]), os.path.realpath(job["state_dir"])}
    granted = [os.path.relpath(path, os.path.realpath(job["root"])) for path in job["writable"] if path not in own]
    return f"{said}; its table lets it change {_listed(granted)}" if granted else said


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")


def _readable(path: str, plugin: str, job: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths to make readable for a path; those in the workspace are readable anyway."""
    real = _real(path)
    if job["anywhere"]:
        yield path
    elif top := _own_top(real, job):
        yield top
    elif not is_below(real, os.path.realpath(job["root"])):
        raise _refusal(plugin, f"programs of it may not read {path}", 'write = ["*"]')


def _writable(path: str, plugin: str, job: Mapping[str, Any]) -> str:
    real = _real(path)
    if job["anywhere"]:
        return path
    if top := _own_top(real, job):
        return top
    if is_below(real, os.path.realpath(job["root"])):
        raise ToolFailed("permission", f"{path} lies in the workspace", "ask for it in `writes`")
    raise _refusal(plugin, f"programs of it may not change {path}", 'write = ["*"]')


def _real(path: str) -> str:
    if not os.path.isabs(path):
        raise ToolFailed("validation", f"{path!r} is not an absolute path", "name it from the root of the file system")
    return os.path.realpath(path)


def _own_top(real: str, job: Mapping[str, Any]) -> str:
    """Return the plugin's own folder that contains a real path, empty if there is none."""
    own = (os.path.realpath(job["cache_dir"]), os.path.realpath(job["state_dir"]))
    return next((top for top in own if is_below(real, top)), "")


def is_granted(path: str, job: Mapping[str, Any]) -> bool:
    """Return whether the child itself may write at a path, wherever links lead."""
    real = os.path.realpath(path)
    return job["anywhere"] or any(is_below(real, top) for top in job["writable"])


def is_below(path: str, top: str) -> bool:
    """Return whether a path is `top` or below it."""
    return path == top or path.startswith(top.rstrip("/") + "/")


def _is_protected(path: str) -> bool:
    """Return whether a path of the workspace may be one of the protected names, on any file system."""
    parts = [_folded(part) for part in path.split("/") if part not in ("", ".")]
    own = any(tuple(parts[at : at + len(one)]) == one for one in _OWN for at in range(len(parts)))
    return own or any(part in (".git", ".inarch") or part.startswith(("git~", "inarch~")) for part in parts)


def _folded(part: str) -> str:
    visible = (char for char in unicodedata.normalize("NFKC", part) if unicodedata.category(char) != "Cf")
    return "".join(visible).casefold().partition(":")[0].rstrip(". ")


def _refusal(plugin: str, what: str, grant: str) -> ToolFailed:
    return ToolFailed("permission", f"plugin {plugin!r} runs isolated, and {what}; nothing was run",
                      f"if it is to, grant it with {grant} in [isolation.{plugin}]")  # fmt: skip
