"""A careless server is understood: within three more requests, and the next time with none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import HttpServer, json_reply, sse_reply

from ..services.poor_server import REFUSALS, PoorServer
from .wire import calls, chunk, compose, run, says

EXTRA = {"parallel_tool_calls": False}
LIMITED = {"max_cost_usd": 1.0, "approve": "all", "strategy": ["native"]}
PRICES = {"input_price": 1, "output_price": 1}


def talk(root: Path, server: PoorServer, *prompts: str, **extra: Any) -> list[inarch.Turn]:
    """Run turns, each in an application of its own."""

    async def one(url: str, prompt: str) -> inarch.Turn:
        settings = {"extra": extra, **PRICES}
        async with compose(root, f"{url}/v1", "openai-compatible", "m", settings, LIMITED) as app:
            return await app.session().run(prompt)

    with HttpServer([server.reply]) as http:
        return [asyncio.run(one(http.url, prompt)) for prompt in prompts]


def test_a_turn_ends_well_and_the_second_asks_nothing_twice(tmp_path: Path) -> None:
    server = PoorServer()
    turns = talk(tmp_path / "w", server, "one", "two", "three", **EXTRA)
    assert [(turn.status, turn.content, len(turn.calls)) for turn in turns] == [
        ("done", f"Answer {number}.", 1) for number in (2, 4, 6)
    ]
    assert [call.status for turn in turns for call in turn.calls] == ["success"] * 3
    assert server.refusals == list(server.refuses), "each once, in the first turn"
    assert all("max_completion_tokens" in body for body in server.bodies), "money stays limited"


@pytest.mark.parametrize("member", REFUSALS)
def test_a_member_is_left_out_once_it_was_refused(tmp_path: Path, member: str) -> None:
    given = {"temperature": 0.2, "reasoning_effort": "low", "tool_choice": "required", "seed": 1, "store": False,
             "prompt_cache_key": "x", "response_format": {"type": "json_object"}, **EXTRA}  # fmt: skip
    server = PoorServer((member,))
    turns = talk(tmp_path / "w", server, "one", "two", **({member: given[member]} if member in given else {}))
    if member == "tool_choice":  # first it is auto
        assert [turn.status for turn in turns] == ["done", "done"] and server.refusals == [member] * 2
    else:
        assert [turn.status for turn in turns] == ["done", "done"] and server.refusals == [member]


def test_four_refusals_are_an_error_that_quotes_the_last(tmp_path: Path) -> None:
    server = PoorServer(("stream_options", "seed", "store", "prompt_cache_key"))
    (turn,) = talk(tmp_path / "w", server, "one", seed=1, store=False, prompt_cache_key="x")
    assert turn.status == "failed" and "Extra fields not permitted: prompt_cache_key" in (turn.error or "")
    assert len(server.refusals) == 4


@pytest.mark.parametrize(
    "said",
    [
        "max_tokens must be at most 4096",
        "The reasoning_content in the thinking mode must be passed back to the API.",
        "messages.3: 'store' is a strange word",
    ],
)
def test_what_is_not_plain_stays_an_error(tmp_path: Path, said: str) -> None:
    refusal = json_reply({"error": {"message": said}}, 400)
    found = run(
        tmp_path / "w", [refusal], provider="openai-compatible", settings=PRICES, profile=LIMITED | {"effort": "low"}
    )
    assert (found.turn.status, len(found.bodies)) == ("failed", 1)
    assert said[:20] in (found.turn.error or "")


def test_a_decision_without_its_format_is_asked_for_so_from_then_on(tmp_path: Path) -> None:
    server = PoorServer(("response_format",))
    with HttpServer([server.reply]) as http:
        app = compose(tmp_path / "w", f"{http.url}/v1", "openai-compatible", "m", None,
                      {"strategy": ["structured", "native"], "approve": "all"})  # fmt: skip
        with asyncio.Runner() as runner:
            for prompt in ("one", "two"):
                runner.run(app.session().run(prompt))
            runner.run(app.aclose())
    assert server.refusals == ["response_format"] * 2, "with a schema, then as any JSON object"


def test_a_model_without_tools_is_one_sentence_and_one_thing_to_do(tmp_path: Path) -> None:
    refusal = json_reply({"error": {"message": "registry.ollama.ai/library/m does not support tools"}}, 400)
    found = run(tmp_path / "w", [refusal], provider="openai-compatible")
    assert "m does not support tools" in (found.turn.error or "")
    assert any("name a model that can call tools" in event.line for event in found.events)


def test_the_model_is_told_the_name_of_its_tool(tmp_path: Path) -> None:
    delta = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "functions.Read-File", "arguments": "{}"}}]}
    found = run(tmp_path / "w", [sse_reply(calls(delta)), sse_reply(says("well"))])
    assistant, tool = found.bodies[1]["messages"][-2:]
    assert assistant["tool_calls"][0]["function"]["name"] == "read_file"
    assert tool["content"].startswith("The name of this tool is read_file, not functions.Read-File.")


def test_thoughts_in_the_text_go_back_as_they_came(tmp_path: Path) -> None:
    first = sse_reply([chunk({"content": "<think>\nhm\n</think>\n\nwell"}), chunk({}, "stop")])
    found = run(tmp_path / "w", [first, sse_reply(says("again"))], ["one", "two"], "openai-compatible")
    assert found.bodies[1]["messages"][2] == {"role": "assistant", "content": "<think>\nhm\n</think>\n\nwell"}


THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "closed": True}


def test_mistrals_chunks_go_back_as_they_came(tmp_path: Path) -> None:
    half = {"type": "thinking", "thinking": [{"type": "text", "text": "h"}]}
    rest = {**THINKING, "thinking": [{"type": "text", "text": "m"}]}
    deltas = [{"content": [half]}, {"content": [rest, {"type": "text", "text": "we"}]}, {"content": "ll"}]
    first = sse_reply([*map(chunk, deltas), chunk({}, "stop")])
    found = run(tmp_path / "w", [first, sse_reply(says("again"))], ["one", "two"], "openai-compatible")
    assert found.bodies[1]["messages"][2]["content"] == [THINKING, {"type": "text", "text": "well"}]
