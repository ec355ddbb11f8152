"""Esc, Ctrl-C, Ctrl-D and signals, in every state of a conversation."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from inarch.testing import HttpReply, HttpServer, json_reply, sse_reply

from ...forking import LONGEST_S
from ...running.terminals import Terminal
from .conftest import Talk

pytestmark = pytest.mark.once

NAME = "openai-compatible/small"
ADDRESS = "INARCH_PLUGIN_OPENAI_COMPATIBLE__BASE_URL"
KEYS = pytest.mark.parametrize("key", ["Escape", "C-c"])


def piece(text: str) -> dict[str, object]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return {"id": "r", "object": "chat.completion.chunk", "choices": [choice]}


NEVER = HttpReply([600.0])
BEGUN = sse_reply([piece("The beginning of it.\n\n")], done=False, ending="silent")
BUSY = json_reply({"error": {"message": "slow down"}}, 429, retry_after="50")


def program(opened: Terminal) -> int:
    """Return the id of the program in a terminal."""
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(opened.shell)], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0])


def goes_on(opened: Terminal) -> None:
    """See that the conversation still takes lines, then leave."""
    opened.type("/approve", "Enter")
    opened.until("in this project")
    opened.type("", "C-d")
    opened.until("code=0")


@KEYS
@pytest.mark.parametrize(
    ("answer", "seen"), [(NEVER, "waiting for the model"), (BEGUN, "The beginning of it."), (BUSY, "waiting ")]
)
def test_waiting_for_headers_streaming_and_waiting_for_a_limit(
    talk: Talk, key: str, answer: HttpReply, seen: str
) -> None:
    with HttpServer([answer]) as server:
        opened = talk("--model", NAME, **{ADDRESS: f"{server.url}/v1"})
        opened.type("say something", "Enter")
        opened.until(seen)
        opened.type("", key)
        screen = opened.until("cancelled ·")
        assert "waiting " not in screen.rpartition("cancelled ·")[2]
        if answer is BEGUN:
            assert screen.count("The beginning of it.") == 1
        goes_on(opened)


@KEYS
def test_a_running_command_is_gone(talk: Talk, environ: dict[str, str], project: Path, key: str) -> None:
    folder = Path(environ["XDG_CONFIG_HOME"]) / "inarch"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[commands.busy]\nargv = ["python3", "busy.py"]\nwrites = ["."]\n')
    (project / "busy.py").write_text(
        "import os, pathlib, time\n"
        "pathlib.Path('busy.pid').write_text('x')\n"
        "print('it is busy', flush=True)\n"
        "while True:\n    pathlib.Path('beat').write_text(str(time.time()))\n    time.sleep(0.05)\n"
    )
    opened = talk()
    opened.type("run: python3 busy.py", "Enter")
    opened.until("it is busy")
    opened.type("", key)
    opened.until("cancelled ·")
    beat = (project / "beat").read_text()
    goes_on(opened)
    assert (project / "beat").read_text() == beat


@KEYS
def test_a_question_is_cancelled_with_its_turn(ask: Talk, project: Path, key: str) -> None:
    opened = ask()
    opened.type("write a file", "Enter")
    opened.until("? more")
    opened.type("", key)
    screen = opened.until("cancelled ·")
    assert "? more" not in screen
    assert not (project / "new.txt").exists()
    goes_on(opened)


def test_ctrl_c_clears_the_line_and_says_how_to_leave(talk: Talk) -> None:
    opened = talk()
    opened.type("half a line")
    opened.until("> half a line")
    opened.type("", "C-c")
    opened.until("\n>\n")
    opened.type("", "C-c")
    opened.until("Ctrl-D leaves\n")
    opened.type("x", "BSpace", "C-d")
    opened.until("code=0")


def test_ctrl_d_ends_the_turn_in_good_order(talk: Talk) -> None:
    opened = talk()
    opened.type("slow one", "Enter")
    opened.until("Slowly")
    opened.type("", "C-d")
    opened.until("cancelled ·", "code=0")
    opened = talk("--continue")
    opened.type("/stats", "Enter")
    opened.until("1 turn")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_in_good_order(talk: Talk, number: signal.Signals) -> None:
    opened = talk()
    opened.type("slow one", "Enter")
    opened.until("Slowly")
    os.kill(program(opened), number)
    opened.until("cancelled ·", "code=130")


def test_a_second_ctrl_c_leaves_at_once_even_if_a_plugin_blocks(talk: Talk, project: Path) -> None:
    opened = talk()
    opened.type("get stuck", "Enter")
    waited(project / "stuck.txt")
    for _ in range(int(LONGEST_S * 2)):  # the first only asks; that it came can't be seen
        opened.type("", "C-c")
        try:
            opened.until("code=130", seconds=0.5)
            break
        except AssertionError:
            continue
    opened.until("code=130")
    opened.type("echoed again")  # the terminal is as it was
    opened.until("echoed again")


def waited(path: Path) -> None:
    """Wait until a file is there."""
    end = time.monotonic() + LONGEST_S
    while not path.exists():
        assert time.monotonic() < end, f"{path.name} never came"
        time.sleep(0.02)
