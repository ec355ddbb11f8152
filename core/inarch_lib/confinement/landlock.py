"""Landlock: the files that a process may read, change and execute, by hierarchy."""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator

from .kernel import call
from .plan import Plan
from .system_paths import DEVICES, FACTS, LIBRARIES, PRIVATE, PROGRAMS, SETTINGS, loader_of

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same on every architecture
_VERSION = 1
_PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
MAKE_CHAR, MAKE_BLOCK = 1 << 6, 1 << 11
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_BASE = (1 << 13) - 1
_ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
_TCP = 0b11  # bind and connect
_SCOPES = 0b11  # abstract unix sockets and signals

READ = READ_FILE | READ_DIR
_CHANGE = ((_BASE | REFER | TRUNCATE) & ~(MAKE_CHAR | MAKE_BLOCK | EXECUTE)) | READ
_DEVICE = READ_FILE | WRITE_FILE | IOCTL_DEV

Rule = tuple[str, int]


def abi() -> int:
    """Return the kernel's Landlock ABI, 0 if there is none."""
    try:
        return call(_CREATE, "landlock", 0, 0, _VERSION)
    except (OSError, AttributeError, TypeError):
        return 0


def handled(version: int) -> int:
    """Return the file rights that this ABI supports: it cannot control others."""
    rights = _BASE
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)):
        rights |= right if version >= since else 0
    return rights


def rules(plan: Plan) -> Iterator[Rule]:
    """Yield `(path, rights)`; all else is refused."""
    yield plan.root, READ
    yield plan.program, READ_FILE | EXECUTE
    loader = loader_of(plan.program)
    if loader:
        yield loader, READ_FILE | EXECUTE
    yield "/dev/null", _DEVICE
    if plan.alone:
        yield from ((path, READ) for path in LIBRARIES)
    else:
        yield from _for_builds(plan)
    yield from ((path, READ) for path in plan.readable)
    yield from ((path, READ | EXECUTE) for path in plan.executable)
    yield from ((path, _CHANGE) for path in plan.writable)
    for path in (plan.temporary, *(PRIVATE if plan.view else ())):
        if path:  # compilers test their programs there, and some test runners store them there
            yield path, _CHANGE if plan.alone else _CHANGE | EXECUTE


def _for_builds(plan: Plan) -> Iterator[Rule]:
    """Yield the rules for paths that compilers, interpreters and test runners read everywhere."""
    yield from ((path, READ | EXECUTE) for path in PROGRAMS)
    yield from ((path, READ) for path in (*SETTINGS, *FACTS))
    yield from ((path, _DEVICE) for path in DEVICES)
    if plan.view:  # its own instance: it does not contain the terminals of others
        yield "/dev/pts", _DEVICE | READ_DIR


def restrict(plan: Plan, *, seal_network: bool) -> None:
    """Confine the calling thread and its children for good; needs no_new_privs."""
    version = abi()
    if not version:
        raise OSError(errno.ENOSYS, "landlock: this kernel has none or it is switched off")
    known = handled(version)
    size = 8 if version < 4 else 16 if version < 6 else 24
    attributes = struct.pack("=QQQ", known, _TCP if seal_network else 0, _SCOPES)[:size]
    ruleset = call(_CREATE, "landlock ruleset", attributes, size, 0)
    try:
        exact = (plan.root, plan.temporary, *plan.writable) if plan.exact else ()
        for path, rights in dict.fromkeys(rules(plan)):
            _add(ruleset, path, rights & known, exact=path in exact)
        call(_RESTRICT, "landlock", ruleset, 0)
    finally:
        os.close(ruleset)


def _add(ruleset: int, path: str, rights: int, *, exact: bool = False) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # a missing path needs no right
    try:
        if exact and os.readlink(f"/proc/self/fd/{place}") != path:
            return  # it leads elsewhere now
        call(_ADD, "landlock rule", ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    except OSError as problem:
        if problem.errno != errno.EINVAL or rights == rights & _ON_FILES:
            raise OSError(problem.errno, f"{problem.strerror} ({path})") from None
        rule = struct.pack("=Qi", rights & _ON_FILES, place)  # not a folder
        call(_ADD, f"landlock rule for {path}", ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(place)
