"""A server on this machine with a small context: it is asked how small, and nothing is sent that it would cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpRequest, json_reply, sse_reply
from inarch_testing.http_server import Answer

from .wire import call, calls, run, says

CONTEXT = 6_000
WAYS: dict[str, tuple[str, Any, str]] = {
    "llama.cpp": ("GET /props", {"default_generation_settings": {"n_ctx": CONTEXT}}, "-c"),
    "Ollama": (
        "GET /api/ps",
        {
            "models": [
                {"model": "other:latest", "context_length": 9},
                {"model": "large:latest", "context_length": CONTEXT},
            ]
        },
        "OLLAMA_CONTEXT_LENGTH",
    ),
    "LM Studio": (
        "GET /api/v0/models",
        {"data": [{"id": "small", "loaded_context_length": 9}, {"id": "large", "loaded_context_length": CONTEXT}]},
        "the context length of the loaded model",
    ),
}
READ = '{"file_path": "long.txt"}'


def conversation(root: Path, routes: dict[str, Answer], prompts: list[str], **settings: Any) -> Any:
    root.mkdir()
    (root / "long.txt").write_text("a word and another. " * 500)
    script = [sse_reply(calls(call(0, "c0", "read_file", READ))), sse_reply(says("well"))]
    return run(root, script, prompts, "openai-compatible", "", routes, {"model": "large", **settings}, path="/v1")


@pytest.mark.parametrize("way", WAYS)
def test_what_the_server_would_cut_is_made_shorter_and_told(tmp_path: Path, way: str) -> None:
    route, said, setting = WAYS[way]
    found = conversation(tmp_path / "w", {route: json_reply(said)}, ["read it", "and again"])
    ended = [event.data["turn"]["status"] for event in found.events if event.kind == "turn.ended"]
    assert ended[-1] == "done" and "failed" not in ended
    sizes = [len(request.body) // 4 for request in found.requests if request.method == "POST"]
    assert sizes and max(sizes) <= CONTEXT - CONTEXT // 4
    told = [event.data["text"] for event in found.events if event.kind == "note"]
    assert any(f"has a context of {CONTEXT} tokens here" in text and setting in text for text in told)


def test_a_server_that_knows_only_once_the_model_is_loaded_is_asked_twice(tmp_path: Path) -> None:
    asked: list[str] = []

    def loaded(request: HttpRequest) -> Any:
        asked.append(request.path)
        rows = [{"model": "large", "context_length": CONTEXT}] if len(asked) > 1 else []
        return json_reply({"models": rows})

    found = conversation(tmp_path / "w", {"GET /api/ps": loaded}, ["read it" + " or more" * 400])
    assert found.turn.status == "done"
    assert asked == ["/api/ps", "/api/ps"]
    assert any(f"has a context of {CONTEXT} tokens" in e.data["text"] for e in found.events if e.kind == "note")


def test_what_the_user_says_of_the_context_holds(tmp_path: Path) -> None:
    asked: list[str] = []

    def never(request: HttpRequest) -> Any:
        asked.append(request.path)
        return json_reply({})

    found = conversation(tmp_path / "w", {route: never for route, _, _ in WAYS.values()}, ["hi"], context_tokens=90_000)
    assert found.turn.status == "done"
    assert asked == []
