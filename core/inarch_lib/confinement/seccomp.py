"""seccomp: the refused system calls, as a program of the kernel's packet filter.

The filter is a search tree over the call's number. The kernel runs it once for every number when it is loaded, so this
costs little. Calls that no leaf examines are then allowed without running it.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
from functools import cache
from typing import NamedTuple

from .kernel import Text, call, function
from .plan import Plan
from .system_calls import AUDIT_ARCHITECTURES, X32, numbers_of

_SYSTEM_CALL = {"x86_64": 317, "aarch64": 277}
_SET_FILTER = 1

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

_NAMESPACES = 0x7E020080  # CLONE_NEW*: user pid net ipc uts, cgroup, ns, and time
_THREAD = 0x00010000  # CLONE_THREAD, which cannot be combined with a new namespace of processes or users
_NEW_TIME = 0x80  # in clone() these bits are the exit signal
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_STREAM, _IN_ORDER, _KINDS = 1, 5, 0xF  # SOCK_STREAM and SOCK_SEQPACKET, without added flags
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_OWNERS = (8, 15)  # F_SETOWN, F_SETOWN_EX: the receiver of a signal
_OWNERS_BY_IOCTL = (0x8901, 0x8902)  # FIOSETOWN, SIOCSPGRP
_SET_UID = 0o4000
_CREATE_OR_TEMPORARY = 0o100 | 0o20000000
_TRUNCATE = 0o1000
_LOW, _HIGH = 0xE5ECA11D, 0xE5ECA11E  # placeholders for the halves of an address until it is known

_INSERT_INPUT, _LINUX_CONSOLE = 0x5412, 0x541C
_CHANGE_ATTRIBUTES = (
    0x40086602,
    0x40046602,
    0x401C5820,
    0x40806685,
)  # chattr, project ids, verity: they require no write access

METADATA = (
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat", "truncate", "file_setattr"),
    *("setxattr", "lsetxattr", "fsetxattr", "setxattrat"),
    *("removexattr", "lremovexattr", "fremovexattr", "removexattrat"),
)
ALWAYS = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_getfd", "kcmp"),
    *("move_pages", "migrate_pages", "mount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr"),
    *("move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "setns"),
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open", "userfaultfd"),
    *("keyctl", "add_key", "request_key", "open_by_handle_at", "modify_ldt", "kexec_load", "kexec_file_load"),
    *("init_module", "finit_module", "delete_module", "reboot", "swapon", "swapoff", "acct", "quotactl"),
    *("quotactl_fd", "syslog", "iopl", "ioperm"),
)
_SHARED_MEMORY = (  # objects of others are found by their numbers alone
    *("shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl"),
    *("msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink"),
)
_SIGNALS = ("kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal")


def _step(code: int, value: int, jump_true: int = 0, jump_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, jump_true, jump_false, value & 0xFFFFFFFF)


def _error(number: int) -> bytes:
    return _step(_RETURN, 0x00050000 | number)


_ALLOW = _step(_RETURN, 0x7FFF0000)
_KILL = _step(_RETURN, 0x80000000)
_REFUSE = _error(errno.EPERM)
_UNKNOWN = _error(errno.ENOSYS)


def _argument(index: int, high: bool = False) -> bytes:
    return _step(_LOAD, _ARGUMENTS + 8 * index + (4 if high != (sys.byteorder == "big") else 0))


def _refuse_bits(index: int, mask: int) -> bytes:
    return _argument(index) + _step(_ANY_BIT, mask, 0, 1) + _REFUSE + _ALLOW


def _require_bits(index: int, mask: int) -> bytes:
    return _argument(index) + _step(_ANY_BIT, mask, 1) + _REFUSE + _ALLOW


def _refuse_values(index: int, values: tuple[int, ...]) -> bytes:
    tests = b"".join(_step(_EQUAL, value, len(values) - at) for at, value in enumerate(values))
    return _argument(index) + tests + _ALLOW + _REFUSE


def _only_values(index: int, values: tuple[int, ...]) -> bytes:
    tests = b"".join(_step(_EQUAL, value, len(values) - at) for at, value in enumerate(values))
    return _argument(index) + tests + _REFUSE + _ALLOW


def _refuse_set_uid(flags: int, mode: int) -> bytes:
    """Refuse an opening that would make a file with the set-user-id bit."""
    return _argument(flags) + _step(_ANY_BIT, _CREATE_OR_TEMPORARY, 1) + _ALLOW + _refuse_bits(mode, _SET_UID)


def _socket(families: tuple[int, ...], routes: bool) -> bytes:
    """Allow these families, and the part of netlink with which C libraries ask for addresses."""
    if not routes:
        return _only_values(0, families)
    body = b"".join(_step(_EQUAL, family, len(families) - at + 3) for at, family in enumerate(families))
    return _argument(0) + body + _step(_EQUAL, _NETLINK, 0, 2) + _argument(2) + _step(_EQUAL, 0, 1) + _REFUSE + _ALLOW


def _pair(unix: bool) -> bytes:
    """Allow pairs; datagram pairs only if Unix sockets are allowed, because one could connect to any socket."""
    if unix:
        return _only_values(0, (_UNIX,))
    kind = _argument(1) + _step(_AND, _KINDS) + _step(_EQUAL, _STREAM, 1) + _step(_EQUAL, _IN_ORDER, 0, 1)
    return _argument(0) + _step(_EQUAL, _UNIX, 0, 5) + kind + _ALLOW + _REFUSE


def _only_address() -> bytes:
    """Allow the call only with one exact string: a later program lacks it, so it cannot repeat the call."""
    low = _argument(0) + _step(_EQUAL, _LOW, 0, 2)
    return low + _argument(0, high=True) + _step(_EQUAL, _HIGH, 1) + _REFUSE + _ALLOW


class Shape(NamedTuple):
    """Parts of a plan that determine its filter."""

    view: bool
    alone: bool
    network: bool
    own_network: bool
    landlock: int
    held: bool
    starts: bool = True
    anywhere: bool = False


def _leaves(shape: Shape) -> dict[str, bytes]:
    """Return the deciding code for each refused or examined system call."""
    leaves = dict.fromkeys(ALWAYS, _REFUSE)
    leaves |= {
        "clone3": _UNKNOWN,  # its flags are in memory: libraries fall back to clone
        "clone": _refuse_bits(0, _NAMESPACES & ~_NEW_TIME),
        "unshare": _refuse_bits(0, _NAMESPACES),
        "personality": _only_values(0, (0xFFFFFFFF,)),
        "prlimit64": _only_values(0, (0,)),  # only about itself
        "ioctl": _refuse_values(1, (_INSERT_INPUT, _LINUX_CONSOLE, *_CHANGE_ATTRIBUTES)),
        "socketpair": _pair(_may_unix(shape)),
        "socket": _sockets(shape),
    }
    if shape.view:
        leaves |= _in_a_view()
    else:
        leaves |= dict.fromkeys((*(() if shape.anywhere else METADATA), *_SHARED_MEMORY), _REFUSE)
        if shape.landlock < 3 and not shape.anywhere:  # cannot control truncation, which opening for reading allows
            leaves |= {"open": _refuse_bits(1, _TRUNCATE), "openat": _refuse_bits(2, _TRUNCATE), "openat2": _UNKNOWN}
        if shape.landlock < 6 and shape.alone:  # cannot control signals; raise() stays
            leaves |= dict.fromkeys(_SIGNALS, _REFUSE)
    if shape.held:
        leaves |= {"execve": _only_address(), "execveat": _REFUSE}
    if not shape.starts:
        leaves |= _without_starting(shape)
    return leaves


def _without_starting(shape: Shape) -> dict[str, bytes]:
    """Return the further deciding code for a process that must not start others: threads stay."""
    leaves = dict.fromkeys(("fork", "vfork", "execve", "execveat", "setpriority", "ioprio_set"), _REFUSE)
    leaves |= dict.fromkeys(("memfd_create", "memfd_secret"), _UNKNOWN)  # memory that no limit counts
    leaves |= {"clone": _require_bits(0, _THREAD), "prctl": _refuse_values(0, (_END_WITH_PARENT,))}
    if not shape.anywhere:  # names in folders that cannot be read
        leaves["inotify_add_watch"] = _REFUSE
    if shape.landlock < 6:
        refused = (_INSERT_INPUT, _LINUX_CONSOLE, *_CHANGE_ATTRIBUTES, *_OWNERS_BY_IOCTL)
        leaves |= {"tgkill": _only_values(0, (os.getpid(),)), "fcntl": _refuse_values(1, _OWNERS)}
        leaves |= {"ioctl": _refuse_values(1, refused), **dict.fromkeys(_SIGNALS, _REFUSE)}
    return leaves


def _in_a_view() -> dict[str, bytes]:
    """Return the code for a view: owners, times and permissions may change, but set-user-id bits are refused."""
    return {
        "chmod": _refuse_bits(1, _SET_UID),
        "fchmod": _refuse_bits(1, _SET_UID),
        "fchmodat": _refuse_bits(2, _SET_UID),
        "fchmodat2": _refuse_bits(2, _SET_UID),
        "creat": _refuse_bits(1, _SET_UID),
        "mknod": _refuse_bits(1, _SET_UID),
        "mknodat": _refuse_bits(2, _SET_UID),
        "open": _refuse_set_uid(1, 2),
        "openat": _refuse_set_uid(2, 3),
        "openat2": _UNKNOWN,  # its flags are in memory: programs fall back to openat
        "file_setattr": _REFUSE,
    }


def _sockets(shape: Shape) -> bytes:
    """Return the code for sockets; Unix ones require a view for files, and a namespace or scope for abstract names."""
    internet = shape.network or shape.own_network
    return _socket(((_UNIX,) if _may_unix(shape) else ()) + ((_INET, _INET6) if internet else ()), internet)


def _may_unix(shape: Shape) -> bool:
    return shape.view and (shape.own_network or shape.landlock >= 6)


def program(plan: Plan, architecture: str, landlock: int, only: Text | None = None) -> bytes:
    """Return the filter."""
    shape = Shape(plan.view, plan.alone, plan.network, plan.own_network, landlock, only is not None)
    shape = shape._replace(starts=plan.starts, anywhere=not plan.starts and "/" in plan.writable)
    filter_ = _assemble(shape, architecture)
    if only:
        for half, value in ((_LOW, only.address & 0xFFFFFFFF), (_HIGH, only.address >> 32)):
            filter_ = filter_.replace(_step(_EQUAL, half)[4:], struct.pack("=I", value))
    return filter_


@cache
def _assemble(shape: Shape, architecture: str) -> bytes:
    numbers = numbers_of(architecture)
    leaves = sorted((numbers[name], leaf) for name, leaf in _leaves(shape).items() if name in numbers)
    spans: list[tuple[int, bytes]] = [(0, _ALLOW)]
    for number, leaf in leaves:
        if spans[-1][0] == number:
            spans.pop()
        if not spans or spans[-1][1] != leaf:
            spans.append((number, leaf))
        spans.append((number + 1, _ALLOW))
    top = _step(_AT_LEAST, X32, 0, 1) + _REFUSE if architecture == "x86_64" else b""
    check = _step(_LOAD, _ARCHITECTURE) + _step(_EQUAL, AUDIT_ARCHITECTURES[architecture], 1) + _KILL
    return check + _step(_LOAD, _NUMBER) + top + _tree(spans)


def _tree(spans: list[tuple[int, bytes]]) -> bytes:
    if len(spans) == 1:
        return spans[0][1]
    middle = len(spans) // 2
    below, above = _tree(spans[:middle]), _tree(spans[middle:])
    return _step(_AT_LEAST, spans[middle][0], len(below) // 8) + below + above


def available(architecture: str) -> bool:
    """Return whether the kernel takes filters and this architecture's calls are known."""
    try:
        return architecture in AUDIT_ARCHITECTURES and function("prctl", "seccomp", 21, 0, 0, 0, 0) >= 0
    except (OSError, AttributeError, TypeError):
        return False


def load(filter_: bytes, architecture: str) -> None:
    """Apply the filter to the calling thread and its children for good; needs no_new_privs."""
    body = Text(filter_)
    call(
        _SYSTEM_CALL[architecture],
        "seccomp filter",
        _SET_FILTER,
        0,
        struct.pack("HxxxxxxQ", len(filter_) // 8, body.address),
    )
