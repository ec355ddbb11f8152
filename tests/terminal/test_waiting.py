"""Waits for a service that asks for patience: counted down on a terminal, one line in a pipe, an event for programs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inarch.testing import HttpReply, HttpServer, json_reply, sse_reply

from ..running.program import Run

pytestmark = pytest.mark.once

NAME = "openai-compatible/small"
ADDRESS = "INARCH_PLUGIN_OPENAI_COMPATIBLE__BASE_URL"


def busy(seconds: str) -> HttpReply:
    return json_reply({"error": {"message": "slow down"}}, 429, retry_after=seconds)


def chunks(delta: dict[str, Any], finish: str) -> HttpReply:
    choices = ({"index": 0, "delta": delta, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": finish})
    return sse_reply([{"id": "r", "object": "chat.completion.chunk", "choices": [choice]} for choice in choices])


GOOD = chunks({"content": "The answer."}, "stop")
READS = chunks(
    {
        "tool_calls": [
            {"index": 0, "id": "c1", "function": {"name": "read_file", "arguments": '{"file_path": "README.md"}'}}
        ]
    },
    "tool_calls",
)


def test_a_pipe_gets_one_plain_line(cli: Run) -> None:
    with HttpServer([busy("1"), GOOD]) as server:
        done = cli("say something", "--model", NAME, **{ADDRESS: f"{server.url}/v1"})
    assert (done.returncode, done.stdout) == (0, "The answer.\n")
    (line,) = [line for line in done.stderr.splitlines() if "waiting" in line]
    assert line.startswith(f"inarch: note: waiting 2 s for {NAME}: ")
    assert "\x1b" not in done.stderr and "\r" not in done.stderr


def test_programs_get_an_event_before_the_wait(cli: Run) -> None:
    with HttpServer([busy("1"), GOOD]) as server:
        done = cli("say something", "--model", NAME, "--output", "jsonl", **{ADDRESS: f"{server.url}/v1"})
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["kind"] for event in events if event["kind"] in ("model.requested", "limit.wait")]
    assert kinds == ["model.requested", "limit.wait", "model.requested"]
    (wait,) = [event["data"] for event in events if event["kind"] == "limit.wait"]
    assert wait["model"] == NAME and 1 < wait["seconds"] < 2 and wait["reason"]
