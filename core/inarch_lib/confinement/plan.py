"""Rights of a confined program, and the features of this machine."""

from __future__ import annotations

from typing import NamedTuple

ALL_LAYERS = frozenset({"landlock", "seccomp", "namespaces", "limits", "privileges"})


class Plan(NamedTuple):
    """Everything a child needs to confine itself; every path is absolute and was checked by the client.

    Args:
        root: The workspace.
        program: The program's path.
        writable: Files and subtrees it may change.
        protected: Existing paths below `writable` that stay read-only.
        masked: Existing files below `root` that appear empty, if the plan gets a view.
        readable: Files and subtrees outside the workspace that it may read.
        executable: Files and subtrees whose programs it may start; empty: `program` alone, once.
        network: Whether it may use the network.
        temporary: A private writable folder, or `""`.
        memory_bytes: Maximum private memory of one process; 0 for no limit, as in the next three.
        processes: Maximum concurrent processes, if a user namespace counts them.
        file_bytes: Maximum size of a written file.
        cpu_seconds: Maximum processor time of one process.
        layers: The active ones of `ALL_LAYERS`.
        starts: Whether it may make processes or become another program at all.
        exact: Whether `root`, `temporary` and the paths of `writable` give no right if a link has come into them.
        gate: A connected Unix socket, -1 for none. With one, it gets a network namespace, and sends the socket on which
            a proxy listens there to the other end.
        offers: Whether it sends its user and network namespaces instead, so that others can join them.
        joins: Such namespaces, as two descriptors. It then joins their network and makes none of its own.
        overlay: A folder that takes the changes of `root` instead, see `overlay.cover`; `""` for none. A plan without
            `writable` sees them. With a `gate`, it sends the network's counters instead of a socket.
    """

    root: str
    program: str
    writable: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    executable: tuple[str, ...] = ()
    network: bool = False
    temporary: str = ""
    memory_bytes: int = 0
    processes: int = 0
    file_bytes: int = 0
    cpu_seconds: int = 0
    layers: frozenset[str] = ALL_LAYERS
    starts: bool = True
    exact: bool = False
    gate: int = -1
    offers: bool = False
    joins: tuple[int, ...] = ()
    overlay: str = ""

    @property
    def alone(self) -> bool:
        """Return whether no program but `program` may be started."""
        return not self.executable

    @property
    def view(self) -> bool:
        """Return whether it gets a mount namespace of its own: a read-only program gains nothing from one."""
        return "namespaces" in self.layers and bool(self.writable or self.executable or self.overlay)

    @property
    def own_network(self) -> bool:
        """Return whether it is in a network namespace with loopback only."""
        return self.gate >= 0 or bool(self.joins) or (self.view and not self.network)


class Features(NamedTuple):
    """Features of this machine.

    Args:
        landlock: The ABI, 0 for none.
        seccomp: Whether filters can be loaded and the architecture's system calls are known.
        namespaces: Whether a mount namespace can be made and filled.
        network_namespace: Whether a network namespace can be made.
        architecture: `x86_64`, `aarch64`, ...; on other systems than Linux, the system's name.
        problems: Reasons for missing features, in plain words.
    """

    landlock: int
    seccomp: bool
    namespaces: bool
    network_namespace: bool
    architecture: str
    problems: tuple[str, ...] = ()
