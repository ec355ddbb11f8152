"""Removal of privileges: no new ones, and none from root or a user namespace."""

from __future__ import annotations

import os
import struct

from .kernel import (
    PR_CAP_AMBIENT,
    PR_CAP_AMBIENT_CLEAR_ALL,
    PR_CAPBSET_DROP,
    PR_SET_NO_NEW_PRIVS,
    function,
    prctl,
)
from .plan import Plan

_CHANGE_ANY, _READ_ANY, _OWN_ANY, _ADMINISTER = 1, 2, 3, 21  # CAP_DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER, SYS_ADMIN
_SET_BOUNDING = 8
_VERSION_3 = 0x20080522


def capabilities() -> int:
    """Return the effective capabilities as bits."""
    head, data = struct.pack("=Ii", _VERSION_3, 0), bytearray(24)
    import ctypes

    function("capget", "capabilities", head, (ctypes.c_char * 24).from_buffer(data))
    low, _, _, high, _, _ = struct.unpack("=6I", data)
    return int(low | high << 32)


def may_administer() -> bool:
    """Return whether namespaces can be made without a user namespace."""
    return os.geteuid() == 0 and bool(capabilities() >> _ADMINISTER & 1)


def forbid_new() -> None:
    """Keep set-user-id programs from giving rights; Landlock and seccomp require it."""
    prctl(PR_SET_NO_NEW_PRIVS, "no_new_privs", 1)


def drop(*, writes: bool, bounding: bool) -> None:
    """Drop every capability.

    Root keeps the file capabilities that it needs to work in another user's folder. Other layers limit the files.
    """
    kept = 0
    if os.geteuid() == 0:
        kept = 1 << _READ_ANY | ((1 << _CHANGE_ANY | 1 << _OWN_ANY) if writes else 0)
    held = capabilities()
    if not held:
        return
    prctl(PR_CAP_AMBIENT, "capabilities", PR_CAP_AMBIENT_CLEAR_ALL)
    if bounding and held >> _SET_BOUNDING & 1:
        _drop_bounding(kept)
    kept &= held
    function("capset", "capabilities", struct.pack("=Ii", _VERSION_3, 0), struct.pack("=6I", kept, kept, 0, 0, 0, 0))


def _drop_bounding(kept: int) -> None:
    for number in range(64):
        try:
            if not kept >> number & 1:
                prctl(PR_CAPBSET_DROP, "capabilities", number)
        except OSError:
            return  # one more than the kernel's last


def lower(plan: Plan, *, counted: bool) -> None:
    """Set the plan's limits for good; none is ever raised."""
    import resource

    wanted = (
        # Private writable memory: reserved address space, of which some runtimes take terabytes, does not count.
        (resource.RLIMIT_DATA, plan.memory_bytes),
        (resource.RLIMIT_NPROC, plan.processes if counted else 0),
        (resource.RLIMIT_FSIZE, plan.file_bytes),
        (resource.RLIMIT_CPU, plan.cpu_seconds),
    )
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for kind, limit in wanted:
        hard = resource.getrlimit(kind)[1]
        if limit and (hard == resource.RLIM_INFINITY or limit < hard):
            resource.setrlimit(kind, (limit, limit))
