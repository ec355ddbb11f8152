"""A person with a batch: their home, a model server on loopback that counts, and `inarch batch` as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply, sse_reply

PROGRAM = (sys.executable, "-P", "-m", "inarch", "batch")
GIT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
GIT |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}


def says(text: str, taken: int = 100, made: int = 10) -> HttpReply:
    return _reply({"content": text}, "stop", taken, made)


def calls(name: str, arguments: Mapping[str, Any], taken: int = 100, made: int = 10) -> HttpReply:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return _reply({"tool_calls": [{"index": 0, "id": "c0", "type": "function", "function": function}]}, "tool_calls",
                  taken, made)  # fmt: skip


def _reply(delta: dict[str, Any], finish: str, taken: int, made: int) -> HttpReply:
    usage = {"prompt_tokens": taken, "completion_tokens": made, "total_tokens": taken + made}
    return sse_reply(
        [{"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}, {"choices": [], "usage": usage}]
    )


def writes(path: str = "made.txt", text: str = "made\n", taken: int = 100, made: int = 10) -> HttpReply:
    return calls("write_file", {"file_path": path, "content": text}, taken, made)


class Person:
    """Who runs batches; `steps` answers a task's n-th request, and `asked` counts the requests of each task.

    A prompt begins with the task's id; by it the server knows whose request it is.
    """

    says, calls, writes = staticmethod(says), staticmethod(calls), staticmethod(writes)

    def __init__(self, home: Path) -> None:
        self.home, self.out = home, home / "out"
        self.environ = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
        self.environ |= {"HOME": str(home), "PATH": os.environ["PATH"], **GIT}
        self.project = home / "project"
        self.project.mkdir(parents=True)
        (self.project / "a.txt").write_text("one\n")
        self.asked: Counter[str] = Counter()
        self.steps: Callable[[str, int], HttpReply] = lambda task, step: (
            writes() if step == 0 else says(f"{task} is done")
        )
        self.step_of: Callable[[Any], int] = lambda messages: sum(one["role"] == "assistant" for one in messages)
        self._lock = threading.Lock()
        self.server = HttpServer([self._answer], {"GET /v1/models": json_reply({"data": [{"id": "m"}]})})

    def _answer(self, request: HttpRequest) -> HttpReply:
        messages = request.json["messages"]
        prompt = next(message["content"] for message in messages if message["role"] == "user")
        task = (prompt if isinstance(prompt, str) else prompt[0]["text"]).split()[0]
        step = self.step_of(messages)
        with self._lock:
            self.asked[task] += 1
        return self.steps(task, step)

    def configure(self, **settings: Any) -> None:
        folder = self.home / "config" / "inarch"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [
            "[profiles.default]",
            'model = "openai-compatible/m"',
            'plugins = ["...", "openai-compatible", "batch"]',
        ]
        lines += ['approve = "edits"', "[plugins.openai-compatible]", f'base_url = "{self.server.url}/v1"']
        values = {"input_price": 1.0, "output_price": 10.0, **settings}
        lines += [f"{key} = {value}" for key, value in values.items()]
        (folder / "config.toml").write_text("\n".join(lines) + "\n")

    def tasks(self, *tasks: Mapping[str, Any]) -> Path:
        file = self.home / "tasks.jsonl"
        file.write_text("".join(json.dumps(task) + "\n" for task in tasks))
        return file

    def many(self, count: int, **more: Any) -> Path:
        return self.tasks(*({"id": f"t{n}", "prompt": f"t{n} please", "root": "project", **more} for n in range(count)))

    def start(self, tasks: Path, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*PROGRAM, str(tasks), "-o", str(self.out), *words], cwd=self.home, env=self.environ, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, tasks: Path, *words: str) -> subprocess.CompletedProcess[str]:
        process = self.start(tasks, *words)
        out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def results(self) -> dict[str, dict[str, Any]]:
        lines = (self.out / "results.jsonl").read_text().splitlines()
        found = [json.loads(line) for line in lines]
        assert len({one["id"] for one in found}) == len(found), "a task has two results"
        return {one["id"]: one for one in found}

    def git(self, *words: str, cwd: Path | None = None) -> str:
        ran = subprocess.run(
            ["git", *words], cwd=cwd or self.project, env=self.environ, check=True, capture_output=True, text=True
        )
        return ran.stdout.strip()

    def repository(self, *texts: str) -> Sequence[str]:
        """Make the project a repository with a commit for each text of a.txt, and return their names."""
        self.git("init", "-q", "-b", "main")
        made = []
        for text in texts:
            (self.project / "a.txt").write_text(text)
            self.git("add", "-A")
            self.git("commit", "-q", "-m", text.strip())
            made.append(self.git("rev-parse", "HEAD"))
        return made


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Person]:
    found = Person(tmp_path / "home")
    with found.server:
        found.configure()
        yield found
