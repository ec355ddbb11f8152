"""Confinement that the process of an isolated plugin applies to itself before it loads the plugin."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Iterable, Mapping
from typing import Any

_SET_PDEATHSIG = 1  # linux/prctl.h
_BESIDE = 1 << 30  # address space beyond memory_mb: code, reserved and shared memory
_MOST_FILES = 1024  # maximum open descriptors: each socket and pipe holds memory that no other limit counts
_SELF = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu")


def die_with(parent: int) -> None:
    """Have the kernel end this process when its parent ends, or end it now if that has happened."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is Inarch's to handle
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def confine(job: Mapping[str, Any]) -> None:
    """Apply the limits, and every layer that this system has and the job's rights allow.

    Raises:
        OSError: A layer cannot be applied; the process must then end.
    """
    _limit(job["memory_mb"], job["seconds"])
    if sys.platform != "linux":
        return
    import inarch_lib.confinement
    from inarch_lib.confinement.levels import own_layers
    from inarch_lib.confinement.system_paths import DEVICES, SETTINGS

    plan = inarch_lib.confinement.Plan(
        root=job["state_dir"] if os.path.isdir(job["state_dir"]) else "/usr",
        program=sys.executable,
        writable=("/",) if job["anywhere"] else tuple(job["writable"]),
        readable=_readable((*job["readable"], *_SELF, *SETTINGS, *DEVICES)),
        network=job["network"],
        memory_bytes=(job["memory_mb"] or 0) << 20,
        layers=own_layers(),
        starts=False,
        exact=True,
        gate=job["gate"],
    )
    inarch_lib.confinement.confine(plan)


def _readable(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths as named and as resolved: a rule applies to the target of a link."""
    return tuple(dict.fromkeys(place for path in paths for place in (path, os.path.realpath(path))))


def _limit(memory_mb: int | None, seconds: float | None) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _lower(resource.RLIMIT_NOFILE, _MOST_FILES, _MOST_FILES)
    if memory_mb:
        _lower(resource.RLIMIT_AS, (memory_mb << 20) + _BESIDE, (memory_mb << 20) + _BESIDE)
    if seconds:
        whole = max(1, -int(-seconds // 1))  # the system counts whole seconds
        _lower(resource.RLIMIT_CPU, whole, whole + 1)


def _lower(kind: int, soft: int, hard: int) -> None:
    import resource

    present = resource.getrlimit(kind)[1]
    if present != resource.RLIM_INFINITY:
        soft, hard = min(soft, present), min(hard, present)
    try:
        resource.setrlimit(kind, (soft, hard))
    except (OSError, ValueError):  # macOS has no limit of the address space
        pass
