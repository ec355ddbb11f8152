"""File system view of a process in its own mount namespace: a new root, filled by a positive list.

A path outside of it cannot be named, so no other socket or file can be reached, whatever its permissions.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .kernel import call, function, machine
from .overlay import cover
from .plan import Plan
from .system_paths import PRIVATE, SHOWN, loader_of

_OPEN_TREE, _MOVE_MOUNT, _SET_ATTRIBUTES = 428, 429, 442  # the same on every architecture
_PIVOT_ROOT = {"x86_64": 155}  # 41 on newer architectures
_HERE, _EMPTY_PATH, _RECURSIVE, _CLONE = -100, 0x1000, 0x8000, 1
_FROM_DESCRIPTOR = 0x4
_PRIVATE, _DETACH = 1 << 18, 2
_NO_SUID, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8
_READ_ONLY = 1
_MAX_LINKS = 40  # as the kernel counts
_STAGE = b"/proc"  # every system has this folder; covered only until the new root is entered


class Part(NamedTuple):
    """Shown subtree or file of the machine."""

    path: str
    attributes: int
    tree: int


def show(plan: Plan) -> None:
    """Make the view the calling process's root; the process must be alone in its mount namespace."""
    set_private()
    links: dict[str, str] = {}
    parts = sorted(_parts(plan, links), key=lambda part: part.path.count("/"))
    function("mount", "new root", b"tmpfs", _STAGE, b"tmpfs", _NO_SUID | _NO_DEVICES, b"mode=755,size=1g")
    os.chdir(_STAGE)
    for part in parts:
        _place(part)
    for path, target in links.items():
        if target:
            _link(path[1:], target)
    _fill_devices()
    _turn_over()


def _parts(plan: Plan, links: dict[str, str]) -> Iterator[Part]:
    data = _NO_SUID | _NO_DEVICES | (_NO_PROGRAMS if plan.alone else 0)
    shown: list[str] = []
    writable = [_real(path, links) for path in (*plan.writable, plan.temporary) if path]
    for path in (plan.root, plan.temporary, *plan.writable) if plan.exact else ():
        _require_same(path, _real(path, links) if path else path)
    for path in filter(os.path.exists, dict.fromkeys(writable)):
        yield Part(path, data, _tree(plan, path))
    shown += writable
    for path in PRIVATE:
        if not _covered(path, shown):
            yield Part(path, _NO_SUID | _NO_DEVICES, -1)
    read = [(plan.root, data), *((path, _NO_SUID) for path in SHOWN)]
    read += [(path, _NO_SUID | _NO_DEVICES) for path in (*plan.executable, plan.program, loader_of(plan.program))]
    read += [(path, _NO_SUID | _NO_DEVICES) for path in (*plan.readable, "/etc/resolv.conf" if plan.network else "")]
    for named, attributes in sorted(read, key=lambda item: item[0].count("/")):
        path = _real(named, links) if named else ""
        if path and os.path.exists(path) and not _covered(path, shown):
            yield Part(path, attributes | _READ_ONLY, _tree(plan, path))
            shown.append(path)
    for named in plan.protected:
        path = os.path.join(os.path.realpath(os.path.dirname(named)), os.path.basename(named))
        if os.path.exists(path) and not os.path.islink(path):  # a link itself can't be covered
            yield Part(path, data | _READ_ONLY, copy_of(path))
    for named in plan.masked:
        path = os.path.join(os.path.realpath(os.path.dirname(named)), os.path.basename(named))
        if os.path.lexists(path):
            yield Part(path, data | _READ_ONLY, copy_of("/dev/null"))


def _require_same(path: str, real: str) -> None:
    """Refuse a path into which a link has come since it was checked."""
    if path != real:
        raise OSError(errno.ESTALE, f"{path} now leads elsewhere")


def _covered(path: str, shown: Iterable[str]) -> bool:
    return any(path == above or path.startswith(above.rstrip("/") + "/") for above in shown)


def _real(path: str, links: dict[str, str]) -> str:
    """Return the real path; record in `links` each link on the way, so that the given path works too."""
    real, todo, left = "", path.split("/")[::-1], _MAX_LINKS
    while todo:
        name = todo.pop()
        if name == "..":
            real = os.path.dirname(real)
        if name in ("", ".", ".."):
            continue
        here = f"{real}/{name}".replace("//", "/")
        target = links[here] if here in links else links.setdefault(here, _target(here))
        if not target or not left:
            real = here
            continue
        left -= 1
        real = "" if target[0] == "/" else real
        todo += target.split("/")[::-1]
    return real or "/"


def _target(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _tree(plan: Plan, path: str) -> int:
    """Return a detached copy of a subtree, or the cover of the workspace."""
    if not plan.overlay or path != plan.root:
        return copy_of(path)
    place = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _require_same(path, os.readlink(f"/proc/self/fd/{place}"))
        return cover(place, plan.overlay, writable=bool(plan.writable))
    finally:
        os.close(place)


def copy_of(path: str) -> int:
    """Return a detached copy of a subtree or file."""
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        _require_same(path, os.readlink(f"/proc/self/fd/{place}"))
        flags = _CLONE | _RECURSIVE | _EMPTY_PATH | os.O_CLOEXEC
        return call(_OPEN_TREE, f"view of {path}", place, b"", flags)
    finally:
        os.close(place)


def set_private() -> None:
    """Keep the calling process's later mounts from all other namespaces."""
    _set(_HERE, b"/", 0, propagation=_PRIVATE)


def place_at(tree: int, path: str, *, read_only: bool = False) -> None:
    """Mount a detached tree over an existing folder, and close its descriptor."""
    try:
        _set(tree, b"", _EMPTY_PATH | _RECURSIVE, _NO_SUID | _NO_DEVICES | (_READ_ONLY if read_only else 0))
        call(_MOVE_MOUNT, f"mount at {path}", tree, b"", _HERE, os.fsencode(path), _FROM_DESCRIPTOR)
    finally:
        os.close(tree)


def _place(part: Part) -> None:
    name = part.path[1:]
    if part.tree < 0:
        os.makedirs(name, exist_ok=True)
        os.chmod(name, 0o1777)
        tree = call(_OPEN_TREE, f"view of {part.path}", _HERE, os.fsencode(name), _CLONE | os.O_CLOEXEC)
    else:
        tree = part.tree
        _make_place(name, stat.S_ISDIR(os.fstat(tree).st_mode))
    _set(tree, b"", _EMPTY_PATH | _RECURSIVE, part.attributes)
    call(_MOVE_MOUNT, f"view of {part.path}", tree, b"", _HERE, os.fsencode(name), _FROM_DESCRIPTOR)
    os.close(tree)


def _make_place(name: str, folder: bool) -> None:
    if os.path.lexists(name):
        return
    os.makedirs(name if folder else os.path.dirname(name), exist_ok=True)
    if not folder:
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def _link(name: str, target: str) -> None:
    """Recreate a symbolic link of the machine, unless a shown part contains it."""
    try:
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        os.symlink(target, name)
    except OSError:
        pass  # it exists inside a shown part


def _fill_devices() -> None:
    """Add its own terminals and the usual links."""
    os.makedirs("dev/pts", exist_ok=True)
    function("mount", "terminals", b"devpts", b"dev/pts", b"devpts", 0, b"newinstance,ptmxmode=0666,mode=620")
    names = {"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
    for name, target in names.items():
        os.symlink(target, "dev/" + name)


def _turn_over() -> None:
    """Enter the new root, read-only itself, and release the old one."""
    os.chdir(_STAGE)
    call(_PIVOT_ROOT.get(machine(), 41), "new root", b".", b".")
    function("umount2", "old root", b".", _DETACH)
    os.chdir("/")
    _set(_HERE, b"/", 0, _READ_ONLY | _NO_SUID | _NO_DEVICES)


def _set(place: int, path: bytes, flags: int, attributes: int = 0, propagation: int = 0) -> None:
    wanted = struct.pack("=QQQQ", attributes, 0, propagation, 0)
    recursive = flags | (_RECURSIVE if propagation else 0)
    call(_SET_ATTRIBUTES, "mount attributes", place, path, recursive, wanted, len(wanted))
