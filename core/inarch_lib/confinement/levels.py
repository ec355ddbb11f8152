"""Possible confinement level of programs on this machine, and the obstacles to a better one."""

from __future__ import annotations

import os
import sys

from .plan import Features, Plan

_FULL = 4  # the Landlock ABI from which level 3 begins
_known: Features | None = None


def features() -> Features:
    """Return the machine's features; the first call forks twice to try namespaces, later ones cost nothing."""
    global _known
    if _known is None:
        _known = _ask() if sys.platform == "linux" else Features(0, False, False, False, sys.platform)
    return _known


def _ask() -> Features:
    from . import landlock, seccomp
    from .kernel import machine

    version, filters = landlock.abi(), seccomp.available(machine())
    mounts, network = _problem(network=True), ""
    if mounts:
        network, mounts = mounts, _problem(network=False)
    problems = [
        "" if version else "the kernel has no Landlock, or it is switched off",
        "" if filters else f"no seccomp filter for {machine()}",
        f"no mount namespace ({mounts})" if mounts else "",
        f"no network namespace ({network})" if network and not mounts else "",
    ]
    return Features(version, filters, not mounts, not network, machine(), tuple(filter(None, problems)))


def _problem(*, network: bool) -> str:
    """Return why a child cannot make its namespaces and fill a view, `""` if it can."""
    from . import namespaces

    plan = Plan(root="/usr", program="/usr", writable=(), executable=("/usr",), network=not network)
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        with open(reader, "rb") as report:
            text = report.read().decode(errors="replace")
        _, status = os.waitpid(child, 0)
        return text or ("" if status == 0 else f"the trial ended with status {status}")
    try:
        os.chdir("/")
        namespaces.enter(plan)
    except OSError as problem:
        os.write(writer, (problem.strerror or str(problem)).encode())
    finally:
        os._exit(0)


def layers_of(found: Features) -> frozenset[str]:
    """Return the layers that are available here."""
    there = {"landlock": bool(found.landlock), "seccomp": found.seccomp, "namespaces": found.namespaces}
    always = {"limits", "privileges"} if found.landlock or found.seccomp or found.namespaces else set()
    return frozenset({name for name, yes in there.items() if yes} | always)


def own_layers() -> frozenset[str]:
    """Return the layers that a running process can apply to itself: all but namespaces, which are not tried."""
    from . import landlock, seccomp
    from .kernel import machine

    found = {"landlock": bool(landlock.abi()), "seccomp": seccomp.available(machine())}
    return frozenset({name for name, there in found.items() if there} | {"privileges", "limits"})


def level_of(found: Features, backend: str = "auto") -> tuple[int, tuple[str, ...], str]:
    """Return the level, the confining layers, and why it is not higher.

    Args:
        found: The machine's features.
        backend: `"none"`, or anything else for the layers of this package.
    """
    if found.architecture == "win32":
        return 0, (), "programs can't be confined on Windows"
    if backend == "none":
        return 1, (), "confinement is switched off"
    layers = tuple(filter(None, _named(found)))
    if not found.landlock:
        where = "" if found.problems else f"{found.architecture} has no Landlock"
        return 1, layers, "; ".join((*found.problems, *filter(None, (where,))))
    if found.landlock < _FULL:
        reason = f"Landlock {found.landlock} of this kernel is older than {_FULL} (Linux 6.7)"
        return 2, layers, "; ".join((reason, *found.problems))
    missing = not (found.seccomp and found.namespaces and found.network_namespace)
    return (2 if missing else 3), layers, "; ".join(found.problems)


def _named(found: Features) -> tuple[str, ...]:
    return (
        f"landlock {found.landlock}" if found.landlock else "",
        "seccomp" if found.seccomp else "",
        "mount namespace" if found.namespaces else "",
        "network namespace" if found.network_namespace else "",
    )
