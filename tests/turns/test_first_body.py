"""What a first request carries whatever the question is: the system text and the default tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import HttpServer, sse_reply

MOST_BYTES = 12_400


def first_body(root: Path, wire: str, chunk: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-none")
    with HttpServer([sse_reply([chunk])]) as server:
        profile = {"model": f"{wire}/m", "strategy": ["native"]}
        config = {"profiles": {"default": profile}, "plugins": {wire: {"base_url": server.url}}}
        turn = inarch.run("hello", root=root, config=config)
        assert turn.content == "hi", turn.error
        return server.requests[0].json


def size(*members: Any) -> int:
    return len(json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode())


def test_chat_completions_are_sent_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = {"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}]}
    body = first_body(tmp_path, "openai-compatible", chunk, monkeypatch)
    assert size(body["messages"][0], body["tools"]) <= MOST_BYTES
    assert {tool["function"]["name"] for tool in body["tools"]} >= {"read_file", "find_symbols", "git_diff", "recall"}


def test_gemini_is_sent_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chunk = {"candidates": [{"content": {"parts": [{"text": "hi"}]}, "finishReason": "STOP"}]}
    body = first_body(tmp_path, "gemini", chunk, monkeypatch)
    assert size(body["systemInstruction"], body["tools"]) <= MOST_BYTES


def test_what_models_are_told_leaves_out_what_goes_without_saying(tmp_path: Path) -> None:
    app = inarch.compose(root=tmp_path)
    told = json.dumps([spec.input_schema for spec in app.tool_specs])
    assert "additionalProperties" not in told and "minLength" not in told
    whole = json.dumps([bound.value.input_schema for bound in app.composition.tools.values()], default=dict)
    assert "additionalProperties" in whole  # calls are checked against it
    app.close()
