"""Fork server, which always has one supervisor waiting for the next request. Standard library only.

It is its own process for two reasons. Changing a child between fork and exec is unsafe in a process with threads, and a
small process forks fast.
"""

from __future__ import annotations

import array
import fcntl
import gc
import os
import resource
import select
import signal
import socket
import time

from inarch_lib.confinement import Features, Plan, features, layers_of, prepare
from inarch_lib.confinement.descendants import become_subreaper, drain, kill_all, reap, wake_on_child
from inarch_plugins.sandbox_fs.processes import wire
from inarch_plugins.sandbox_fs.processes.confinement_trial import tried
from inarch_plugins.sandbox_fs.processes.supervisor import MOST_DESCRIPTORS, stand_by, while_alive

USED_BY_CHILDREN = (array, fcntl, resource)
"""Imported once here instead of in each child."""

_START_S = 60
_PAUSE_S = 0.05  # before another supervisor is made if that failed


def main(client: int) -> None:
    """Serve the connection at descriptor 0 until its other end is closed or the client has ended.

    Both are checked, because a process that the client forked also holds the other end while it lives.
    """
    signal.alarm(_START_S)  # during a trial the kernel may block this process, and it would not see an end
    channel = socket.socket(fileno=os.dup(0))
    os.closerange(3, channel.fileno())
    os.closerange(channel.fileno() + 1, MOST_DESCRIPTORS)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    os.chdir("/")
    become_subreaper()
    wake = wake_on_child()
    alive = while_alive(client)
    found = features()
    wire.send(channel, {"features": tuple(found), "reached": _try(found)})
    layers = _make_filters(found)
    gc.collect()
    gc.freeze()  # what is here now stays: forked children do not touch its pages
    signal.alarm(0)
    if os.getppid() == client:
        Server(channel, wake, layers, alive).serve()


def _try(found: Features) -> tuple[tuple[str, ...], ...] | None:
    """Return what confined programs reach here, None if that cannot be tried."""
    try:
        return tuple(map(tuple, tried(found))) if found.landlock else None
    except OSError:
        return None


def _make_filters(found: Features) -> frozenset[str]:
    """Build the usual filters, which all children share; return the available layers."""
    layers = frozenset(layers_of(found))
    for changed in ((), ("/",)):
        try:
            prepare(Plan(root="/", program="/", writable=changed, executable=changed, layers=layers))
        except OSError:
            break  # the child of each command reports the reason
    return layers


class Server:
    """Loop that makes supervisors and cleans up after them."""

    def __init__(self, channel: socket.socket, wake: int, layers: frozenset[str], alive: int) -> None:
        self.channel = channel
        self.wake = wake
        self.layers = layers
        self.alive = alive
        self.supervisors: set[int] = set()
        self.spare = 0
        self.taken, self.take = os.pipe()
        os.set_blocking(self.taken, False)

    def serve(self) -> None:
        """Keep a supervisor waiting until the client is gone, then wait until all have ended."""
        poller = select.poll()
        for descriptor in (self.wake, self.taken):
            poller.register(descriptor, select.POLLIN)
        poller.register(self.channel, 0)  # closing of the other end is reported in any case
        if self.alive >= 0:
            poller.register(self.alive, select.POLLIN)
        serving = True
        while serving or self.supervisors:
            lacking = serving and not self.spare
            if lacking:
                self._fork()
            for descriptor, event in poller.poll(0 if lacking else None):
                if descriptor == self.wake:
                    drain(self.wake)
                    self._look_after()
                elif descriptor == self.taken:
                    self._note_taken()
                elif descriptor == self.alive:
                    poller.unregister(self.alive)
                    serving = False
                    self._send_home()
                elif event & select.POLLHUP:
                    serving = False
                    poller.unregister(self.channel)

    def _send_home(self) -> None:
        """End the supervisor that waits for a request; one with a command notices itself that the client is gone."""
        if self.spare:
            os.kill(self.spare, signal.SIGKILL)

    def _fork(self) -> None:
        server = os.getpid()
        try:
            pid = os.fork()
        except OSError:
            time.sleep(_PAUSE_S)
            return
        if pid == 0:
            self._supervise(server)
        self.supervisors.add(pid)
        self.spare = pid

    def _supervise(self, server: int) -> None:
        code = 1
        try:
            stand_by(self.channel, self.take, self.layers, server, self.alive)
            code = 0
        except ConnectionError:
            code = 0  # the client is gone; everything else has been done
        finally:
            os._exit(code)

    def _note_taken(self) -> None:
        try:
            data = os.read(self.taken, 4096)
        except BlockingIOError:
            return
        if self.spare in {int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)}:
            self.spare = 0

    def _look_after(self) -> None:
        """Reap supervisors, and kill what a killed supervisor left."""
        ended: dict[int, int] = {}
        some_left = reap(ended)
        all_well = ended.keys() <= self.supervisors and not any(ended.values())
        self.supervisors -= ended.keys()
        if some_left and not all_well:
            kill_all(ended, self.wake, frozenset(self.supervisors))
            self.supervisors -= ended.keys()  # one may end meanwhile, and nothing reports it again
        self._note_taken()
        if self.spare in ended:  # it never had a request: no hurry to make the next one
            self.spare = 0
            time.sleep(_PAUSE_S)
