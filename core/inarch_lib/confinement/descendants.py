"""Find and kill everything a process started: standard library only.

The process has to be a child subreaper (Linux): what loses its parent becomes its child, so nobody gets away by
forking twice or by a session of its own. Elsewhere only process groups can be killed.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
from collections.abc import Callable

_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_PAUSE_MS = 20  # between two looks at processes that were killed but have not gone yet


def become_subreaper() -> None:
    """Become the parent of descendants that lose theirs, if the system knows such a thing."""
    getattr(ctypes.CDLL(None), "prctl", lambda *_: None)(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wake_on_child() -> int:
    """Return a descriptor that can be read whenever a child has ended."""
    readable, writable = os.pipe()
    os.set_blocking(readable, False)
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    return readable


def reap(ended: dict[int, int]) -> bool:
    """Take the status of each child that has ended; return whether any child is left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        ended[pid] = status


def kill_all(ended: dict[int, int], wake: int, spared: frozenset[int] = frozenset()) -> None:
    """Kill and reap children and their descendants until there are none but the spared.

    All are stopped before any is killed: a killed process frees its place under a limit for one more fork, a stopped
    one does not. A signal to a process group reaches all of it at once, also what is just being forked, so this ends
    with a fork bomb, too.

    Args:
        ended: Filled with the status of each child.
        wake: A descriptor that can be read once a child has ended.
        spared: Children that stay, with all they started.
    """
    poller = select.poll()
    poller.register(wake, select.POLLIN)
    while reap(ended):
        found = stop_all(spared)
        if not found and spared:
            return
        for pid in found:
            send_signal(os.kill, pid, signal.SIGKILL)
        if poller.poll(_PAUSE_MS):
            drain(wake)


def stop_all(spared: frozenset[int] = frozenset()) -> set[int]:
    """Stop all descendants but the spared ones and theirs; return them."""
    stopped: set[int] = set()
    groups = {os.getpgrp()}
    while _stop_new(stopped, groups, spared):
        pass
    return stopped


def drain(wake: int) -> None:
    """Empty a pipe that only wakes."""
    try:
        while os.read(wake, 512):
            pass
    except BlockingIOError:
        pass


def _stop_new(stopped: set[int], groups: set[int], spared: frozenset[int]) -> bool:
    """Stop descendants that were not stopped yet, parents before children; return whether there were any."""
    found = False
    children_of = _ways_to_look()
    pending = [os.getpid()]
    while pending:
        for pid in children_of(pending.pop()):
            if pid in spared:
                continue
            if pid not in stopped:
                stopped.add(pid)
                found = True
                _stop(pid, groups)
            pending.append(pid)
    return found


def _stop(pid: int, groups: set[int]) -> None:
    """Stop a process, and with the first of a group all of it."""
    try:
        group = os.getpgid(pid)
    except ProcessLookupError:
        return
    if group in groups:
        send_signal(os.kill, pid, signal.SIGSTOP)
    else:
        groups.add(group)
        send_signal(os.killpg, group, signal.SIGSTOP)


def send_signal(send: Callable[[int, int], None], target: int, number: int) -> None:
    """Send a signal to a process or a group, if it is still there and ours."""
    try:
        send(target, number)
    except (ProcessLookupError, PermissionError):
        pass


def _ways_to_look() -> Callable[[int], list[int]]:
    if os.path.exists(f"/proc/self/task/{os.getpid()}/children"):
        return _listed_children
    table = _table()  # a kernel without lists of children: all processes are looked at
    return lambda pid: table.get(pid, [])


def _listed_children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    except OSError:
        pass  # gone while we looked: its children are found where they went
    return found


def _table() -> dict[int, list[int]]:
    children: dict[int, list[int]] = {}
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return {}
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                # The name, in brackets, may hold anything; the parent is the second word behind it.
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(pid)
    return children
