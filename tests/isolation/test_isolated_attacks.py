"""A plugin that means harm reaches nothing, holds nothing up and takes nobody with it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from isolated_apps import GRACE_S, HERE, call

import inarch
from inarch.contract.guard import OURS
from inarch.contract.loaders import LoadJob
from inarch_plugins.isolation import rights
from inarch_plugins.isolation.channel import MOST_WAITING_BYTES, PendingCall
from inarch_plugins.isolation.wire import MOST_VALUES, Malformed, Messages

HOSTILE = str(HERE / "hostile.py")
_RAW = """
import os, socket, struct, sys, time
body = {body!r}.encode()
pipe = socket.socket(fileno=os.dup(int(sys.argv[1])))
pipe.sendall(struct.pack("<I", len(body)) + body)
time.sleep(600)
"""


@pytest.fixture
def app(compose: Any) -> Iterator[inarch.App]:
    made: inarch.App = compose(files=(HOSTILE,))
    assert made.composition.refused == ()
    yield made
    _end(made)


def attempt(app: inarch.App, what: str, where: object = "") -> Any:
    return call(app, "attempt", what=what, where=str(where)).data


def test_nothing_is_reached_by_a_back_door(app: inarch.App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        monkeypatch.chdir(tmp_path)  # a whole path may be too long
        other.bind("other")
        assert {what: attempt(app, what, tmp_path / "other") for what in ("datagram", "unix")} == dict.fromkeys(
            ("datagram", "unix"), "EPERM"
        )
    others = ("netlink", "vsock", "udp", "io_uring", "ptrace", "peek", "shared memory", "limits", "outlive", "signal",
              "priority")  # fmt: skip
    assert {what: attempt(app, what) for what in others} == dict.fromkeys(others, "EPERM")
    assert {what: attempt(app, what) for what in ("environ", "shared file")} == {
        "environ": "EACCES", "shared file": "EACCES"}  # fmt: skip
    assert attempt(app, "watch", tmp_path) == "EPERM"
    assert attempt(app, "memory file") == "ENOSYS"
    assert attempt(app, "files") == "EMFILE"


_FILTER = """
import fcntl, os, signal, socket
from inarch_lib.confinement import Plan, privileges, seccomp
from inarch_lib.confinement.kernel import machine

plan = Plan(root="/", program="/", starts=False)
privileges.forbid_new()
seccomp.load(seccomp.program(plan, machine(), LANDLOCK), machine())


def tried(function, *arguments):
    try:
        function(*arguments)
    except OSError as error:
        return type(error).__name__
    return "through"


import ctypes
libc = ctypes.CDLL(None, use_errno=True)
TGKILL = {"x86_64": 234, "aarch64": 131}[machine()]


def tgkill(process):
    if libc.syscall(TGKILL, process, process, 0) < 0:
        raise OSError(ctypes.get_errno(), "tgkill")


one, _ = socket.socketpair()
print(tried(os.kill, os.getppid(), 0), tried(tgkill, os.getppid()), tried(tgkill, os.getpid()),
      tried(fcntl.fcntl, one, fcntl.F_SETOWN, os.getppid()))
"""


@pytest.mark.parametrize(
    ("landlock", "said"),
    [(5, "PermissionError PermissionError through PermissionError"), (6, " ".join(["through"] * 4))],
)
def test_signals_are_refused_where_landlock_can_not_rule_them(landlock: int, said: str) -> None:
    code = _FILTER.replace("LANDLOCK", str(landlock))
    ran = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == said, ran.stderr


def test_a_flood_does_not_keep_a_call_from_being_cancelled(app: inarch.App) -> None:
    message = {"op": "ask", "ask": 1, "method": "context.earlier"}
    channel = app.composition.outcome.elsewhere["hostile"].process.channel()

    async def work() -> None:
        task = asyncio.create_task(app.call_tool("send", {"message": message, "forever": True}))
        async with asyncio.timeout(GRACE_S):
            while not any(one.received for one in tuple(channel._calls.values())):
                await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, GRACE_S)

    asyncio.run(work())
    channel.join(GRACE_S)
    assert not channel.is_open
    assert call(app, "lie").data == "done"


def test_a_flood_does_not_keep_an_answer_from_being_overdue(app: inarch.App) -> None:
    process = app.composition.outcome.elsewhere["hostile"].process
    target = _tool(app)._target  # type: ignore[attr-defined]
    with pytest.raises(inarch.PluginError, match="did not return after it was asked for"):
        process.call(target, "effects", [{"how": "flood"}], seconds=0.5)


@pytest.mark.parametrize("message", [{"op": "gone"}, {"op": 1}], ids=["gone", "number"])
def test_a_message_that_is_none_of_a_call_ends_the_process(app: inarch.App, message: Any) -> None:
    found = call(app, "send", message=message)
    assert "was ended: it sent something that is not a message" in str(found.error)
    assert call(app, "lie").data == "done"


def test_one_that_leaves_takes_nobody_along(app: inarch.App) -> None:
    found = call(app, "lie", how="exit").error
    assert found is not None
    assert "SystemExit: bye" in found.message
    (policy,) = (bound.value for bound in app.composition.policies if bound.plugin == "hostile")
    with pytest.raises(inarch.PluginError, match="SystemExit: bye"):
        policy.judge(inarch.ToolCall("1", "1", "t", "lie", {"how": "judge"}), _tool(app))


def _tool(app: inarch.App) -> inarch.Tool:
    return app.composition.tools["lie"].value


SECONDS = f"9{os.getpid()}"
"""Tells the program of this run from that of any other."""


def _programs() -> list[str]:
    """Return the processes that the plugin's program is or was started by."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"sleep\0{SECONDS}\0".encode() in (folder / "cmdline").read_bytes():
                found.append(folder.name)
        except OSError:
            continue  # it has ended meanwhile
    return found


async def _until(running: bool) -> None:
    async with asyncio.timeout(GRACE_S):
        while bool(_programs()) != running:
            await asyncio.sleep(0.05)


def test_a_program_ends_with_its_call_whatever_the_plugin_says(app: inarch.App) -> None:
    async def work() -> None:
        task = asyncio.create_task(app.call_tool("program", {"seconds": SECONDS}))
        await _until(running=True)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, GRACE_S)
        await _until(running=False)

    asyncio.run(work())
    assert call(app, "lie").data == "done"


@pytest.mark.parametrize(
    "body",
    [
        {"op": "failed", "error": {"type": "SystemExit", "message": "away"}},
        {"op": "failed", "error": 7},
        {"op": "failed", "problem": True, "error": {"message": "m", "source": "s", "key": "providers.x.url"}},
        {"op": "ready"},
        {"op": "ready", "hooks": [], "offers": {}},
    ],
)
def test_whatever_it_says_instead_of_being_loaded_only_it_is_refused(compose: Any, tmp_path: Path, body: Any) -> None:
    file = tmp_path / "bad.py"
    file.write_text(_RAW.format(body=json.dumps(body)))
    (refused,) = compose(files=(str(file),)).composition.refused
    assert (refused.name, bool(refused.remedy)) == ("bad", True)


@pytest.mark.parametrize("names", [("ﬁ", "fi"), ("self",), tuple(f"n{number}" for number in range(2000))])
def test_settings_are_names_or_it_is_refused(compose: Any, tmp_path: Path, names: tuple[str, ...]) -> None:
    from inarch_sdk.port_checks import PORTS

    table = {"properties": {name: {"type": "string"} for name in names}}
    offers: dict[str, list[Any]] = {kind: [] for kind in PORTS}
    body = {"op": "ready", "hooks": [], "offers": offers, "settings": {"schema": table, "values": {}}}
    file = tmp_path / "bad.py"
    file.write_text(_RAW.format(body=json.dumps(body)))
    (refused,) = compose(files=(str(file),)).composition.refused
    assert "did not describe its settings" in refused.reason


def test_many_values_are_too_many_and_long_texts_are_not() -> None:
    def taken(body: bytes) -> int:
        return len(list(Messages().feed(len(body).to_bytes(4, "little") + body)))

    assert taken(b'{"a":"' + b',[{\\"' * MOST_VALUES + b'"}') == 1
    with pytest.raises(Malformed, match="values"):
        taken(b'{"a":[' + b"[]," * MOST_VALUES + b"0]}")


def test_what_waits_for_one_call_is_limited_in_bytes() -> None:
    one = PendingCall(1, lambda _: None)
    one.receive({"op": "ask"}, MOST_WAITING_BYTES - 2048)
    with pytest.raises(Malformed, match="more messages"):
        one.receive({"op": "ask"}, 2048)
    other = PendingCall(2, lambda message: other.took(message))
    for _ in range(5):
        other.receive({"op": "ask"}, MOST_WAITING_BYTES - 2048)


def test_the_whole_workspace_is_neither_what_links_lead_to_nor_what_runs(compose: Any, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "src/deep", outside):
        folder.mkdir(parents=True)
    (root / "link").symlink_to(outside)
    own = root / "src/deep/hostile.py"
    own.write_bytes(Path(HOSTILE).read_bytes())
    (root / "src/deep/other.py").write_text("")
    app = compose(files=(str(own),), write=("",))
    assert app.composition.refused == ()
    got = {name: call(app, "write", where=str(root / name)).data for name in ("link/x", "src/deep/hostile.py",
           "src/deep/other.py")}  # fmt: skip
    assert got == {"link/x": "EACCES", "src/deep/hostile.py": "EACCES", "src/deep/other.py": "through"}
    _end(app)


def test_a_folder_that_became_a_link_is_not_granted_at_the_next_start(compose: Any, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    outside.mkdir()
    app = compose(files=(HOSTILE,), write=("a/", "a/b/"))
    assert call(app, "write", where=str(root / "a/b/x")).data == "through"
    assert not call(app, "swap", folder=str(root / "a/b"), target=str(outside)).success
    assert call(app, "write", where=str(root / "a/b/x")).data == "EACCES"
    assert list(outside.iterdir()) == []
    _end(app)


def _end(app: inarch.App) -> None:
    """Spare the fixture the wait for a model that never closes."""
    app.composition.close()


def test_what_runs_is_not_granted_by_its_name(compose: Any, tmp_path: Path) -> None:
    own = tmp_path / "root/src/hostile.py"
    own.parent.mkdir(parents=True)
    own.write_bytes(Path(HOSTILE).read_bytes())
    (refused,) = compose(files=(str(own),), write=("src/hostile.py",)).composition.refused
    assert "the plugin's own code" in refused.reason


def test_settings_of_other_plugins_stay_with_them(compose: Any, tmp_path: Path) -> None:
    variables = {"INARCH_PLUGIN_OTHER__TOKEN": "hush", "INARCH_PLUGIN_EVERY_KIND__LOUD": "1"}
    job = compose(environ=variables).composition.outcome.elsewhere["every_kind"].process.launch.job
    assert job["variables"] == {"INARCH_PLUGIN_EVERY_KIND__LOUD": "1"}


def test_a_name_that_is_a_path_is_refused() -> None:
    job = LoadJob({}, inarch.PluginContext("../probes", "/"), {"network": True, "write": ("*",)}, {}, {}, (), (), 1.0)
    with pytest.raises(inarch.PluginError, match="a name that is a path"):
        rights.launch(job)


@pytest.mark.parametrize("name", sorted(OURS))
def test_a_library_beside_the_kernel_is_what_inarch_runs_from(name: str, tmp_path: Path) -> None:
    (place,) = find_spec(name).submodule_search_locations  # type: ignore[union-attr, misc]
    above, _, folder = place.rpartition("/")
    own = {"cache_dir": str(tmp_path / "cache"), "state_dir": str(tmp_path / "state")}
    table = {"network": False, "write": (folder,), "env": ()}
    with pytest.raises(inarch.PluginError, match="what Inarch itself runs from"):
        rights.launch(LoadJob({}, inarch.PluginContext("probes", above, **own), table, {}, {}, (), (), 1.0))
