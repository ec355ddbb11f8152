"""Namespaces: a view of the file system with only the plan's paths, and a network of loopback alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .kernel import function
from .plan import Plan
from .privileges import may_administer
from .view import show

if TYPE_CHECKING:
    import socket

NEW_MOUNTS, _NEW_IPC, _NEW_USER, _NEW_NETWORK = 0x00020000, 0x08000000, 0x10000000, 0x40000000
_SET_FLAGS, _UP = 0x8914, 1

PROXY = ("127.0.0.1", 61080)
"""Address of a proxy in a network namespace; the port is above those that the system assigns by itself."""
_WAITING = 128  # connections that are not accepted yet


def enter(plan: Plan) -> None:
    """Move the calling process into namespaces of its own.

    A user who may not administer the machine needs a user namespace first, in which exactly that user exists.
    """
    here = os.getcwd()
    if plan.joins:
        join(*plan.joins)
    makes_network = plan.own_network and not plan.joins
    separate(NEW_MOUNTS | _NEW_IPC | (_NEW_NETWORK if makes_network else 0))
    if makes_network:
        _furnish(plan)
    show(plan)
    os.chdir(here)  # the old folder belongs to the old mounts


def enter_network(plan: Plan) -> None:
    """Move the calling process into a network namespace, its own or a joined one, and nothing else."""
    if plan.joins:
        join(*plan.joins)
        return
    separate(_NEW_NETWORK)
    _furnish(plan)


def join(user: int, network: int) -> None:
    """Move the calling process into a network namespace, and before that into its owning user namespace."""
    if not os.path.samestat(os.fstat(user), os.stat("/proc/self/ns/user")):  # an administrator makes none
        function("setns", "user namespace of the process", user, 0)
    function("setns", "network namespace of the process", network, 0)
    os.close(user)
    os.close(network)


def separate(kinds: int) -> None:
    """Make the namespaces."""
    user, group, own = os.geteuid(), os.getegid(), not may_administer()
    function("unshare", "namespaces", kinds | (_NEW_USER if own else 0))
    if own:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")


def _write(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def _furnish(plan: Plan) -> None:
    """Bring up loopback, and send the proxy's socket: a socket stays in the namespace in which it was made."""
    _raise_loopback()
    if plan.gate < 0:
        return
    import socket

    with socket.socket(fileno=plan.gate) as end:
        if plan.offers:
            _offer(plan, end)
            return
        with socket.create_server(PROXY, backlog=_WAITING) as listener:
            try:
                socket.send_fds(end, [b"g"], [listener.fileno()], socket.MSG_NOSIGNAL)
            except BrokenPipeError as problem:
                raise OSError(problem.errno, "the proxy to the granted hosts has ended") from None


def _offer(plan: Plan, end: socket.socket) -> None:
    """Send the namespaces: unlike a process id, their descriptor always means the same ones."""
    import socket

    names = ("net/snmp",) if plan.overlay else ("ns/user", "ns/net")
    kinds = [os.open(f"/proc/self/{name}", os.O_RDONLY | os.O_CLOEXEC) for name in names]
    try:
        socket.send_fds(end, [b"n"], kinds, socket.MSG_NOSIGNAL)
    except BrokenPipeError as problem:
        raise OSError(problem.errno, "nothing waits for the process any more") from None
    finally:
        for kind in kinds:
            os.close(kind)


def _raise_loopback() -> None:
    """Bring up `lo`, so that servers and clients of a test find each other."""
    import fcntl
    import struct

    link = function("socket", "network namespace", 2, 2, 0)
    try:
        fcntl.ioctl(link, _SET_FLAGS, struct.pack("16sH22x", b"lo", _UP))
    finally:
        os.close(link)
