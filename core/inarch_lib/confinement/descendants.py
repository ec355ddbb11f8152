"""Search and termination of everything that a process started: standard library only.

The process must be a child subreaper (Linux). Orphans become its children, so no descendant escapes by forking twice or
by a session of its own. On other systems only process groups can be killed.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
from collections.abc import Callable

_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_PAUSE_MS = 20  # between two checks of killed processes that have not ended yet


def become_subreaper() -> None:
    """Become the parent of orphaned descendants, if the system supports it."""
    getattr(ctypes.CDLL(None), "prctl", lambda *_: None)(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wake_on_child() -> int:
    """Return a descriptor that becomes readable whenever a child has ended."""
    readable, writable = os.pipe()
    os.set_blocking(readable, False)
    os.set_blocking(writable, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    return readable


def reap(ended: dict[int, int]) -> bool:
    """Collect the status of each ended child; return whether any child is left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        ended[pid] = status


def kill_all(ended: dict[int, int], wake: int, spared: frozenset[int] = frozenset()) -> None:
    """Kill and reap children and their descendants until only the spared ones are left.

    All are stopped before any is killed. A killed process frees its slot under a limit for one more fork, a stopped one
    does not. A signal to a process group reaches all of it at once, including a fork in progress. So this also ends a
    fork bomb.

    Args:
        ended: Filled with the status of each child.
        wake: A descriptor that becomes readable once a child has ended.
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
    children = _table()
    pending = [os.getpid()]
    while pending:
        for pid in children.get(pending.pop(), ()):
            if pid in spared:
                continue
            if pid not in stopped:
                stopped.add(pid)
                found = True
                _stop(pid, groups)
            pending.append(pid)
    return found


def _stop(pid: int, groups: set[int]) -> None:
    """Stop a process, and for the first of a group the whole group."""
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
    """Send a signal to a process or a group, if it still exists and is ours."""
    try:
        send(target, number)
    except (ProcessLookupError, PermissionError):
        pass


def _table() -> dict[int, list[int]]:
    """Return the children of all processes."""
    children: dict[int, list[int]] = {}
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return {}
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                # The name, in brackets, may hold anything; the parent is the second word after it.
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(pid)
    return children
