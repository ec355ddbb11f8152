"""Keys in the keyring of a real desktop: gnome-keyring on a bus of its own, unlocked and locked."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inarch.testing import HttpServer, json_reply

from ..forking import LONGEST_S
from ..running.program import Run

pytestmark = [pytest.mark.needs("dbus-daemon", "gnome-keyring-daemon", "keyring"), pytest.mark.once]

KEY = "sk-desktop-0123456789abcdef"


@pytest.fixture
def desktop(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Start a bus and a keyring that is unlocked; there is no display, so nobody can be asked to unlock it again."""
    short = Path(tempfile.mkdtemp(prefix="bus"))  # a socket's path may not be long
    own = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG")}
    own |= {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(short), "XDG_DATA_HOME": str(tmp_path / "data")}
    own["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={short / 'bus'}"
    bus = ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={own['DBUS_SESSION_BUS_ADDRESS']}"]
    ring = ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"]
    started = list[subprocess.Popen[bytes]]()
    try:
        started.append(subprocess.Popen(bus, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        _wait_for((short / "bus").exists)
        started.append(
            subprocess.Popen(ring, env=own, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        )
        assert started[1].stdin is not None
        started[1].stdin.write(b"open sesame")
        started[1].stdin.close()
        yield {
            "DBUS_SESSION_BUS_ADDRESS": own["DBUS_SESSION_BUS_ADDRESS"],
            "PYTHON_KEYRING_BACKEND": "keyring.backends.SecretService.Keyring",
        }
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()
        shutil.rmtree(short)


def _wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def _lock(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    import secretstorage

    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    connection = secretstorage.dbus_init()
    collection = secretstorage.get_default_collection(connection)
    collection.lock()
    assert collection.is_locked()
    connection.close()


def test_a_key_is_kept_used_and_told_where_the_keyring_is_locked(
    cli: Run, desktop: dict[str, str], environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _wait_for(lambda: cli("auth", "set", "ACME_LOGIN", stdin=f"{KEY}\n", **desktop).returncode == 0)
    assert cli("auth", "list", **desktop).stdout == "ACME_LOGIN  from the keyring\n"
    reply = {"choices": [{"message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}]}
    listing = json_reply({"object": "list", "data": [{"id": "m"}]})
    with HttpServer(routes={"POST /v1/chat/completions": json_reply(reply), "GET /v1/models": listing}) as server:
        config = Path(environ["XDG_CONFIG_HOME"], "inarch", "config.toml")
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(
            f'[plugins.openai-compatible]\nbase_url = "{server.url}/v1"\nmodel = "m"\napi_key_env = "ACME_LOGIN"\n'
        )
        done = cli("--model", "openai-compatible/m", "say hello", **desktop)
        assert done.returncode == 0 and "Hello." in done.stdout, done.stderr
        assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
        _lock(monkeypatch, desktop["DBUS_SESSION_BUS_ADDRESS"])
        before = len(server.requests)
        locked = cli("--model", "openai-compatible/m", "say hello", **desktop)
        assert "ACME_LOGIN: the keyring is locked (unlock it, or set the variable" in locked.stderr
        assert all("authorization" not in one.headers for one in server.requests[before:])
    kept = cli("auth", "set", "OTHER_LOGIN", stdin=f"{KEY}\n", **desktop)
    assert kept.returncode == 1 and "error: the keyring is locked" in kept.stderr
    assert cli("auth", "list", **desktop).stdout == "ACME_LOGIN  from the keyring\n"
