"""The proxy's process: confined itself, gone with its program, and what it told."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from inarch_lib.confinement import levels
from inarch_lib.egress import Egress, proxy_start

pytestmark = pytest.mark.once


def taken(egress: Egress) -> socket.socket:
    """Hand over a socket as a confined program does; return one to connect to it."""
    listener = socket.create_server(("127.0.0.1", 0))
    with socket.socket(fileno=os.dup(egress.gate)) as gate, listener:
        socket.send_fds(gate, [b"g"], [listener.fileno()])
        egress.handed()
        return socket.create_connection(listener.getsockname())


def answer(end: socket.socket, request: bytes) -> bytes:
    end.sendall(request)
    return end.recv(1 << 16)


def test_it_confines_itself_and_tells_what_it_refused() -> None:
    egress = Egress(["pypi.example"])
    try:
        with taken(egress) as end:
            assert b" 403 " in answer(end, b"CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")
            (pid,) = (int(name) for name in os.listdir("/proc") if name.isdigit() and _is_proxy(int(name)))
            status = Path(f"/proc/{pid}/status").read_text()
            if "seccomp" in levels.own_layers():
                assert "Seccomp:\t2" in status and "NoNewPrivs:\t1" in status
        egress.look()
        assert list(egress.refused) == ["evil.example:443"] and not egress.reached
    finally:
        egress.close()
        egress.close()
    assert not _runs(pid)
    said = egress.told("this command", failed=False)
    assert said[0].startswith("evil.example:443 was refused") and "may reach only pypi.example" in said[-1]


def test_what_was_reached_is_told_though_nobody_listened_to_long_refusals() -> None:
    long = ".".join(["a" * 60] * 4)
    with socket.create_server(("127.0.0.1", 0)) as server:
        egress = Egress([f"localhost:{server.getsockname()[1]}", *(f"{letter}.{long}" for letter in "xyz")])
        try:
            with taken(egress) as first:
                for number in range(200):
                    with socket.create_connection(first.getpeername()) as end:
                        answer(end, b"CONNECT %d.%s:443 HTTP/1.1\r\nHost: x\r\n\r\n" % (number, long.encode()))
                assert b" 200 " in answer(first, f"CONNECT {egress.hosts[0]} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        finally:
            egress.close()
    assert egress.reached == [egress.hosts[0]]


def _is_proxy(pid: int) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(b"inarch_lib.egress" in word for word in words) and str(os.getpid()).encode() in words


def _runs(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_one_that_was_killed_is_reported_and_leaves_nothing_to_connect_to() -> None:
    egress = Egress(["pypi.example"])
    with taken(egress) as end:
        assert b" 403 " in answer(end, b"CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        address = end.getpeername()
        os.kill(egress._process.pid, signal.SIGKILL)
        egress._process.wait()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)
    egress.close()
    assert any("killed by signal 9" in line and "had no network" in line for line in egress.told("it", failed=True))


def test_a_proxy_of_ones_own_is_not_asked_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://user:secret@proxy.example:3128")
    egress = Egress(["pypi.example"])
    egress.close()
    said = egress.told("it", failed=True)[-1]
    assert "the one that HTTPS_PROXY names outside is not asked" in said and "secret" not in said
    assert "secret" not in " ".join(egress.variables.values())


REFUSED = b"CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n"
HANGS = "import socket, time; socket.getaddrinfo = lambda *_, **__: time.sleep(120); "


def test_a_name_that_is_just_being_looked_up_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_start, "_BOOT", HANGS + proxy_start._BOOT)
    egress = Egress(["pypi.example"])
    with taken(egress) as end:
        end.sendall(b"CONNECT pypi.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        with socket.create_connection(end.getpeername()) as later:
            assert b" 403 " in answer(later, REFUSED)
        egress.close()
    assert egress._process.returncode == 0


def test_nothing_of_it_is_loaded_with_inarch() -> None:
    code = (
        "import sys, inarch, inarch_plugins.sandbox_fs; print([n for n in sys.modules if 'egress' in n or n == 'h11'])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
