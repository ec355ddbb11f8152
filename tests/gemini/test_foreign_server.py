"""The same wire against a server that nobody here wrote: npm `@copilotkit/aimock`, where it is installed."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from gemini_wire import KEY, PLUGINS

import inarch

pytestmark = pytest.mark.slow

FIXTURES = [
    {
        "match": {"userMessage": "compare", "hasToolResult": False},
        "response": {
            "reasoning": "Both are needed.",
            "toolCalls": [
                {"name": "read_file", "arguments": json.dumps({"file_path": "a.txt"})},
                {"name": "read_file", "arguments": json.dumps({"file_path": "b.txt"})},
            ],
        },
    },
    {"match": {"toolResultContains": "BETA", "hasToolResult": True}, "response": {"content": "They differ in a word."}},
    {"match": {"userMessage": "hello"}, "response": {"content": "Hello to you, whoever you are."}},
]


@pytest.fixture
def address(part: Callable[[str], str], tmp_path: Path) -> Iterator[str]:
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text(json.dumps({"fixtures": FIXTURES}))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = str(Path(part("aimock")).with_name("llmock"))
    server = subprocess.Popen(
        [program, "-p", str(port), "-f", str(fixtures), "--log-level", "silent"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        assert server.poll() is None, "aimock ended at once"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("aimock does not listen")


def run(address: str, root: Path, prompt: str) -> inarch.Turn:
    config = {
        "profiles": {"default": {"plugins": PLUGINS, "model": "gemini"}},
        "plugins": {"gemini": {"base_url": f"{address}/v1beta", "silence_s": 5}},
    }

    async def go() -> inarch.Turn:
        app = inarch.compose(root=root, config=config)
        turn = await app.session().run(prompt)
        await app.aclose()
        return turn

    return asyncio.run(go())


def ask(url: str, data: Any = None) -> Any:
    body = None if data is None else json.dumps(data).encode()
    with urlopen(Request(url, body, {"content-type": "application/json"}), timeout=10) as answer:
        return json.load(answer)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("ALPHA\n")
    (folder / "b.txt").write_text("BETA\n")
    return folder


def test_a_conversation_with_two_calls(address: str, root: Path) -> None:
    turn = run(address, root, "compare a.txt and b.txt")
    assert (turn.status, turn.content, turn.reasoning) == ("done", "They differ in a word.", "Both are needed.")
    assert [call.status for call in turn.calls] == ["success", "success"]
    assert len(ask(f"{address}/__aimock/journal")) == 2


@pytest.mark.parametrize(
    ("chaos", "said"),
    [
        ({"dropRate": 1}, "gemini answered 500"),
        ({"malformedRate": 1}, "gemini did not answer with JSON"),
        ({"disconnectRate": 1}, "broke the connection off"),
        ({"rateLimitRate": 1}, "gemini answered 429"),
    ],
)
def test_its_faults_end_in_one_clear_error(
    address: str, root: Path, monkeypatch: pytest.MonkeyPatch, chaos: dict[str, int], said: str
) -> None:
    monkeypatch.setattr("inarch.turns.model_client.ATTEMPTS", 1)
    monkeypatch.setattr("inarch.turns.model_client.A_MINUTE_S", 0.0)
    ask(f"{address}/__aimock/chaos", chaos)
    turn = run(address, root, "hello")
    assert turn.status == "failed"
    assert turn.error is not None and said in turn.error
    assert KEY not in turn.error
    ask(f"{address}/__aimock/chaos", {})
    assert run(address, root, "hello").content == "Hello to you, whoever you are."
