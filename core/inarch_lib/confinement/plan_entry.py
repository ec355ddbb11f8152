"""Application of a plan's layers, in the only order in which each still allows the next one."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from . import landlock, namespaces, privileges, seccomp
from .kernel import Text, execve, machine
from .levels import own_layers
from .plan import Plan
from .system_paths import LIBRARIES


class Prepared(NamedTuple):
    """Parts that the server can make once for all children with an equal plan.

    Args:
        program: The program's path, at an address that children share.
        filter: The seccomp filter; empty for none.
        ruleset: The Landlock rules; None without Landlock, or if the plan has a view, where they are made later.
    """

    program: Text
    filter: bytes
    ruleset: landlock.Ruleset | None


def prepare(plan: Plan) -> Prepared:
    """Make the filters and rules, to store and give to every child with an equal plan.

    Raises:
        OSError: A requested layer is unavailable.
    """
    import fcntl  # noqa: F401 - a child in its view finds no module any more
    import resource  # noqa: F401

    path = Text(os.fsencode(plan.program))
    rules = _rules(plan) if "landlock" in plan.layers and not plan.view else None
    return Prepared(path, _filter(plan, path if plan.alone else None), rules)


def _filter(plan: Plan, only: Text | None) -> bytes:
    if "seccomp" not in plan.layers:
        return b""
    if not seccomp.available(machine()):
        raise OSError(errno.ENOSYS, f"seccomp: no filter can be loaded on this {machine()} kernel")
    return seccomp.program(plan, machine(), landlock.abi() if "landlock" in plan.layers else 0, only)


def _rules(plan: Plan) -> landlock.Ruleset:
    return landlock.Ruleset(plan, seal_network=not plan.network and not plan.own_network)


def execute(
    plan: Plan, argv: Sequence[str], environment: Mapping[str, str], prepared: Prepared | None = None
) -> NoReturn:
    """Confine the calling process and become `plan.program`; if it may start nothing, this was the last `execve`.

    Raises:
        OSError: A layer is unavailable or the program cannot be executed; the process must then end.
    """
    ready = prepared or prepare(plan)
    texts = [f"{name}={value}" for name, value in environment.items()]
    _enter(plan, ready)
    execve(ready.program, argv, texts)


def confine(plan: Plan) -> None:
    """Confine the calling process, which has one thread and continues with its program.

    Raises:
        OSError: A requested layer is unavailable; the process must then end.
    """
    rules = _rules(plan) if "landlock" in plan.layers and not plan.view else None
    _enter(plan, Prepared(Text(b""), _filter(plan, None), rules))


def _enter(plan: Plan, ready: Prepared) -> None:
    layers, ruleset = plan.layers, ready.ruleset
    counted = plan.view and not privileges.may_administer()
    if plan.view:
        namespaces.enter(plan)
    elif plan.gate >= 0 or plan.joins:
        namespaces.enter_network(plan)
    if "limits" in layers:
        privileges.lower(plan, counted=counted)
    if layers & {"privileges", "landlock", "seccomp"}:
        privileges.forbid_new()
    if "privileges" in layers:
        privileges.drop(writes=bool(plan.writable), bounding=plan.view or plan.own_network)
    if "landlock" in layers:
        (ruleset if ruleset and ruleset.fits(plan) else _rules(plan)).restrict()
    if "seccomp" in layers:
        seccomp.load(ready.filter, machine())


def confine_reader(memory_bytes: int, cpu_seconds: int = 0) -> None:
    """Deny this process the network, all writes and all programs; it may read only what Python imports.

    Args:
        memory_bytes: Maximum private memory.
        cpu_seconds: Maximum processor time, 0 for no limit.

    Raises:
        OSError: A layer of this system cannot be applied. The process must then end.
    """
    layers = own_layers() if sys.platform == "linux" else frozenset({"limits"})
    own = str(Path(__file__).parents[2])
    confine(
        Plan(
            "/usr", sys.executable, readable=(*LIBRARIES, sys.base_prefix, own, *filter(None, sys.path)),
            memory_bytes=memory_bytes, cpu_seconds=cpu_seconds, layers=layers, starts=False,
        )
    )  # fmt: skip
