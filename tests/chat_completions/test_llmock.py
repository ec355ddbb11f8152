"""Against a server that nobody here wrote: llmock, with its tool calls and its faults."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import inarch

from .wire import compose

pytestmark = [pytest.mark.once, pytest.mark.slow, pytest.mark.needs("llmock")]

MODEL = "gpt-4o"
Start = Callable[..., str]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    running: list[subprocess.Popen[bytes]] = []

    def started(*options: str) -> str:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        program = Path(sys.executable).with_name("llmock")
        with (tmp_path / "log").open("wb") as log:
            running.append(
                subprocess.Popen(
                    [str(program), "serve", "-h", "127.0.0.1", "-p", str(port), *options], stdout=log, stderr=log
                )
            )
        for _ in range(300):
            assert running[-1].poll() is None, (tmp_path / "log").read_text()
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        return f"http://127.0.0.1:{port}/v1"

    yield started
    for process in running:
        process.terminate()
        process.wait()


def turn_of(root: Path, url: str, prompt: str, **profile: Any) -> inarch.Turn:
    app = compose(root / "w", url, "openai-compatible", MODEL, {"api_key_env": "OPENAI_API_KEY"}, profile)

    async def go() -> inarch.Turn:
        try:
            return await app.session().run(prompt)
        finally:
            await app.aclose()

    return asyncio.run(go())


def test_it_lists_models_calls_a_tool_and_answers(tmp_path: Path, start: Start) -> None:
    url = start("--response-style", "varied")
    turn = turn_of(tmp_path, url, "list the files")
    assert turn.status == "done" and turn.content
    assert turn.calls and turn.usage.input_tokens > 0
    app = compose(tmp_path / "w", url, "openai-compatible", MODEL, {"api_key_env": "OPENAI_API_KEY"})

    async def models() -> Any:
        try:
            return await app.composition.models["openai-compatible"].value.models()
        finally:
            await app.aclose()

    assert MODEL in {info.name for info in asyncio.run(models())}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--error-rate", "401=1"], "answered 401"),
        (["--error-rate", "400=1"], "answered 400"),
        (["--context-window", "16"], "answered 400.*new session"),
        (["--stream-fault", "disconnect=1"], "broke the connection off|cut before its end"),
        (["--stream-fault", "malformed=1"], "no JSON"),
        (["--error-rate", "503=1"], "answered 503"),
    ],
)
def test_its_faults_end_in_one_clear_error(tmp_path: Path, start: Start, options: list[str], said: str) -> None:
    turn = turn_of(tmp_path, start("--tool-mode", "off", *options), "hello", max_seconds=30)
    assert turn.status in ("failed", "limited"), turn
    assert re.search(said, turn.error or ""), turn
    assert os.linesep not in (turn.error or "")
