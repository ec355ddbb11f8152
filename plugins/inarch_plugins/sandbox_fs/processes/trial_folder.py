"""Private folder that takes the changes of a dry run, within limits."""

from __future__ import annotations

import os
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from attrs import define, field

from inarch import ToolFailed
from inarch_lib.confinement.overlay import UPPER, WORK
from inarch_plugins.sandbox_fs.processes.cleanup import remove
from inarch_plugins.sandbox_fs.processes.networks import Network
from inarch_plugins.sandbox_fs.safe_open import LIST, held

MOST_BYTES = 256 << 20
"""Most bytes that a dry run may write."""
_MOST_ENTRIES = 100_000
_MOST_UNSEEN = 4  # times `MOST_BYTES`: the disk may lose this much before open files without a name are blamed
_LOOK_S = 0.05
_PLACES = ("/var/tmp", "/dev/shm")
_NO_ROUTE, _NO_PORT = ("Ip:", "OutNoRoutes"), ("Udp:", "NoPorts")  # Documentation/networking/snmp_counter.rst, 6.18


@define(eq=False, repr=False)
class TrialFolder:
    """Changes of one dry run of a command line; every pipeline of the line sees those of the earlier ones."""

    path: str
    began_ns: int
    private: str = field(init=False, default="")
    """Private folder of the programs that run now."""
    excess: str = field(init=False, default="")
    """Reason why the watcher stopped it, empty for none."""
    _networks: list[Network] = field(init=False, factory=list)

    @classmethod
    def make(cls, root: str) -> TrialFolder:
        """Make one on a file system that can take changes."""
        for place in map(os.path.realpath, (tempfile.gettempdir(), *_PLACES)):
            if f"{place}/".startswith(f"{root.rstrip('/')}/") or _is_overlay(place):
                continue
            with suppress(OSError):
                path = tempfile.mkdtemp(prefix="inarch-try-", dir=place)
                os.mkdir(os.path.join(path, WORK), 0o700)
                upper = os.path.join(path, UPPER)
                os.mkdir(upper)
                found = os.stat(root)
                os.chmod(upper, stat.S_IMODE(found.st_mode))  # the program sees it as the workspace's folder
                with suppress(PermissionError):
                    os.chown(upper, found.st_uid, found.st_gid)
                return cls(path, os.stat(upper).st_ctime_ns)
        raise ToolFailed("execution", "no temporary folder outside the workspace can take the changes", "set TMPDIR")

    def network(self) -> Network:
        """Return a receiver for the counters of one program's network."""
        self._networks.append(Network())
        return self._networks[-1]

    def handed(self, private: str) -> None:
        """Close the gates of programs that have started with this private folder."""
        self.private = private
        for network in self._networks:
            network.handed()

    def asked_for_network(self) -> bool:
        """Return whether an ended program tried to reach more than its loopback."""
        return any(map(_has_asked, self._networks))

    @contextmanager
    def watched(self, stop: threading.Event, cancelled: threading.Event | None) -> Iterator[None]:
        """Set `stop` while the block runs if the call is cancelled or too much is written."""
        done, free = threading.Event(), _free(self.path)

        def watch() -> None:
            while not done.wait(_LOOK_S):
                self.excess = self.excess or _excess(self.path, self.private, free)
                if self.excess or (cancelled is not None and cancelled.is_set()):
                    stop.set()

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def remove(self) -> None:
        """Remove the folder; may be called twice."""
        for network in self._networks:
            network.close()
        self._networks.clear()
        where, name = os.path.split(self.path)
        with suppress(OSError), held(os.open(where, LIST | os.O_CLOEXEC)) as beside:
            remove(beside, name)


def _is_overlay(path: str) -> bool:
    """Return whether a path is on an overlay, whose files cannot take the changes of another."""
    device = os.stat(path).st_dev
    wanted = f"{os.major(device)}:{os.minor(device)}"
    with suppress(OSError), open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as mounts:
        return any(line.split()[2] == wanted and " - overlay " in line for line in mounts)
    return False


def _excess(path: str, private: str, free: int) -> str:
    size = count = 0
    pending = list(filter(None, (os.path.join(path, UPPER), private)))
    while pending:
        try:
            with os.scandir(pending.pop()) as found:
                for entry in found:
                    status = entry.stat(follow_symlinks=False)
                    size, count = size + status.st_blocks * 512, count + 1
                    if stat.S_ISDIR(status.st_mode):
                        pending.append(entry.path)
        except FileNotFoundError:
            continue  # removed meanwhile
        except OSError:
            return "it made a folder that can't be read"
        if size > MOST_BYTES or count > _MOST_ENTRIES:
            return f"it wrote more than {MOST_BYTES >> 20} MB or {_MOST_ENTRIES:,} files"
    return "it filled the disk" if free - _free(path) > _MOST_UNSEEN * MOST_BYTES else ""


def _free(path: str) -> int:
    found = os.statvfs(path)
    return found.f_bfree * found.f_frsize


def _has_asked(network: Network) -> bool:
    """Return whether packets of a network found no way: to another machine, or to a name server on this one."""
    try:
        (counters,) = network.descriptors()
    except (ToolFailed, ValueError):
        return False
    with open(counters, encoding="ascii") as file:
        rows = [line.split() for line in file]
    found = {(names[0], name): int(value) for names, values in zip(rows[::2], rows[1::2], strict=True)
             for name, value in zip(names[1:], values[1:], strict=True)}  # fmt: skip
    return bool(found.get(_NO_ROUTE) or found.get(_NO_PORT))
