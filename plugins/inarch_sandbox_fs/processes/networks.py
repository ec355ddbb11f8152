"""The network of a program that runs on: loopback of its own, which later programs can be run in, too."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import define, field

from inarch import Rights, ToolFailed
from inarch_confinement import Features

if TYPE_CHECKING:
    from inarch_egress import Egress

_PATIENCE_S = 20.0


@define(eq=False, repr=False)
class Network:
    """The namespaces of one program, which sends them once it has made them; they stay while this holds them."""

    _end: socket.socket = field(init=False)
    _gate: socket.socket = field(init=False)
    _held: tuple[int, ...] = field(init=False, default=())
    _is_closed: bool = field(init=False, default=False)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def __attrs_post_init__(self) -> None:
        self._end, self._gate = socket.socketpair()
        self._end.settimeout(_PATIENCE_S)

    @property
    def gate(self) -> int:
        """What the program is given to hand them over, a descriptor."""
        return self._gate.fileno()

    def handed(self) -> None:
        """Let go of the gate: the program has its own."""
        self._gate.close()

    def descriptors(self) -> tuple[int, ...]:
        """Return copies of the two for a program that is to join them; whoever asks closes them.

        Raises:
            ToolFailed: The program made none, or has ended.
        """
        with self._lock:
            if not self._held and not self._is_closed:
                self._held = self._received()
            if not self._held or self._is_closed:
                raise ToolFailed("not_found", "it has ended, and its network with it", "start it again")
            return tuple(os.dup(descriptor) for descriptor in self._held)

    def _received(self) -> tuple[int, ...]:
        try:
            _, found, _, _ = socket.recv_fds(self._end, 1, 2)
        except OSError:
            return ()
        for descriptor in found:
            os.set_inheritable(descriptor, False)
        return tuple(found)

    def close(self) -> None:
        """Let go of the namespaces, and of the gate where nobody was given it."""
        try:
            self._end.shutdown(socket.SHUT_RDWR)  # who waits for them waits no longer
        except OSError:
            pass
        with self._lock:
            self._is_closed = True
            for descriptor in self._held:
                os.close(descriptor)
            self._end.close()
            self._gate.close()


@contextmanager
def handed(egress: Egress | None, offers: Network | None, joins: Network | None) -> Iterator[tuple[int, ...]]:
    """Give the descriptors that a program is handed for its network, as long as it is being started.

    Raises:
        ToolFailed: What it is to join is gone.
    """
    if joins is not None:
        found = joins.descriptors()
        try:
            yield found
        finally:
            for descriptor in found:
                os.close(descriptor)
        return
    own = egress or offers
    yield () if own is None else (own.gate,)


def require_alone(rights: Rights, features: Features) -> None:
    """Refuse a program that is to have loopback of its own where there is none, or that may reach more.

    Raises:
        ToolFailed: `permission` or `validation`.
    """
    if not (features.namespaces and features.network_namespace):
        why = "; ".join(features.problems) or f"{features.architecture} has no network namespaces"
        raise ToolFailed(
            "permission", f"a process can't have a network of its own here: {why}; nothing was started",
            "`inarch doctor` says what there is; execute_command runs commands that end",
        )  # fmt: skip
    if rights.network or rights.hosts:
        raise ToolFailed("validation", "a process has loopback of its own, and may not be let reach any host")
