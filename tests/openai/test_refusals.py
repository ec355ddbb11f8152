"""What a service refuses: changed once and remembered, or one sentence with its words and one thing to do."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply
from inarch_plugins.openai.responses.families import efforts_of, nearest
from inarch_plugins.openai.wire_choice import completed, is_openai, prefers_responses

from ..services.openai_api import OpenAIService
from .wire import compose

REFUSED = {
    "include": ("Encrypted content is not supported with this model.", "include", ""),
    "summary": ("Your organization must be verified to generate reasoning summaries.", "reasoning", "summary"),
    "effort": ("Unsupported parameter: 'reasoning.effort' is not supported with this model.", "reasoning", "effort"),
    "prompt_cache_key": ("Unknown parameter: 'prompt_cache_key'.", "prompt_cache_key", ""),
}


def played(root: Path, service: OpenAIService, reply: Any = None, path: str = "", **more: Any) -> list[inarch.Event]:
    """Run two turns, each in an application of its own, and return what happened."""
    events: list[inarch.Event] = []

    async def go(url: str) -> None:
        for _ in range(2):
            async with compose(root, url + path, **dict(more)) as app:
                events.extend([event async for event in app.session().stream("hello")])

    with HttpServer([reply or service.reply]) as server:
        asyncio.run(go(server.url))
    return events


def error_of(root: Path, **more: Any) -> str:
    """Return the error of a turn."""
    ended = [one for one in played(root, OpenAIService(), **more) if one.kind == "turn.ended"]
    return str(ended[-1].data["turn"]["error"])


@pytest.mark.parametrize("member", REFUSED)
def test_a_member_that_is_refused_is_left_out_and_that_is_remembered(tmp_path: Path, member: str) -> None:
    message, outer, inner = REFUSED[member]
    service, bodies = OpenAIService(), list[Mapping[str, Any]]()

    def reply(request: HttpRequest) -> HttpReply:
        body = request.json
        bodies.append(body)
        if outer in body and (not inner or inner in body[outer]):
            return json_reply({"error": {"message": message, "type": "invalid_request_error"}}, 400)
        return json_reply({"object": "response", "status": "completed", "model": "m", "output": [SAID]})

    events = played(tmp_path / "w", service, reply, profile={"effort": "high"})
    turns = [event.data["turn"] for event in events if event.kind == "turn.ended" and event.data["turn"]["model"]]
    assert [turn["status"] for turn in turns] == ["done", "done"]
    assert len(bodies) == 3, "refused once, in the first application"
    notes = [event.data["source"] for event in events if event.kind == "note"]
    assert notes == ["repair", *(["model"] if member == "effort" else [])], "the kernel says that effort is left out"


SAID = {"id": "msg_1", "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]}


def test_the_nearest_effort_of_the_list_in_the_refusal_is_taken(tmp_path: Path) -> None:
    """For a model of which nothing is known the three plain words are tried."""
    bodies: list[Any] = []

    def reply(request: HttpRequest) -> HttpReply:
        bodies.append(request.json["reasoning"]["effort"])
        if bodies[-1] not in ("low", "xhigh"):
            said = f"Unsupported value: 'reasoning_effort' does not support '{bodies[-1]}' with this model."
            return json_reply({"error": {"message": f"{said} Supported values are: 'low' and 'xhigh'."}}, 400)
        return json_reply({"object": "response", "status": "completed", "model": "m", "output": [SAID]})

    played(tmp_path / "w", OpenAIService(), reply, profile={"effort": "high"}, model="openai/new-thing")
    assert bodies == ["high", "xhigh", "xhigh"]


def test_efforts_go_by_version() -> None:
    words = {
        "gpt-5": "minimal low medium high high", "gpt-5-mini": "minimal low medium high high",
        "gpt-5.1": "low low medium high high", "gpt-5.4": "low low medium high xhigh",
        "gpt-5.6": "low low medium high max", "gpt-6.2-sol": "low low medium high max",
        "gpt-10": "low low medium high max", "openai/gpt-6-luna": "low low medium high max",
        "o4-mini": "low low medium high high", "grok-4.7": "low low medium high high",
    }  # fmt: skip
    efforts: tuple[inarch.Effort, ...] = ("minimal", "low", "medium", "high", "max")
    for model, expected in words.items():
        assert " ".join(nearest(effort, efforts_of(model)) for effort in efforts) == expected
    assert nearest("medium", ("low", "high")) == "high"
    assert nearest("low", ("none",)) == "none"


def test_an_unknown_model_and_a_server_without_the_wire_are_reported(tmp_path: Path) -> None:
    unknown = error_of(tmp_path / "a", model="openai/gpt-77")
    assert "The model `gpt-77` does not exist" in unknown and "inarch models list" in unknown
    message = "The encrypted content for item rs_1 could not be verified."
    foreign = json_reply({"error": {"message": message, "code": "invalid_encrypted_content"}}, 400)
    assert "use /compact" in error_of(tmp_path / "c", reply=lambda request: foreign)
    absent = json_reply({"error": {"message": "Not Found"}}, 404)
    assert "openai-compatible" in error_of(tmp_path / "b", reply=lambda request: absent)


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/responses", "/v1/chat/completions"])
def test_an_address_works_with_or_without_its_end(tmp_path: Path, path: str) -> None:
    service = OpenAIService()
    played(tmp_path / "w", service, path=path)
    assert (service.refusals, service.paths) == ([], ["/responses"] * 2)


def test_addresses() -> None:
    assert completed("https://api.x.ai") == "https://api.x.ai/v1"
    assert completed("https://me.openai.azure.com/") == "https://me.openai.azure.com/openai/v1"
    assert completed("https://openrouter.ai") == "https://openrouter.ai/api/v1"
    for url in ("https://api.openai.com/v1", "https://eu.api.openai.com/v1", "https://me.openai.azure.com/openai/v1/",
                "https://a.privatelink.openai.example/v1"):  # fmt: skip
        assert is_openai(url) and prefers_responses(url)
    for url in ("https://api.x.ai/v1", "https://us-east-1.api.x.ai/v1"):
        assert prefers_responses(url) and not is_openai(url)
    for url in ("https://api.groq.com/openai/v1", "https://api.deepseek.com/v1", "http://localhost:1234/v1", "",
                "https://api.openai.com.evil.example/v1", "http://[::1/v1"):  # fmt: skip
        assert not prefers_responses(url)
