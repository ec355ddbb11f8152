"""The provider `live` without a voice: an ordinary model, whose requests have a connection each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest
from inarch_live import Settings
from inarch_live.live_prices import rates_of
from inarch_live.model import LiveModel
from inarch_live.port import MODELS, LiveCall
from inarch_live.services import default_model, live_model, look, service_of
from inarch_live.testing import GeminiServer, OpenAIServer, There

import inarch

both = pytest.mark.parametrize("kind", [GeminiServer, OpenAIServer])
TOOL = inarch.ToolSpec("echo", "Say it again.", {"type": "object", "properties": {"text": {"type": "string"}}})


def user(text: str) -> inarch.Message:
    return inarch.Message("user", (inarch.Text(text),))


def request(*messages: inarch.Message, **more: Any) -> inarch.ModelRequest:
    return inarch.ModelRequest("voice", "Be short.", messages or (user("What is two and two?"),), **more)


def model(server: Any) -> LiveModel:
    provider = server.provider()
    return LiveModel(lambda name: (provider, name), {}, "voice")


async def reply(asked: LiveModel, what: inarch.ModelRequest) -> Sequence[inarch.Delta]:
    async with aclosing(asked.answer(what)) as deltas:  # type: ignore[type-var]
        return [delta async for delta in deltas]


def text(deltas: Sequence[inarch.Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, inarch.TextDelta))


@both
async def test_a_request_is_answered_in_the_words_of_the_voice(kind: Any) -> None:
    async def script(there: There) -> None:
        await there.until(lambda there: "What is two" in str(there.received))
        await there.speak(b"\1\0" * 240, "Four.")
        await there.report_usage(0, 5, 20, 2)
        await there.end_turn()

    async with kind(script=script) as server:
        deltas = await reply(model(server), request(tools=(TOOL,)))
        assert text(deltas) == "Four." and deltas[-1] == inarch.Finish("stop")
        used = [delta.usage for delta in deltas if isinstance(delta, inarch.UsageDelta)]
        assert (used[-1].input_tokens, used[-1].output_tokens) == (20, 7)
        await server.connections[0].until(lambda there: there.has_ended)


@both
async def test_its_calls_are_the_kernels_and_their_results_are_told_to_the_next_connection(kind: Any) -> None:
    async def script(there: There) -> None:
        if there is server.connections[0]:
            await there.call(LiveCall("c1", "echo", {"text": "hello"}))
            await there.end_turn()
        else:
            await there.until(lambda there: "it said hello" in str(there.received))
            await there.speak(b"\1\0" * 240, "It said hello.")
            await there.end_turn()

    async with kind(script=script) as server:
        asked = model(server)
        deltas = await reply(asked, request(tools=(TOOL,)))
        call = next(delta for delta in deltas if isinstance(delta, inarch.CallDelta))
        assert (call.id, call.name, call.arguments) == ("c1", "echo", '{"text": "hello"}')
        assert deltas[-1] == inarch.Finish("calls")
        made = inarch.CallPart("k1", "c1", "echo", {"text": "hello"})
        done = inarch.ResultPart("k1", "c1", "echo", inarch.ToolResult(True, "it said hello"))
        messages = (user("Echo."), inarch.Message("assistant", (made,)), inarch.Message("tool", (done,)))
        assert text(await reply(asked, request(*messages, tools=(TOOL,)))) == "It said hello."


@both
async def test_where_no_call_is_wanted_none_comes_and_none_waits(kind: Any) -> None:
    async def script(there: There) -> None:
        await there.call(LiveCall("c1", "echo", {}))
        await there.until(lambda there: there.results)
        await there.speak(b"\1\0" * 240, "Without it, then.")
        await there.end_turn()

    async with kind(script=script) as server:
        deltas = await reply(model(server), request(tools=(TOOL,), tool_choice="none"))
        assert not [delta for delta in deltas if isinstance(delta, inarch.CallDelta)]
        assert text(deltas) == "Without it, then."


async def test_a_request_that_is_given_up_lets_go_of_its_connection() -> None:
    async with GeminiServer() as server:
        task = asyncio.create_task(reply(model(server), request()))
        there = await server.connection()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await there.until(lambda there: there.has_ended)


def test_the_service_is_that_of_the_model_else_of_the_key() -> None:
    openai, gemini = {"OPENAI_API_KEY": "k"}, {"GEMINI_API_KEY": "k"}
    assert default_model(Settings(), openai).startswith("gpt-")
    assert default_model(Settings(), {**openai, **gemini}).startswith("gemini-")
    assert service_of("gpt-realtime", Settings(), gemini) == "openai"
    assert service_of("gpt-realtime", Settings(service="gemini"), {}) == "gemini"
    with pytest.raises(inarch.ProviderError, match="OPENAI_API_KEY is not set"):
        live_model(Settings(model="gpt-realtime"), gemini).check_key("gpt-realtime")


@pytest.mark.parametrize("model", MODELS.values())
def test_the_price_of_what_is_used_by_default_is_known(model: str) -> None:
    assert rates_of(model, {}) is not None


def test_prices_are_the_users_own_before_the_lists() -> None:
    known = rates_of("gpt-realtime", {})
    assert known is not None and known.price.output == 64
    own = {"input_text": 1, "input_audio": 2.5, "output_text": 3, "output_audio": 4}
    rates = rates_of("gpt-realtime", {"gpt-realtime": own})
    assert rates is not None and str(rates.price.input) == "2.5"
    assert rates_of("another", {}) is None
    with pytest.raises(inarch.UsageError, match="not understood"):
        rates_of("voice", {"voice": {"input": 1}})


def test_doctor_says_what_is_missing() -> None:
    without = list(look(Settings(), {}))
    assert without[0].state == "note" and "GEMINI_API_KEY" in without[0].remedy
    assert next(iter(look(Settings(), {"GEMINI_API_KEY": "sk-1"}))).state == "fine"
    assert "sk-1" not in str(list(look(Settings(), {"GEMINI_API_KEY": "sk-1"})))
