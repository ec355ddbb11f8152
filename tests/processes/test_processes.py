"""Processes through the default composition: real programs, confined, with loopback of their own, and no poll."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app
from inarch_lib.confinement import Features
from inarch_plugins.sandbox_fs.processes import background
from inarch_plugins.sandbox_fs.processes.networks import require_alone

pytestmark = pytest.mark.needs("confinement")

SERVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        open("visits.txt", "a").write(self.path + "\\n")
        self.send_response(200); self.end_headers(); self.wfile.write(b"hello from " + self.path.encode())
    def log_message(self, *given): print("visited", self.path, flush=True)
server = http.server.HTTPServer(("127.0.0.1", 3000), Handler)
print("ready", flush=True)
server.serve_forever()
"""
FETCH = """
import sys, urllib.request
try:
    print(urllib.request.urlopen("http://localhost:3000/" + sys.argv[1], timeout=5).read().decode())
except OSError as error:
    print("unreachable:", error)
"""
Check = Callable[[], object]


class Desk:
    """A project, and conversations there in which everything that a mode may answer is approved."""

    def __init__(self, home: Path) -> None:
        self.root = home / "root"
        self.root.mkdir(parents=True)
        self.environ = {"HOME": str(home), "PATH": os.environ["PATH"]}
        self.environ |= {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
        self.requests: list[inarch.ModelRequest] = []
        self.results: list[inarch.ToolResult] = []
        self.events: list[inarch.Event] = []
        self.session_id = ""

    def script(self, name: str, text: str) -> str:
        """Write a Python program of the project's and return the command that runs it."""
        (self.root / name).write_text(text)
        return f"python3 {name}"

    def talk(
        self, script: Sequence[Step], *prompts: str | Check, config: dict[str, Any] | None = None, approve: str = "all"
    ) -> list[Any]:
        """Have a conversation; between prompts a function may look. Return what came of each."""

        async def go() -> list[Any]:
            flags = {"approve": approve, "max_iterations": 40}
            options: dict[str, Any] = {"config": config or {}, "environ": self.environ, "flags": flags, "journal": True}
            app, model = scripted_app(ScriptedModel(script), self.root, **options)
            session = app.session()
            self.session_id = session.id
            session.state.journal.listeners.append(self.events.append)
            came: list[Any] = []
            try:
                for prompt in prompts or ("go",):
                    doing = session.run(prompt) if isinstance(prompt, str) else asyncio.to_thread(prompt)
                    came.append(await doing)
            finally:
                await app.aclose()
            self.requests = model.requests
            self.results = [call.result for turn in session.turns for call in turn.calls if call.result is not None]
            return came

        return asyncio.run(go())

    def data(self, place: int) -> dict[str, Any]:
        """Return what a call returned."""
        result = self.results[place]
        assert result.success, result.error
        return dict(result.data)

    def waits(self) -> list[str]:
        """Return what plugins said to the model."""
        return [event.data["text"] for event in self.events if event.kind == "input.waiting"]

    def error(self, place: int) -> inarch.ToolError:
        """Return how a call failed."""
        error = self.results[place].error
        assert error is not None
        return error


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a new desk."""
    return Desk(tmp_path)


def start(command: str, **more: Any) -> tuple[str, dict[str, Any]]:
    """Return a call that starts a process."""
    return "start_process", {"command": command, **more}


def run(command: str, **more: Any) -> tuple[str, dict[str, Any]]:
    """Return a call that runs a command."""
    return "execute_command", {"command": command, **more}


def read(process: str = "p1", **more: Any) -> tuple[str, dict[str, Any]]:
    """Return a call that reads a process."""
    return "read_process", {"process": process, **more}


STOP = ("stop_process", {"process": "p1"})


def gone(marker: str) -> bool:
    """Whether no process of this machine has a word in its command line; waits a moment for that."""
    for _ in range(200):
        if not any(marker.encode() in _words(pid) for pid in os.listdir("/proc") if pid.isdigit()):
            return True
        time.sleep(0.05)
    return False


def _words(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_server_is_reached_by_later_commands_and_by_nobody_else(desk: Desk) -> None:
    server, fetch = desk.script("server_a1.py", SERVER), desk.script("fetch.py", FETCH)
    desk.talk([
        calls(start(server, tell_when="^ready")),
        calls(read(wait_s=20)),
        calls(run(f"{fetch} one", in_process="p1")),
        calls(run(f"{fetch} two")),
        calls(read()),
        calls(STOP),
        says("done"),
    ])  # fmt: skip
    assert "hello from /one" in desk.data(2)["output"] and desk.data(2)["level"] >= 2
    assert "unreachable" in desk.data(3)["output"]
    assert "visited /one" in desk.data(4)["output"] and "has been running" in desk.data(4)["state"]
    assert "was stopped by stop_process" in desk.data(5)["state"]
    assert (desk.root / "visits.txt").read_text() == "/one\n"
    assert gone("server_a1.py")


def test_without_namespaces_nothing_is_started_and_doctor_is_named() -> None:
    found = Features(7, True, False, False, "x86_64", ("no mount namespace (Operation not permitted)",))
    with pytest.raises(inarch.ToolFailed, match=r"no mount namespace .*; nothing was started") as failed:
        require_alone(inarch.Rights(), found)
    assert "inarch doctor" in failed.value.remedy


def test_the_end_of_a_process_goes_into_the_running_turn(desk: Desk) -> None:
    ending = desk.script("ending.py", "import time; time.sleep(2); print('last words'); raise SystemExit(3)")
    slow = desk.script("slow.py", "import time; time.sleep(5)")
    desk.talk([calls(start(ending)), calls(run(slow)), says("done")])
    assert desk.data(0)["note"] == "You will be notified when it ends."
    (said,) = desk.waits()
    assert "p1 (python3 ending.py) ended with exit code 3" in said and "last words" in said
    told = [part.text for part in desk.requests[-1].messages[-1].parts if isinstance(part, inarch.Text)]
    assert any("From the plugin processes" in text and "exit code 3" in text for text in told)


def test_where_no_turn_runs_the_next_prompt_begins_with_the_news(desk: Desk) -> None:
    ending = desk.script("ending.py", "import time; time.sleep(2); print('ready now', flush=True); time.sleep(60)")

    def wait() -> None:
        for _ in range(200):
            if desk.waits():
                return
            time.sleep(0.05)

    desk.talk([calls(start(ending, tell_when=r"ready \w+")), says("on"), says("heard")], "go", wait, "what now?")
    first = desk.requests[-1].messages[-1].parts[0]
    assert isinstance(first, inarch.Text) and "wrote what was waited for: ready now" in first.text
    assert "what now?" in first.text


def test_the_end_of_the_session_stops_what_runs_and_says_so(desk: Desk) -> None:
    server = desk.script("server_c1.py", SERVER)
    desk.talk([calls(start(server, tell_when="ready")), says("started")])
    notes = [event.data["text"] for event in desk.events if event.kind == "note"]
    assert any("1 running" in note and "p1 (python3 server_c1.py)" in note for note in notes)
    assert any("was stopped by the end of the session" in said for said in desk.waits())
    assert gone("server_c1.py")


@pytest.mark.parametrize("pattern", ["(", "*", "a" * 1_001, ""])
def test_a_pattern_that_is_none_starts_nothing(desk: Desk, pattern: str) -> None:
    writes = desk.script("writes.py", "open('made.txt', 'w')")
    desk.talk([calls(start(writes, tell_when=pattern)), says("done")])
    assert desk.error(0).code == "validation" and not (desk.root / "made.txt").exists()


def test_a_pattern_without_end_is_given_up_and_the_output_is_read(desk: Desk) -> None:
    lines = desk.script("lines.py", "import time\nprint('a' * 60 + '!', flush=True)\ntime.sleep(60)")
    desk.talk([calls(start(lines, tell_when="(a+)+$")), calls(read(wait_s=30)), says("done")])
    assert "takes too long" in (desk.data(0)["note"] or "") + (desk.data(1)["note"] or "")
    assert "aaa!" in desk.data(0)["output"] + desk.data(1)["output"]


def test_a_hundred_megabytes_are_read_from_their_end_and_what_is_gone_is_told(desk: Desk) -> None:
    text = "import sys\nfor n in range(100): sys.stdout.write(('x' * 1023 + '\\n') * 1024)\nprint('end of it')"
    much = desk.script("much.py", text)
    desk.talk([calls(start(much)), calls(read(wait_s=60)), calls(read(since=0)), says("done")])
    last, first = desk.data(1), desk.data(2)
    assert first["total"] == 100 * (1 << 20) + len("end of it\n")
    assert last["output"].endswith("end of it\n") or desk.data(0)["output"].endswith("end of it\n")
    assert f"{first['total'] - (1 << 20)} bytes are gone" in first["left_out"]


def test_only_so_many_run_at_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assert background.MOST == 20
    monkeypatch.setattr(background, "MOST", 2)
    sleeps = desk.script("sleeps_e1.py", "import time; time.sleep(600)")
    desk.talk([*(calls(start(sleeps)) for _ in range(3)), calls(STOP), calls(start(sleeps)), says("done")])
    assert all(desk.results[place].success for place in range(2))
    assert "2 processes are running" in desk.error(2).message and "stop_process" in desk.error(2).remedy
    assert desk.data(4)["process"] == "p3"
    assert gone("sleeps_e1.py")


def test_a_cancelled_turn_leaves_the_process_and_takes_the_news_on(desk: Desk) -> None:
    ending = desk.script("ending.py", "import time; time.sleep(3); raise SystemExit(4)")

    async def go() -> list[str]:
        script = [calls(start(ending)), calls(read(wait_s=100)), says("done")]
        options: dict[str, Any] = {"environ": desk.environ, "flags": {"approve": "all"}, "journal": True}
        app, _ = scripted_app(ScriptedModel(script), desk.root, **options)
        session = app.session()
        events: list[inarch.Event] = []
        session.state.journal.listeners.append(events.append)
        task = asyncio.create_task(session.run("go"))
        while not any(event.data.get("name") == "read_process" for event in events):
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for _ in range(200):
            if session.waiting:
                break
            await asyncio.sleep(0.05)
        told = [one.text for one in session.waiting]
        await app.aclose()
        return told

    (told,) = asyncio.run(go())
    assert "exit code 4" in told


def test_undo_takes_back_what_a_process_changed_and_leaves_edits_of_others(desk: Desk) -> None:
    (desk.root / "made").mkdir()
    (desk.root / "log.txt").write_text("first\n")
    (desk.root / "edited.txt").write_text("before\n")
    writes = desk.script(
        "writes.py",
        "import time\nopen('log.txt', 'a').write('from the process\\n')\nopen('new.txt', 'w').write('new\\n')\n"
        "print('wrote', flush=True)\ntime.sleep(600)",
    )
    desk.talk([
        calls(start(writes, tell_when="wrote")),
        calls(read(wait_s=20), ("read_file", {"file_path": "edited.txt"})),
        calls(("write_file", {"file_path": "edited.txt", "content": "after\n"})),
        calls(STOP),
        says("done"),
    ])  # fmt: skip
    changed = [(event.data["path"], event.data["call_id"]) for event in desk.events if event.kind == "file.changed"]
    assert sorted(path for path, _ in changed) == ["edited.txt", "log.txt", "new.txt"]
    with inarch.compose(root=desk.root, environ=desk.environ) as app:
        report = app.extension(desk.session_id, "undo").undo("")
    assert report.done, report
    assert (desk.root / "log.txt").read_text() == "first\n" and not (desk.root / "new.txt").exists()
    assert (desk.root / "edited.txt").read_text() == "before\n"


def test_daemons_that_leave_their_session_end_with_it(desk: Desk) -> None:
    daemon = desk.script(
        "daemon.py",
        "import os, sys, time\n"
        "for _ in range(2):\n"
        "    if os.fork(): os._exit(0) if _ else time.sleep(600)\n"
        "    os.setsid()\n"
        "os.execvp('sleep', ['sleep', '611.5'])\n",
    )
    desk.talk([calls(start(daemon)), calls(STOP), says("done")])
    assert "was stopped" in desk.data(1)["state"]
    assert gone("611.5")
