"""The same route against servers that nobody here wrote: npm `@copilotkit/aimock` and PyPI `llmock`, where they are."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

import inarch

from ..chat_completions.wire import KEY
from .wire import CLAUDE, READ, compose

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
FIXTURES = [
    {
        "match": {"userMessage": "compare", "hasToolResult": False},
        "response": {
            "toolCalls": [{"name": "read_file", "arguments": READ}, {"name": "list_files", "arguments": "{}"}]
        },
    },
    {"match": {"hasToolResult": True}, "response": {"content": "They differ in a word."}},
    {"match": {"userMessage": "hello"}, "response": {"content": "Hello to you, whoever you are."}},
]
Part = Callable[[str], str]
Start = Callable[[Sequence[str]], str]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts a server with `-p PORT` and returns its address."""
    running: list[subprocess.Popen[bytes]] = []

    def started(argv: Sequence[str]) -> str:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        running.append(subprocess.Popen([*argv, "-p", str(port)], **quiet))
        for _ in range(600):
            assert running[-1].poll() is None, "the server ended at once"
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return f"http://127.0.0.1:{port}"
            except OSError:
                time.sleep(0.1)
        raise AssertionError("the server does not listen")

    yield started
    for process in running:
        process.kill()
        process.wait()


def turn_of(root: Path, url: str, model: str, prompt: str) -> inarch.Turn:
    app = compose(root / "w", url, model, {"silence_s": 10})

    async def go() -> inarch.Turn:
        try:
            return await app.session().run(prompt)
        finally:
            await app.aclose()

    return asyncio.run(go())


@pytest.mark.parametrize("model", ["openai/gpt-4o", CLAUDE])
def test_aimock_calls_two_tools_and_answers(
    part: Part, tmp_path: Path, start: Start, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text(json.dumps({"fixtures": FIXTURES}))
    program = str(Path(part("aimock")).with_name("llmock"))
    url = start([program, "-f", str(fixtures), "--log-level", "silent"])
    turn = turn_of(tmp_path, url, model, "compare them")
    assert (turn.status, turn.content) == ("done", "They differ in a word."), turn.error
    assert [call.status for call in turn.calls] == ["success", "success"]
    monkeypatch.setattr("inarch.turns.asker.A_MINUTE_S", 0.0)
    for chaos in ({"dropRate": 1}, {"malformedRate": 1}, {"disconnectRate": 1}, {"rateLimitRate": 1}):
        body = json.dumps(chaos).encode()
        urlopen(Request(f"{url}/__aimock/chaos", body, {"content-type": "application/json"}), timeout=30).close()
        failed = turn_of(tmp_path, url, model, "hello")
        assert failed.status == "failed" and failed.error, chaos
        assert KEY not in failed.error and failed.error.isprintable()


def test_llmock_calls_tools_and_answers(part: Part, tmp_path: Path, start: Start) -> None:
    url = start([part("llmock"), "serve", "-h", "127.0.0.1", "--response-style", "varied"])
    turn = turn_of(tmp_path, url, "openai/gpt-4o", "list the files")
    assert turn.status == "done" and turn.content and turn.calls, turn.error
