"""Inarch's end of the fork server: start it, send it requests, stop it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
from typing import IO, Any

from attrs import define, field

import inarch_lib
from inarch import ToolFailed
from inarch_plugins.sandbox_fs.processes import wire
from inarch_plugins.sandbox_fs.processes.confinement_trial import Reached

_START = """
import sys, types
sys.path.append(sys.argv[1])
for name, path in ("inarch_plugins", []), ("inarch_plugins.sandbox_fs", [sys.argv[2]]):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = path
from inarch_plugins.sandbox_fs.processes.server import main
main(int(sys.argv[3]))
"""
"""Imports the plugin without running what it imports: the server needs the standard library only."""

_START_SECONDS = 20.0
_ANSWER_SECONDS = 10.0
_MOST_COMPLAINT = 600


class Gone(Exception):
    """Error for an ended fork server; a new one may work."""


@define(eq=False, repr=False)
class ForkServer:
    """One running fork server."""

    features: tuple[Any, ...]
    reached: tuple[Reached, ...] | None
    """Targets that confined programs reached in the trial; None if there was no trial."""
    _channel: socket.socket
    _process: subprocess.Popen[bytes]
    _lock: threading.Lock = field(factory=threading.Lock)

    @classmethod
    def start(cls) -> ForkServer:
        """Start a server."""
        if not hasattr(os, "fork") or not sys.executable:
            raise ToolFailed(
                "execution", f"programs can't be run on this system ({sys.platform})",
                "run Inarch on Linux, macOS or in WSL",
            )  # fmt: skip
        ours, theirs = socket.socketpair()
        with theirs, tempfile.TemporaryFile() as complaints:
            process = _spawn(theirs, complaints)
            theirs.close()
            ours.settimeout(_START_SECONDS)
            try:
                hello = wire.receive(ours)
            except TimeoutError:
                hello = None
            if hello is None:
                ours.close()
                _end(process)
                complaints.seek(0)
                said = complaints.read()[-_MOST_COMPLAINT:].decode("utf-8", "replace").strip()
                raise ToolFailed("execution", f"the process that starts programs ended: {said or 'it said nothing'}")
        ours.settimeout(None)
        reached = hello["reached"]
        return cls(
            hello["features"], None if reached is None else tuple(Reached(*one) for one in reached), ours, process
        )

    def submit(self, request: dict[str, Any], descriptors: list[int]) -> tuple[socket.socket, int]:
        """Send a request; return the connection to the supervisor that accepted it, and its process id."""
        ours, theirs = socket.socketpair()
        try:
            with theirs, self._lock:
                socket.send_fds(self._channel, [b"r"], [theirs.fileno(), *descriptors])
            ours.settimeout(_ANSWER_SECONDS)
            wire.send(ours, request)
            answer = wire.receive(ours)
            if answer is None:
                raise Gone
            ours.settimeout(None)
        except (OSError, Gone) as error:
            ours.close()
            raise Gone from error
        return ours, answer["accepted"]

    def stop(self) -> None:
        """End the server; what it started ends with its own connections."""
        self._channel.close()
        _end(self._process)


def _spawn(channel: socket.socket, complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    library = os.path.dirname(os.path.dirname(os.path.abspath(inarch_lib.__file__)))
    command = [sys.executable, "-I", "-S", "-c", _START, library, folder, str(os.getpid())]
    # A process group of its own: Ctrl-C on the terminal is Inarch's to handle.
    return subprocess.Popen(
        command,
        stdin=channel.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=complaints,
        env={"LC_ALL": "C.UTF-8"},
        process_group=0,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process that has no more work; kill it if it does not end."""
    try:
        process.wait(_ANSWER_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
