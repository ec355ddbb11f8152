"""Network of a program: loopback of its own, which others can join, or a proxy to granted hosts."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch import Rights, ToolFailed
from inarch_lib.confinement import Features

if TYPE_CHECKING:
    from inarch_lib.egress import Egress


_PATIENCE_S = 20.0


@define(eq=False, repr=False)
class Network:
    """Namespaces of one program, which sends them once it has made them; they exist while this object holds them."""

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
        """Return the descriptor through which the program sends them."""
        return self._gate.fileno()

    def handed(self) -> None:
        """Close the gate: the program has its own copy."""
        self._gate.close()

    def descriptors(self) -> tuple[int, ...]:
        """Return copies of both descriptors for a program that joins them; the caller closes them."""
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
        """Close the namespaces, and the gate if it was not handed over."""
        try:
            self._end.shutdown(socket.SHUT_RDWR)  # a waiting caller stops waiting
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
    """Yield the descriptors for a program's network while it is being started."""
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
    """Refuse a loopback-only program if the system cannot provide it, or if the program may reach more."""
    _require_namespaces(features, "a process can't have a network of its own", "execute_command runs commands that end")
    if rights.network or rights.hosts:
        raise ToolFailed("validation", "a process has loopback of its own, and may not be let reach any host")


@contextmanager
def reaching(rights: Rights, features: Features) -> Iterator[Egress | None]:
    """Yield a program's proxy while it runs, or None if its hosts are not limited."""
    if not rights.hosts or rights.network:
        yield None
        return
    _require_namespaces(features, "a program can't be held to hosts", "network = true grants the whole network instead")
    from inarch_lib.egress import Egress

    try:
        egress = Egress(rights.hosts)
    except (OSError, ValueError) as error:
        raise ToolFailed("execution", f"the proxy to {', '.join(rights.hosts)} can't be started: {error}") from None
    try:
        yield egress
    finally:
        egress.close()


def network_notes(egress: Egress | None, ended: dict[str, Any]) -> tuple[str, ...]:
    """Return the notes about the network of an ended program."""
    if egress is None:
        return ()
    egress.close()
    return tuple(egress.told("this command", failed=ended["exit_code"] != 0))


def _require_namespaces(features: Features, what: str, instead: str) -> None:
    if features.namespaces and features.network_namespace:
        return
    why = "; ".join(features.problems) or f"{features.architecture} has no network namespaces"
    raise ToolFailed(
        "permission", f"{what} here: {why}; nothing was started", f"`inarch doctor` says what there is; {instead}"
    )
