"""How much a model is to think: said in each service's words, left out where there are none, and then told once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import HttpServer, ScriptedModel, json_reply, says, scripted_app, sse_reply
from inarch_plugins.gemini.provider import Listed
from inarch_plugins.litellm import Settings
from inarch_plugins.litellm.provider import LiteLLM
from inarch_plugins.litellm.requests import Encoder as LiteEncoder

from ..chat_completions.wire import MODEL, run
from ..chat_completions.wire import says as streamed

ASKED = (inarch.Message("user", (inarch.Text("go"),)),)
EFFORTS: tuple[inarch.Effort, ...] = ("minimal", "low", "medium", "high", "max")


def request(model: str, effort: inarch.Effort | None) -> inarch.ModelRequest:
    return inarch.ModelRequest(model, "", ASKED, effort=effort)


@pytest.mark.parametrize(
    ("provider", "said"),
    [
        ("openrouter", [{"reasoning": {"effort": word}} for word in ("minimal", "low", "medium", "high", "xhigh")]),
        ("openai-compatible", [{"reasoning_effort": word} for word in ("low", "low", "medium", "high", "high")]),
    ],
)
def test_chat_completions_have_a_word(tmp_path: Path, provider: str, said: list[dict[str, Any]]) -> None:
    for number, (effort, expected) in enumerate(zip(EFFORTS, said, strict=True)):
        found = run(tmp_path / f"w{number}", [sse_reply(streamed("well"))], provider=provider,
                    profile={"effort": effort})  # fmt: skip
        assert {key: found.bodies[0].get(key) for key in expected} == expected
        assert not [event for event in found.events if event.kind == "note" and "think" in event.data["text"]]


def test_openrouters_list_says_who_takes_it(tmp_path: Path) -> None:
    def row(name: str, *takes: str) -> dict[str, Any]:
        return {"id": name, "supported_parameters": list(takes)}

    listed = json_reply({"data": [row(MODEL, "tools"), row("acme/other", "tools", "reasoning")]})
    with HttpServer([sse_reply(streamed("well"))], {"GET /v1/models": listed}) as server:
        from ..chat_completions.wire import compose

        async def go() -> tuple[list[inarch.Event], list[bool]]:
            app = compose(tmp_path / "w", server.url + "/v1", profile={"effort": "high"})
            async with app:
                provider: Any = app.composition.models["openrouter"].value
                await provider.models()
                session = app.session()
                events = [event for prompt in ("one", "two") for event in [e async for e in session.stream(prompt)]]
                names = (MODEL, "acme/other", "acme/unlisted")
                return events, [provider.takes_effort(name) for name in names]

        events, takes = asyncio.run(go())
        assert takes == [False, True, True]
        assert not any("reasoning" in one.json for one in server.requests if one.method == "POST")
    told = [event.data["text"] for event in events if event.kind == "note" and "take an effort" in event.data["text"]]
    assert told == [f"openrouter/{MODEL} does not take an effort: it is left out"]


def test_litellms_table_says_how_far_a_model_goes() -> None:
    provider = LiteLLM(Settings(), {})
    known = provider.find("anthropic/claude-sonnet-5-5")
    assert known is not None and {"low", "max"} <= known.efforts
    assert [provider.takes_effort(name) for name in ("openai/gpt-4o", "openai/gpt-5", "acme/unknown")] == [
        False, True, True,
    ]  # fmt: skip

    def said(effort: inarch.Effort, efforts: frozenset[str]) -> str:
        return str(LiteEncoder("x").arguments(request("m", effort), efforts=efforts)["reasoning_effort"])

    assert [said(effort, known.efforts) for effort in ("max", "low")] == ["max", "low"]
    gpt = provider.find("openai/gpt-5")
    assert gpt is not None and [said(effort, gpt.efforts) for effort in ("minimal", "max")] == ["minimal", "high"]
    assert [said(effort, frozenset()) for effort in ("minimal", "max")] == ["low", "high"]


def test_gemini_goes_by_its_list_then_by_the_name() -> None:
    from inarch import HttpService
    from inarch_plugins.gemini.provider import Gemini

    provider = Gemini(HttpService("gemini", "http://127.0.0.1:9"))
    provider._listed |= {"gemini-x-lite": Listed(thinks=True), "gemini-3-pro": Listed(thinks=False)}
    names = ("gemini-x-lite", "gemini-3-pro", "gemini-3-flash", "gemini-2.0-flash")
    assert [provider.takes_effort(name) for name in names] == [True, False, True, False]


def test_a_provider_without_is_told_of_once_a_session_and_a_session_may_change_it(tmp_path: Path) -> None:
    class Thinking(ScriptedModel):
        def takes_effort(self, model: str) -> bool:
            return True

    def talk(model: ScriptedModel) -> tuple[list[str], list[Any]]:
        app, _ = scripted_app(model, tmp_path, flags={"effort": "high"})

        async def go() -> list[str]:
            async with app:
                session, notes = app.session(), list[str]()
                session.state.journal.listeners.append(
                    lambda event: notes.append(event.data["text"]) if event.kind == "note" else None
                )
                await session.run("one")
                session.change({"effort": "low"})
                await session.run("two")
                return notes

        return asyncio.run(go()), [one.effort for one in model.requests]

    notes, efforts = talk(ScriptedModel([says("a"), says("b")]))
    assert (len([note for note in notes if "does not take an effort" in note]), efforts) == (1, [None, None])
    notes, efforts = talk(Thinking([says("a"), says("b")]))
    assert (notes, efforts) == ([], ["high", "low"])
