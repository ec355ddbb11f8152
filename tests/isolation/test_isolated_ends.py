"""However the process of a plugin ends, its calls end with a reason, the next call works, and nothing is left over."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from isolated_apps import GRACE_S, HERE, call

import inarch
from inarch.config.load import load_config
from inarch.plugins.isolated_plugins import Apart
from inarch.plugins.modules import single_file
from inarch_plugins.isolation import ProcessLoader


def pid_of(app: inarch.App) -> int:
    """Return the process id of the plugin, which it is asked for."""
    found = call(app, "reach", what="read", where="/proc/self/stat")
    return int(str(found.data).split()[0])


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until_gone(pid: int) -> None:
    end = time.monotonic() + GRACE_S
    while not is_gone(pid):
        assert time.monotonic() < end, f"process {pid} lives on"
        time.sleep(0.02)


def error_of(result: inarch.ToolResult) -> str:
    assert result.error is not None
    assert result.error.code == "execution"
    assert "'every_kind'" in result.error.message
    return result.error.message


@pytest.mark.parametrize(
    ("how", "said"),
    [("exit", "exit code 3): these were its last words"), ("segfault", "SIGSEGV"), ("memory", "memory_mb = 512")],
)
def test_a_process_that_ends_is_named_and_started_again(compose: Any, how: str, said: str) -> None:
    app = compose(memory_mb=512)
    assert said in error_of(call(app, "end", how=how))
    assert call(app, "shout", text="a").data == "A"


def test_processor_time_is_limited(compose: Any) -> None:
    app = compose(seconds=1)
    assert "seconds = 1 in [isolation.every_kind]" in error_of(call(app, "end", how="spin"))
    assert call(app, "shout", text="a").data == "A"


def test_it_is_started_again_three_times(compose: Any) -> None:
    app = compose()
    app.composition.outcome.elsewhere["every_kind"].process.within_s = 3600.0
    for _ in range(4):
        assert "exit code 3" in error_of(call(app, "end", how="exit"))
    found = call(app, "shout", text="a").error
    assert found is not None
    assert "is not started again after 3 restarts within 3600 s; the last time it ended" in found.message


@pytest.mark.parametrize(("name", "arguments"), [("wait", {"seconds": 600}), ("end", {"how": "sleep"}),
                                                 ("end", {"how": "spin"})])  # fmt: skip
def test_a_call_that_is_cancelled_ends_whatever_it_does(compose: Any, name: str, arguments: Any) -> None:
    app = compose()
    pid = pid_of(app)

    async def work() -> None:
        task = asyncio.create_task(app.call_tool(name, arguments))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, GRACE_S)

    asyncio.run(work())
    if name == "end":
        wait_until_gone(pid)
    assert call(app, "shout", text="a").data == "A"
    if name == "wait":
        assert pid_of(app) == pid  # it stopped when it was told to


def test_other_calls_fail_when_their_process_is_ended(compose: Any) -> None:
    app = compose()

    async def work() -> inarch.ToolResult:
        other = asyncio.create_task(app.call_tool("wait", {"seconds": 600}))
        stuck = asyncio.create_task(app.call_tool("end", {"how": "sleep"}))
        await asyncio.sleep(0.5)
        stuck.cancel()
        return await asyncio.wait_for(other, GRACE_S)

    assert "did not return after it was cancelled" in error_of(asyncio.run(work()))


_PARENT = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from isolated_apps import call, make
app = make(Path(sys.argv[2]))
print(call(app, "reach", what="read", where="/proc/self/stat").data.split()[0], flush=True)
call(app, "end", how=sys.argv[3])
"""


@pytest.mark.parametrize("how", ["sleep", "spin"])
def test_it_ends_with_the_process_that_started_it(tmp_path: Path, how: str) -> None:
    command = [sys.executable, "-P", "-c", _PARENT, str(HERE), str(tmp_path), how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
    wait_until_gone(pid)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("ffffffff", "a message of 4294967295 bytes"),
        ("02000000" + b"[]".hex(), "something that is not a message"),
        ("0d000000" + b'{"id":1,"a":1'.hex(), "not JSON"),
    ],
)
def test_what_is_no_message_ends_the_process(compose: Any, data: str, said: str) -> None:
    app = compose()
    assert said in error_of(call(app, "raw", data=data))
    assert call(app, "shout", text="a").data == "A"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import os; os._exit(5)", "exit code 5"),
        ("raise ValueError('boom')", "failed at load: ValueError: boom"),
        ("import sys; sys.exit(1)", "failed at load: SystemExit: 1"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("import subprocess; subprocess.run(['true'])", "PermissionError"),
        ("import inarch\n@inarch.hookimpl\ndef inarch_wrong(): pass", "unknown hook inarch_wrong"),
        ("import inarch\n@inarch.hookimpl\ndef inarch_tools(context): return [1]", "broke the contract"),
        ("import inarch\n@inarch.hookimpl\ndef inarch_workspaces(context):\n"
         "    return [inarch.WorkspaceSpec('w', print)]", "can't be isolated: a workspace"),
    ],
)  # fmt: skip
def test_a_plugin_that_can_not_be_loaded_is_refused_with_the_reason(
    compose: Any, tmp_path: Path, source: str, said: str
) -> None:
    file = tmp_path / "bad.py"
    file.write_text(source)
    app = compose(files=(str(file),))
    (refused,) = app.composition.refused
    assert (refused.name, said in refused.reason) == ("bad", True), refused.reason
    assert refused.remedy
    assert all(not one.process.runs for one in app.composition.outcome.elsewhere.values())


def test_a_plugin_that_hangs_on_import_costs_its_time_once(tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text("import time\ntime.sleep(3600)\n")
    found = single_file(str(tmp_path / "hangs.py"))
    tables: dict[str, Any] = {"isolation": {"hangs": {"mode": "process"}}}
    config = load_config(str(tmp_path), config=tables, environ={"HOME": str(tmp_path)})
    with pytest.raises(inarch.PluginError, match=r"did not finish loading within 2 s \(leave"):
        Apart(config, True, 2.0).load(found, ProcessLoader())
    again = Apart(config, True, 2.0)
    with pytest.raises(inarch.PluginError, match=r"within 2 s \(remembered from \d\d:\d\d\) \(leave") as raised:
        again.load(found, ProcessLoader())
    assert "plugins check` tries it again" in raised.value.remedy
    assert again.running == {}, "nothing was started"
    tables["isolation"]["hangs"]["network"] = True
    changed = load_config(str(tmp_path), config=tables, environ={"HOME": str(tmp_path)})
    with pytest.raises(inarch.PluginError, match=r"within 2 s \(leave"):
        Apart(changed, True, 2.0).load(found, ProcessLoader())


SLOW = """
import os, time
from pathlib import Path
import inarch

class Counter:
    name = "slow"
    seen = 0

    def saw(self, event):
        if event.kind == "error":
            os._exit(1)
        self.seen += 1

    def summary(self, turn_id):
        return str(self.seen)

    def close(self):
        pass

@inarch.hookimpl
def inarch_tracers(context):
    started = Path(context.state_dir, "started")
    if started.exists():
        while not Path(context.state_dir, "go").exists():
            time.sleep(0.02)
    started.touch()
    return [Counter()]
"""


def test_a_tracer_that_is_started_again_is_not_waited_for(compose: Any, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    app = compose(files=(str(tmp_path / "slow.py"),))
    (bound,) = (one for one in app.composition.tracers if one.plugin == "slow")
    tracer, process = bound.value, app.composition.outcome.elsewhere["slow"].process

    def event(kind: str) -> inarch.Event:
        return inarch.Event(1, inarch.utc_now(), "s", None, kind, {})

    tracer.saw(event("error"))
    with pytest.raises(inarch.PluginError, match="ended the process"):
        tracer.summary("t")
    for _ in range(100):
        tracer.saw(event("note"))  # would end with an error after the time that a start has
    assert not process._is_loaded
    Path(bound.context.state_dir, "go").touch()
    assert tracer.summary("t") == "100"
