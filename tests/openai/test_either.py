"""`api = "auto"`: which wire `openai-compatible` takes, and that it finds out at most once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply

from ..services.openai_api import OpenAIService
from .wire import compose

ABSENT = json_reply({"error": {"message": "Not Found"}}, 404)


def led(
    root: Path,
    service: OpenAIService,
    model: str = "gpt-5.6",
    reply: Callable[[HttpRequest], HttpReply] | None = None,
    prompts: tuple[str, ...] = ("call 1", "commentary"),
    **settings: Any,
) -> list[inarch.Event]:
    """Run a session, then another in an application of its own, and return what happened."""
    events: list[inarch.Event] = []

    async def go(url: str) -> None:
        for number in range(2):
            more = {"api_key_env": "OPENAI_API_KEY", **settings}
            async with compose(root, f"{url}/v1", f"openai-compatible/{model}", settings=more) as app:
                session = app.session()
                for prompt in prompts:
                    events.extend([event async for event in session.stream(f"{prompt}: {number}")])

    with HttpServer([reply or service.reply]) as server:
        asyncio.run(go(server.url))
    return events


def statuses(events: list[inarch.Event]) -> set[str]:
    return {event.data["turn"]["status"] for event in events if event.kind == "turn.ended"}


@pytest.mark.parametrize("model", ["gpt-5.6", "gpt-6.2-sol"])
def test_a_model_that_wants_responses_gets_them_after_one_silent_refusal(tmp_path: Path, model: str) -> None:
    service = OpenAIService()
    events = led(tmp_path / "w", service, model)
    assert statuses(events) == {"done"}
    assert service.paths == ["/chat/completions", *["/responses"] * 6]
    notes = [event.data["source"] for event in events if event.kind == "note"]
    assert notes == ["repair"]


@pytest.mark.parametrize(("api", "path"), [("chat", "/chat/completions"), ("responses", "/responses")])
def test_a_wire_that_was_chosen_stays(tmp_path: Path, api: str, path: str) -> None:
    service = OpenAIService()
    events = led(tmp_path / "w", service, api=api)
    assert set(service.paths) == {path}
    assert statuses(events) == ({"failed"} if api == "chat" else {"done"})


def test_a_server_that_lost_the_wire_is_asked_over_chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For an address that usually has it; the name is looked up in `addresses`, so the test says it is one."""
    monkeypatch.setattr("inarch_plugins.openai.wire_choice.prefers_responses", lambda url: True)
    service = OpenAIService()
    paths: list[str] = []

    def reply(request: HttpRequest) -> HttpReply:
        paths.append(request.path)
        return ABSENT if request.path.endswith("/responses") else service.reply(request)

    assert statuses(led(tmp_path / "w", service, "gpt-4.1", reply, ("hello",))) == {"done"}
    assert paths == ["/v1/responses", "/v1/chat/completions", "/v1/chat/completions"]


def test_two_refusals_are_the_end(tmp_path: Path) -> None:
    paths: list[str] = []

    def reply(request: HttpRequest) -> HttpReply:
        paths.append(request.path)
        said = "only supported in v1/responses" if "chat" in request.path else "Not Found"
        return json_reply({"error": {"message": said}}, 404)

    events = led(tmp_path / "w", OpenAIService(), reply=reply, prompts=("hello",))
    assert statuses(events) == {"failed"}
    asked = [path for path in paths if path != "/v1/models"]  # which is looked at for the nearest name
    assert asked == ["/v1/chat/completions", "/v1/responses"] * 2


def test_both_wires_take_turns_in_one_conversation(tmp_path: Path) -> None:
    """What one wire keeps beside a reply does not disturb the other."""
    service = OpenAIService()

    async def go(url: str) -> None:
        session_id = None
        for api in ("responses", "chat", "responses"):
            settings = {"api_key_env": "OPENAI_API_KEY", "api": api}
            async with compose(
                tmp_path / "w", f"{url}/v1", "openai-compatible/gpt-4.1", settings=settings, journal=True
            ) as app:
                session = app.session(session_id)
                session_id = session.id
                assert (await session.run("commentary")).status == "done"

    with HttpServer([service.reply]) as server:
        asyncio.run(go(server.url))
    assert service.refusals == []
