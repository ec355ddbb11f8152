"""Agents from the command line: a server that speaks a wire, processes that are killed, sessions that are kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpReply, HttpRequest, HttpServer, sse_reply

PROGRAM = (sys.executable, "-P", "-m", "inarch")
Reply = list[Any]


def says(text: str, taken: int = 0) -> Reply:
    return _chunks({"content": text}, "stop", taken)


def calls(*wanted: tuple[str, dict[str, Any]], taken: int = 0) -> Reply:
    parts = [
        {"index": at, "id": f"c{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
        for at, (name, given) in enumerate(wanted)
    ]
    return _chunks({"tool_calls": parts}, "tool_calls", taken)


def _chunks(delta: dict[str, Any], finish: str, taken: int) -> Reply:
    usage = {"prompt_tokens": taken, "completion_tokens": 1, "total_tokens": taken + 1}
    return [{"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}, {"choices": [], "usage": usage}]


class Place:
    """A project, its user, and a model that answers to each prompt what its script says."""

    def __init__(self, home: Path) -> None:
        self.root, self.scripts = home / "root", dict[str, list[Reply]]()
        self.root.mkdir(parents=True)
        (self.root / "a.txt").write_text("one\n")
        names = ("CONFIG", "STATE", "CACHE", "DATA")
        self.environ = {f"XDG_{name}_HOME": str(home / name.lower()) for name in names}
        self.environ |= {"HOME": str(home), "PATH": os.environ["PATH"]}
        self.config = home / "config" / "inarch"
        (self.config / "agents").mkdir(parents=True)
        self.stuck = threading.Event()

    def answer(self, request: HttpRequest) -> HttpReply:
        messages = json.loads(request.body)["messages"]
        prompts = [message["content"] for message in messages if message["role"] == "user"]
        texts = [one if isinstance(one, str) else one[0]["text"] for one in prompts]
        last = texts[-1].split("\n")[0]
        after = messages[max(at for at, message in enumerate(messages) if message["role"] == "user") :]
        reply = self.scripts[last][sum(message["role"] == "assistant" for message in after)]
        if reply and reply[0] == "stuck":
            self.stuck.set()
            return sse_reply([60.0])
        return sse_reply(reply)

    @contextmanager
    def serving(self) -> Iterator[None]:
        with HttpServer([self.answer]) as server:
            text = '[profiles.default]\nmodel = "openai-compatible/m"\nplugins = ["...", "openai-compatible"]\n'
            text += f'[plugins.openai-compatible]\nbase_url = "{server.url}"\n'
            (self.config / "config.toml").write_text(text)
            yield

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*PROGRAM, *words], cwd=self.root, env=self.environ, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, *words: str) -> str:
        process = self.start(*words)
        out, err = process.communicate()
        assert process.returncode == 0, err
        return out


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def task(agent: str, prompt: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "task", {"agent": agent, "prompt": prompt, **more}


def _events(text: str) -> list[Mapping[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_what_a_child_changed_is_undone_with_its_parent_after_a_kill(place: Place) -> None:
    (place.config / "agents" / "maker.md").write_text("---\ndescription: Makes files.\n---\n")
    write = ("write_file", {"file_path": "made.txt", "content": "made\n"})
    place.scripts = {"parent": [calls(task("maker", "child"))], "child": [calls(write), ["stuck"]]}
    with place.serving():
        process = place.start("parent", "--approve", "all", "--output", "jsonl")
        assert place.stuck.wait(60)
        os.kill(process.pid, signal.SIGKILL)
        parent = _events(process.communicate()[0])[0]["session_id"]
    assert (place.root / "made.txt").read_text() == "made\n"
    place.run("undo", "--session", parent)
    assert not (place.root / "made.txt").exists()
