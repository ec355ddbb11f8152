"""Start of one confined program's proxy, and its reports."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from inarch_lib.confinement.hosts import read
from inarch_lib.confinement.namespaces import PROXY

_BOOT = "import sys; sys.path += sys.argv[3:]; from inarch_lib.egress.proxy import main; main(*map(int, sys.argv[1:3]))"
_PACKAGES = ("inarch_lib.egress", "inarch_lib.confinement", "h11")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_OWN_PROXIES = ("https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")
_ENDS_S = 5.0
_MOST_TOLD = 5
_MOST_REPORT = _ROOM = 1 << 20


class Egress:
    """Proxy of one program.

    Args:
        hosts: The hosts that it allows, in the form of `inarch_lib.confinement.hosts`.

    Raises:
        OSError: It cannot be started.
        ValueError: An entry does not name a host.
    """

    def __init__(self, hosts: Sequence[str]) -> None:
        self.hosts = tuple(hosts)
        self.reached: list[str] = []
        self.refused: dict[str, str] = {}
        self.ended = ""
        self._rest = b""
        self._passed_by = next((name for name in _OWN_PROXIES if os.environ.get(name)), "")
        loopback = [name for name in _LOOPBACK if not any(_names(text, name) for text in self.hosts)]
        self._control, control = socket.socketpair()
        control.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _ROOM)  # for all reports before anything reads them
        self._gate, gate = socket.socketpair()
        try:
            self._process = _started(control, gate)
        except OSError:
            self._control.close()
            self._gate.close()
            raise
        finally:
            control.close()
            gate.close()
        try:
            self._control.sendall(json.dumps({"hosts": self.hosts}).encode() + b"\n")
        except OSError:
            self.close()
            raise
        self._control.setblocking(False)
        self.variables = _variables(f"http://{PROXY[0]}:{PROXY[1]}", ",".join(loopback))

    @property
    def gate(self) -> int:
        """Return the descriptor through which the confined process sends its end."""
        return self._gate.fileno()

    def handed(self) -> None:
        """Close the gate: the program has its own copy."""
        self._gate.close()

    def look(self) -> None:
        """Read the proxy's reports so far."""
        try:
            while len(self._rest) < _MOST_REPORT and (piece := self._control.recv(1 << 16)):
                self._rest += piece
        except OSError:
            pass  # nothing more for now, or it is gone
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            try:
                target, why = map(str, json.loads(line))
            except (TypeError, ValueError):  # not a message of our proxy
                continue
            if why:
                self.refused[target] = why
            elif target not in self.reached:
                self.reached.append(target)
        code = self._process.poll()
        if code is not None and not self.ended:
            self.ended = f"the proxy was killed by signal {-code}" if code < 0 else "the proxy ended"

    def close(self) -> None:
        """End it and everything of it."""
        if self._control.fileno() < 0:
            return
        self._gate.close()
        self.look()
        ended = self.ended
        try:
            self._control.shutdown(socket.SHUT_WR)
            self._process.wait(_ENDS_S)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self.look()
        self.ended = ended
        self._control.close()

    def told(self, subject: str, failed: bool) -> list[str]:
        """Return the sentences that a reader must know about it."""
        said = []
        if self.reached:
            said.append(f"{subject} reached {_listed(self.reached)}")
        for target, why in list(self.refused.items())[:_MOST_TOLD]:
            said.append(f"{target} was refused: {why}")
        if self.ended:
            said.append(f"{self.ended}; from then on {subject} had no network")
        if failed or self.refused:
            said.append(
                f"{subject} may reach only {_listed(self.hosts)}; it must use the proxy that HTTP_PROXY and HTTPS_PROXY"
                " name: there is no other way to the network"
            )
            if self._passed_by:
                said.append(f"the proxy connects directly: the one that {self._passed_by} names outside is not asked")
        return said


def _started(control: socket.socket, gate: socket.socket) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _BOOT, str(gate.fileno()), str(os.getpid()), *_places()],
        stdin=control.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
        env={"LC_ALL": "C.UTF-8"}, pass_fds=(gate.fileno(),), start_new_session=True,
    )  # fmt: skip


def _names(text: str, loopback: str) -> bool:
    """Return whether an entry means a loopback name, which the program reaches through the proxy."""
    from inarch_lib.confinement.hosts import canonical

    entry = read(text)
    return entry.means(canonical(f"[{loopback}]" if ":" in loopback else loopback), entry.port or 80)


def _places() -> list[str]:
    """Return the folders of the proxy's imports outside the standard library."""
    found = ((spec.origin, name.count(".")) for name in _PACKAGES if (spec := find_spec(name)) and spec.origin)
    return list(dict.fromkeys(str(Path(origin).parents[1 + depth]) for origin, depth in found))


def _variables(proxy: str, direct: str) -> dict[str, str]:
    said = {**dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), proxy), "NO_PROXY": direct}
    return {**said, **{name.lower(): value for name, value in said.items()}, "NODE_USE_ENV_PROXY": "1"}


def _listed(items: Sequence[str]) -> str:
    more = len(items) - _MOST_TOLD
    return ", ".join(items[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")
