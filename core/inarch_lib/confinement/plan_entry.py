"""Application of a plan's layers, in the only order in which each still allows the next one."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from . import landlock, namespaces, privileges, seccomp
from .kernel import Text, execve, machine
from .levels import own_layers
from .plan import Plan
from .system_paths import LIBRARIES


def prepare(plan: Plan) -> None:
    """Load modules and make filters ahead, for all children with plans like this.

    Raises:
        OSError: A requested layer is unavailable.
    """
    _load_modules()
    _filter(plan, Text(b"/") if plan.alone else None)


def _load_modules() -> None:
    import fcntl  # noqa: F401 - a child in its view finds no module any more
    import resource  # noqa: F401


def _filter(plan: Plan, only: Text | None) -> bytes:
    if "seccomp" not in plan.layers:
        return b""
    if not seccomp.available(machine()):
        raise OSError(errno.ENOSYS, f"seccomp: no filter can be loaded on this {machine()} kernel")
    return seccomp.program(plan, machine(), landlock.abi() if "landlock" in plan.layers else 0, only)


def execute(plan: Plan, argv: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Confine the calling process and become `plan.program`; if it may start nothing, this was the last `execve`.

    Raises:
        OSError: A layer is unavailable or the program cannot be executed; the process must then end.
    """
    path = Text(os.fsencode(plan.program))
    _load_modules()
    texts = [f"{name}={value}" for name, value in environment.items()]
    _enter(plan, path if plan.alone else None)
    execve(path, argv, texts)


def confine(plan: Plan) -> None:
    """Confine the calling process, which has one thread and continues with its program.

    Raises:
        OSError: A requested layer is unavailable; the process must then end.
    """
    _enter(plan, None)


def _enter(plan: Plan, only: Text | None) -> None:
    layers, filter_ = plan.layers, _filter(plan, only)
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
        landlock.restrict(plan, seal_network=not plan.network and not plan.own_network)
    if "seccomp" in layers:
        seccomp.load(filter_, machine())


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
