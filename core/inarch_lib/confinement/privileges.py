"""Privileges: no new ones, and none of those that root or a user namespace brings."""

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
    """Return the effective ones as bits."""
    head, data = struct.pack("=Ii", _VERSION_3, 0), bytearray(24)
    import ctypes

    function("capget", "capabilities", head, (ctypes.c_char * 24).from_buffer(data))
    low, _, _, high, _, _ = struct.unpack("=6I", data)
    return int(low | high << 32)


def may_administer() -> bool:
    """Whether namespaces can be made without a user namespace."""
    return os.geteuid() == 0 and bool(capabilities() >> _ADMINISTER & 1)


def forbid_new() -> None:
    """No set-user-id program gives rights any more; Landlock and seccomp ask for it."""
    prctl(PR_SET_NO_NEW_PRIVS, "no_new_privs", 1)


def drop(*, writes: bool, bounding: bool) -> None:
    """Give every capability up.

    Root keeps the file capabilities that it needs to work in another user's folder: which files, others rule.

    Args:
        writes: Whether it may change files.
        bounding: Whether the bounding set is emptied too; without, only no_new_privs stands against new ones.
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
    """Set the plan's limits for good; none is ever raised.

    Args:
        plan: The limits.
        counted: Whether the process is in a user namespace of its own: only there is the number of processes
            counted apart from the user's other ones.
    """
    import resource

    wanted = (
        # Private writable memory: address space that is only reserved, as some runtimes do by the terabyte, is free.
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
