"""Trial of what confined programs can reach on this machine, made once by the fork server: standard library only.

The available layers say what should hold. This module tests what does hold: a child applies the layers of a command to
itself and tries to reach prepared targets outside its workspace.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from inarch_lib.confinement import Features, Plan, confine, layers_of
from inarch_plugins.sandbox_fs.processes.cleanup import remove

PROMISES = ("files", "network", "processes", "devices")
"""Targets that are tried, in the user's words."""
READER, BUILD = "a program that only reads", "a build"
"""The two kinds of programs."""
SIGNALS = "sends signals to other programs"
"""Attempt that succeeds before Landlock 6; it is reported, and lowers no level."""

_DEVICES = ("mem", "kmsg", "kvm", "fuse", "net/tun", "sda", "vda", "nvme0n1", "mapper/control")
_PLACES = ("/tmp", "/var/tmp", "/dev/shm")
_PATIENCE_S, _MOST_S = 2.0, 20


class Reached(NamedTuple):
    """Something that was reached although it should not have been."""

    kind: str
    promise: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind} {self.what}"


class Bait(NamedTuple):
    """Targets of the trial: `root` and `outside` are folders, `process` is one in the namespace `processes`."""

    root: str
    outside: str
    port: int
    datagrams: int
    abstract: str
    process: int
    processes: str
    devices: tuple[str, ...]


def tried(found: Features) -> tuple[Reached, ...]:
    """Return what confined programs reach here; the trial leaves nothing behind."""
    with _place() as folder, _listening(folder) as (bait, heard):
        reached: list[Reached] = []
        for kind, plan in _plans(bait, found):
            names = _in_child(plan, bait)
            names += [name for name, has in heard.items() if has()]
            reached += [Reached(kind, *_WORDS[name]) for name in _WORDS if name in names]
        return tuple(reached)


def _plans(bait: Bait, found: Features) -> Iterator[tuple[str, Plan]]:
    root, temporary = bait.root, f"{bait.root}-temporary"
    plan = Plan(root=root, program=os.path.realpath("/proc/self/exe"), temporary=temporary, layers=layers_of(found))
    yield READER, plan
    yield BUILD, plan._replace(writable=(root,), executable=(root,))


@contextmanager
def _place() -> Iterator[str]:
    where = next((path for path in _PLACES if os.access(path, os.W_OK)), _PLACES[0])
    name = f"inarch-trial-{os.urandom(8).hex()}"
    above = os.open(where, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.mkdir(name, 0o700, dir_fd=above)
        yield f"{where}/{name}"
    finally:
        remove(above, name)
        os.close(above)


@contextmanager
def _listening(folder: str) -> Iterator[tuple[Bait, dict[str, Callable[[], bool]]]]:
    """Make files and listen on sockets; yield the targets, and for each socket whether a message has come."""
    for name in ("root", "root-temporary", "outside"):
        os.mkdir(f"{folder}/{name}", 0o700)
    for path in ("root/inside", "outside/kept", "outside/removed"):
        os.close(os.open(f"{folder}/{path}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    kinds: dict[str, tuple[int, int, Any]] = {
        "connect": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        "datagram": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        "named": (socket.AF_UNIX, socket.SOCK_STREAM, f"{folder}/outside/socket"),
        "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{os.path.basename(folder)}"),
    }
    sockets = {name: socket.socket(family, kind) for name, (family, kind, _) in kinds.items()}
    try:
        for name, end in sockets.items():
            end.bind(kinds[name][2])
            end.setblocking(False)
            if name != "datagram":
                end.listen()
        port, datagrams = (sockets[name].getsockname()[1] for name in ("connect", "datagram"))
        devices = tuple(path for path in (f"/dev/{name}" for name in _DEVICES) if os.access(path, os.R_OK))
        space = os.readlink("/proc/self/ns/pid")
        bait = Bait(
            f"{folder}/root",
            f"{folder}/outside",
            port,
            datagrams,
            os.path.basename(folder),
            os.getpid(),
            space,
            devices,
        )
        yield bait, {name: lambda name=name, end=end: _has_come(name, end) for name, end in sockets.items()}  # type: ignore[misc]
    finally:
        for end in sockets.values():
            end.close()


def _has_come(name: str, end: socket.socket) -> bool:
    try:
        if name == "datagram":
            end.recv(1)
        else:
            end.accept()[0].close()
    except OSError:
        return False
    return True


def _in_child(plan: Plan, bait: Bait) -> list[str]:
    """Return the names of the attempts that succeeded in a child with the layers of a plan."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            signal.alarm(_MOST_S)  # nothing else would end it if the kernel keeps it waiting
            os.chdir(plan.root)
            if plan.layers:
                confine(plan)
            os.write(writer, " ".join(done(bait, plan.alone)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as report:
        names = report.read().decode().split()
    os.waitpid(pid, 0)
    return names


def done(bait: Bait, reads: bool) -> Iterator[str]:
    """Make the attempts, and yield the names of those that succeeded as far as this process can see."""
    for name, attempt in {**_ATTEMPTS, **(_ON_ITS_OWN if reads else {})}.items():
        try:
            attempt(bait)
        except OSError:
            continue
        yield name


def _open(path: str, flags: int) -> None:
    os.close(os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o600))


def _reach(family: int, kind: int, address: tuple[str, int] | str) -> None:
    """Send something; only the other end knows whether it arrived."""
    with socket.socket(family, kind) as end:
        end.settimeout(_PATIENCE_S)
        if kind == socket.SOCK_DGRAM:
            end.sendto(b"x", address)
        else:
            end.connect(address)
    raise PermissionError


def _process(bait: Bait) -> int:
    if os.readlink("/proc/self/ns/pid") != bait.processes:
        raise PermissionError  # there the number is another process's
    return bait.process


def _devices(bait: Bait) -> None:
    for path in bait.devices:
        with suppress(OSError):
            _open(path, os.O_RDONLY)
            return
    raise PermissionError


_ATTEMPTS: dict[str, Callable[[Bait], object]] = {
    "read": lambda bait: _open(f"{bait.outside}/kept", os.O_RDONLY),
    "write": lambda bait: _open(f"{bait.outside}/kept", os.O_WRONLY),
    "make": lambda bait: _open(f"{bait.outside}/made", os.O_WRONLY | os.O_CREAT),
    "remove": lambda bait: os.unlink(f"{bait.outside}/removed"),
    "mode": lambda bait: os.chmod(f"{bait.outside}/kept", 0o600),
    "time": lambda bait: os.utime(f"{bait.outside}/kept"),
    "connect": lambda bait: _reach(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", bait.port)),
    "datagram": lambda bait: _reach(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", bait.datagrams)),
    "named": lambda bait: _reach(socket.AF_UNIX, socket.SOCK_STREAM, f"{bait.outside}/socket"),
    "abstract": lambda bait: _reach(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{bait.abstract}"),
    "environment": lambda bait: _open(f"/proc/{_process(bait)}/environ", os.O_RDONLY),
    "memory": lambda bait: _open(f"/proc/{_process(bait)}/mem", os.O_RDONLY),
    "signals": lambda bait: os.kill(_process(bait), 0),
    "devices": _devices,
}
_ON_ITS_OWN: dict[str, Callable[[Bait], object]] = {
    "write-inside": lambda bait: _open(f"{bait.root}/inside", os.O_WRONLY),
    "mode-inside": lambda bait: os.chmod(f"{bait.root}/inside", 0o600),
}
_WORDS = {
    "read": ("files", "reads files outside the workspace"),
    "write": ("files", "writes files outside the workspace"),
    "make": ("files", "makes files outside the workspace"),
    "remove": ("files", "removes files outside the workspace"),
    "mode": ("files", "changes permissions outside the workspace"),
    "time": ("files", "changes times outside the workspace"),
    "write-inside": ("files", "writes files of the workspace"),
    "mode-inside": ("files", "changes permissions in the workspace"),
    "connect": ("network", "connects to servers"),
    "datagram": ("network", "sends datagrams to other programs"),
    "named": ("network", "connects to other programs' Unix sockets"),
    "abstract": ("network", "connects to other programs' abstract sockets"),
    "environment": ("processes", "reads the environment of other programs"),
    "memory": ("processes", "reads the memory of other programs"),
    "signals": ("processes", SIGNALS),
    "devices": ("devices", "opens devices of the machine"),
}
