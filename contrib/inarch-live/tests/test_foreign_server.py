"""Both wires against a server that nobody here wrote: npm `@copilotkit/aimock`, where it is installed.

It knows the setup, text, calls and results of both, and answers by voice on Gemini Live.
"""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from inarch_live.port import (
    AudioDelta,
    CallsRequested,
    LiveProvider,
    LiveResult,
    LiveSetup,
    TextDelta,
    TurnEnded,
)
from inarch_live.testing import LONGEST_S
from inarch_live.wires.gemini import GeminiLive
from inarch_live.wires.openai_realtime import OpenAIRealtime

from .contract import EDIT, READ, ramp, upto

PCM = ramp(2_400)
FIXTURES = [
    {
        "match": {"userMessage": "compare", "hasToolResult": False},
        "response": {
            "toolCalls": [
                {"name": "edit_file", "arguments": json.dumps({"path": "a.txt"})},
                {"name": "read_file", "arguments": "{}"},
            ]
        },
    },
    {"match": {"toolResultContains": "BETA", "hasToolResult": True}, "response": {"content": "They differ in a word."}},
    {
        "match": {"userMessage": "speak"},
        "response": {
            "audio": {"b64Json": base64.b64encode(PCM).decode(), "contentType": "audio/pcm;rate=24000"},
            "content": "spoken",
        },
    },
    {"match": {"userMessage": "hello"}, "response": {"content": "Hello to you."}},
]
GEMINI = "gemini-2.5-flash-native-audio-preview-12-2025"
"""Takes typed text as a turn, which this server knows; it knows nothing of what later models take."""
WIRES: list[tuple[Callable[[str], LiveProvider], str]] = [
    (lambda address: GeminiLive("a-key", address), GEMINI),
    (lambda address: OpenAIRealtime("a-key", f"{address}/v1"), "gpt-realtime-2"),
]


@pytest.fixture(scope="module")
def address(part: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    fixtures = tmp_path_factory.mktemp("aimock") / "fixtures.json"
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
    end = time.monotonic() + LONGEST_S
    while time.monotonic() < end and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail("the server did not start")


@pytest.mark.parametrize(("of", "model"), WIRES)
async def test_text_calls_and_results(of: Callable[[str], LiveProvider], model: str, address: str) -> None:
    connection = await of(address).connect(LiveSetup(model, "Be brief.", (EDIT, READ)))
    events = aiter(connection)
    await connection.send_text("compare a and b")
    asked = await upto(events, TurnEnded)
    (calls,) = [event.calls for event in asked if isinstance(event, CallsRequested)]
    assert [(call.name, call.arguments) for call in calls] == [("edit_file", {"path": "a.txt"}), ("read_file", {})]
    await connection.send_results([LiveResult(call.id, call.name, "success", "BETA") for call in calls])
    answer = await upto(events, TurnEnded)
    assert "".join(event.text for event in answer if isinstance(event, TextDelta)) == "They differ in a word."
    await connection.send_text("hello")
    answer = await upto(events, TurnEnded)
    assert "".join(event.text for event in answer if isinstance(event, TextDelta)) == "Hello to you."
    await connection.aclose()


async def test_an_answer_by_voice(address: str) -> None:
    connection = await GeminiLive("a-key", address).connect(LiveSetup(GEMINI))
    await connection.send_text("speak to me")
    sound, words, ended = await upto(aiter(connection), TurnEnded)
    assert sound == AudioDelta(PCM, 24_000)
    assert words == TextDelta("spoken")
    assert ended == TurnEnded()
    await connection.aclose()


@pytest.mark.parametrize(("of", "model"), WIRES)
async def test_what_the_service_has_no_answer_to_ends_the_turn(
    of: Callable[[str], LiveProvider], model: str, address: str
) -> None:
    connection = await of(address).connect(LiveSetup(model))
    await connection.send_text("nothing of the kind")
    events = await upto(aiter(connection), TurnEnded)
    assert any(isinstance(event, TurnEnded) and event.error for event in events)
    await connection.aclose()
