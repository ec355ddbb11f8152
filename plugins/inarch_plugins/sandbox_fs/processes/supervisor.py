"""Process that starts one command, waits for it, kills all its processes and reports the result.

Standard library only. Supervisor and child are forked ahead and wait for a request, so that a command does not wait for
forks. The command ends when the client closes its connection, which the kernel does when the client is killed.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import socket
import sys
import time
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

from inarch_lib.confinement import Plan, execute, prepare
from inarch_lib.confinement.descendants import become_subreaper, drain, kill_all, reap, wake_on_child
from inarch_plugins.sandbox_fs.processes import wire
from inarch_plugins.sandbox_fs.processes.cleanup import remove

REQUEST = 5
"""Descriptors of a request: its connection, standard input, output and error, and the working directory.

After them come each program's `gates`: one is the gate of its `Plan`, two are what it joins.
"""
_MOST_GATES = 128

_SET_PDEATHSIG = 1  # linux/prctl.h
_DEFAULTS = ("SIGPIPE", "SIGXFSZ", "SIGCHLD", "SIGINT", "SIGTERM", "SIGHUP")
MOST_DESCRIPTORS = 1 << 16
"""Higher than any open descriptor."""

_NOT_STARTED = 127
_REQUEST_S = 20.0
_MOST_SLEEP_S = 3600.0

_prctl = getattr(ctypes.CDLL(None), "prctl", lambda *_: None)


def while_alive(pid: int) -> int:
    """Return a descriptor that becomes readable once a process has ended, -1 if the system has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def stand_by(channel: socket.socket, taken: int, layers: frozenset[str], server: int, alive: int) -> None:
    """Wait for a request, run its command and report on it."""
    os.setsid()
    become_subreaper()
    _die_with_parent(server)
    wake = wake_on_child()
    ready = _child(layers, channel)
    _, descriptors, _, _ = socket.recv_fds(channel, 1, REQUEST + _MOST_GATES)
    if len(descriptors) < REQUEST:
        return  # the client is gone
    _prctl(_SET_PDEATHSIG, 0, 0, 0, 0)  # from here on the client ends it
    os.write(taken, pid_bytes(os.getpid()))
    channel.close()
    control = socket.socket(fileno=descriptors.pop(0))
    wire.send(control, {"accepted": os.getpid()})
    control.settimeout(_REQUEST_S)  # a process killed between the two, after a fork, leaves it open
    request = wire.receive(control)
    control.settimeout(None)
    if request is not None:
        wire.send(control, _run(control, wake, [ready], layers, request, descriptors, alive))


class Child(NamedTuple):
    """Process that waits to become a program, and the connection to it."""

    pid: int
    connection: socket.socket


def _child(layers: frozenset[str], mine: socket.socket) -> Child:
    """Fork a child that closes what only the supervisor needs."""
    ours, theirs = socket.socketpair()
    supervisor = os.getpid()
    pid = os.fork()
    if pid == 0:
        ours.close()
        mine.close()
        _become(theirs, layers, supervisor)
    theirs.close()
    return Child(pid, ours)


def _link(links: dict[str, str]) -> None:
    """Link the user's files that a program may read into its own home folder, which is still unused."""
    for name, path in links.items():
        os.makedirs(os.path.dirname(name), 0o700, exist_ok=True)
        os.symlink(path, name)


def pid_bytes(pid: int) -> bytes:
    """Return a process id as four bytes."""
    return pid.to_bytes(4, "little")


def _die_with_parent(parent: int) -> None:
    """Have the system kill this process when its parent ends."""
    _prctl(_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        raise ConnectionError


def _run(
    control: socket.socket,
    wake: int,
    children: list[Child],
    layers: frozenset[str],
    request: dict[str, Any],
    descriptors: list[int],
    alive: int,
) -> dict[str, Any]:
    """Let each child become its program; return when no process of them is left."""
    where, name = os.path.split(request["folders"][0])
    began = time.monotonic()
    ended: dict[int, int] = {}
    # Held open, because a path may lead elsewhere once the command has run: the temporary folder may be in a workspace.
    beside = -1
    try:
        beside = os.open(where, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for folder in request["folders"]:
            os.mkdir(os.path.relpath(folder, where), 0o700, dir_fd=beside)
        _link(request["links"])
        children += [_child(layers, control) for _ in request["programs"][1:]]
        _start(children, request["programs"], descriptors)
        timed_out = _wait(control, wake, {child.pid for child in children}, ended, began + request["timeout_s"], alive)
    except OSError as error:
        failed = f"{error.strerror}: {error.filename or 'its process'}"
        return {"errno": error.errno or 0, "failed": failed, "program": 0}
    finally:
        if sys.platform != "linux":  # elsewhere there are no subreapers
            for child in children:
                _kill_group(child.pid)
        if reap(ended):
            _hurry()
            kill_all(ended, wake)
        if beside >= 0:
            remove(beside, name)
            os.close(beside)
    outcomes = [_outcome(ended.get(child.pid, signal.SIGKILL), child.connection) for child in children]
    for number, outcome in enumerate(outcomes):
        if "failed" in outcome:
            return {**outcome, "program": number}
    return {"ended": outcomes, "timed_out": timed_out, "duration_s": time.monotonic() - began}


def _start(children: list[Child], programs: list[dict[str, Any]], descriptors: list[int]) -> None:
    """Send each child its program and descriptors, with a pipe between neighbors."""
    reading, output, errors, folder, *gates = descriptors
    nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    for child, program in zip(children, programs, strict=True):
        next_reading, writing = (-1, output) if child is children[-1] else os.pipe()
        targets = {"out": writing, "err": errors, "null": nowhere}
        gate = [gates.pop(0) for _ in range(program["gates"])]
        given = [reading, targets[program["output"]], targets[program["errors"]], folder, *gate]
        socket.send_fds(child.connection, [b"r"], given)
        for descriptor in (reading, writing, *gate):
            os.close(descriptor)
        reading = next_reading
        wire.send(child.connection, program)
    for descriptor in (errors, folder, nowhere):
        os.close(descriptor)


def _wait(
    control: socket.socket, wake: int, pids: set[int], ended: dict[int, int], deadline: float, alive: int
) -> bool:
    """Wait until the programs have ended, the client is gone or their time is up; return whether it is the last."""
    poller = select.poll()
    for descriptor in (control.fileno(), wake, *((alive,) if alive >= 0 else ())):
        poller.register(descriptor, select.POLLIN)
    while (remaining := deadline - time.monotonic()) > 0:
        for descriptor, _ in poller.poll(int(min(remaining, _MOST_SLEEP_S) * 1000) + 1):
            if descriptor != wake:
                return False
            drain(wake)
            reap(ended)
        if pids <= ended.keys():
            return False
    return True


def _hurry() -> None:
    """Get priority over the processes to be killed, possibly thousands, if that is allowed."""
    if hasattr(os, "sched_setscheduler"):
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        except OSError:
            pass


def _outcome(status: int, child: socket.socket) -> dict[str, Any]:
    child.setblocking(False)  # the process that still holds the other end is not ours
    try:
        number, _, text = child.recv(1 << 16).decode("utf-8", "replace").partition(" ")
    except (BlockingIOError, ConnectionError):
        number = ""
    if number:
        return {"errno": int(number), "failed": text}
    if os.WIFSIGNALED(status):
        return {"signal": os.WTERMSIG(status), "exit_code": None}
    return {"signal": 0, "exit_code": os.WEXITSTATUS(status)}


def _kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _execute(request: dict[str, Any]) -> None:
    plan = Plan(**{**request["plan"], "layers": frozenset(request["plan"]["layers"])})
    if plan.layers:
        execute(plan, request["argv"], request["env"])
    try:
        os.execve(plan.program, request["argv"], request["env"])
    except OSError as error:
        raise OSError(error.errno, f"execve: {error.strerror}") from None


def _become(parent: socket.socket, layers: frozenset[str], supervisor: int) -> NoReturn:
    """Wait for a request and become its command."""
    try:
        os.setsid()
        _die_with_parent(supervisor)
        signal.set_wakeup_fd(-1)
        for name in _DEFAULTS:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        prepare(Plan(root="/", program="/", layers=layers))  # touched now, so that it is not copied later
        _, descriptors, _, _ = socket.recv_fds(parent, 1, REQUEST + 1)
        request = wire.receive(parent) if descriptors else None
        if request is not None:
            os.fchdir(descriptors[3])
            for target, descriptor in enumerate(descriptors[:3]):
                os.dup2(descriptor, target)
            gate = descriptors[4:]
            for below, above in pairwise((2, *sorted((parent.fileno(), *gate)), MOST_DESCRIPTORS)):
                os.closerange(below + 1, above)
            if len(gate) == 1:
                (request["plan"]["gate"],) = gate
            request["plan"]["joins"] = tuple(gate) if len(gate) > 1 else ()
            _execute(request)
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        parent.send(f"{error.errno or 0} {error.strerror or error}{where}".encode("utf-8", "replace"))
    finally:
        os._exit(_NOT_STARTED)
