"""Whole sessions with a service that knows what it has signed: nothing is refused, and the cache is met."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from attrs import evolve

import inarch
from inarch import HttpService
from inarch.testing import HttpServer
from inarch_plugins.gemini.provider import Gemini

from ..services.gemini_api import KEY, GeminiService
from ..services.gemini_rules import LEVELS, MODELS

TURNS = 15


@pytest.fixture
def api() -> Iterator[tuple[GeminiService, str]]:
    service = GeminiService()
    with HttpServer([service.reply]) as server:
        yield service, f"{server.url}/v1beta"


Api = tuple[GeminiService, str]
Talked = tuple[str, list[inarch.Turn], list[inarch.Event]]


def talk(
    api: Api, root: Path, prompts: Sequence[str], session_id: str | None = None, model: str = "", **more: Any
) -> Talked:
    """Run turns of a session in an application of its own; `before` is done to the session first."""
    root.mkdir(exist_ok=True)
    (root / "a.txt").write_text("a line\n" * 3_000)
    before = more.pop("before", lambda session: None)
    environ = {"HOME": str(root.parent / "home"), **more.pop("environ", {"GEMINI_API_KEY": KEY})}
    profile = {"model": f"gemini/{model}" if model else "gemini", "approve": "all", "strategy": ["native"], **more}
    app = inarch.compose(
        root=root,
        config={"plugins": {"gemini": {"base_url": api[1]}}, "profiles": {"default": profile}},
        environ=environ,
    )

    async def go() -> Talked:
        async with app:
            session = app.session(session_id)
            before(session)
            events = [event for prompt in prompts for event in [one async for one in session.stream(prompt)]]
            turns = [turn for turn in session.turns if turn.type == "agent"][-len(prompts) :]
            return session.id, turns, events

    return asyncio.run(go())


def check(service: GeminiService, turns: Sequence[inarch.Turn]) -> None:
    """Every request was taken as it was, and begins with the one before it."""
    assert [(turn.status, turn.error) for turn in turns] == [("done", None)] * len(turns)
    assert (service.refusals, service.ignored, service.breaks) == ([], [], [])


@pytest.mark.parametrize("prompt", ["both 2", "hello"])
def test_fifteen_turns_with_a_resume_lose_no_signature(api: Api, tmp_path: Path, prompt: str) -> None:
    session, done = None, list[inarch.Turn]()
    for half in range(2):
        prompts = [f"{prompt}: {number}" for number in range(TURNS)][half::2]
        session, turns, _ = talk(api, tmp_path / "work", prompts, session)
        done += turns
    check(api[0], done)
    assert api[0].skipped == 0
    check_types(api[0])


def test_thirty_turns_meet_the_cache(api: Api, tmp_path: Path) -> None:
    _, turns, _ = talk(api, tmp_path / "work", ["call 1"] * 30)
    check(api[0], turns)
    assert api[0].hit_rate >= 0.95


def test_plan_mode_breaks_nothing(api: Api, tmp_path: Path) -> None:
    root = tmp_path / "work"
    session, *_ = talk(api, root, ["call 1"])
    _, turns, _ = talk(api, root, ["call 1"] * 2, session, approve="plan")
    _, more, _ = talk(api, root, ["call 1"], session)
    check(api[0], [*turns, *more])


def test_signatures_stay_with_their_model(api: Api, tmp_path: Path) -> None:
    session, done = None, list[inarch.Turn]()
    for model in ("gemini-2.5-flash", "gemini-3.8-flash", "gemini-4-argon", "gemini-3.8-flash", "gemini-2.5-flash"):
        session, turns, _ = talk(api, tmp_path / "work", ["both 2", "call 1"], session, model)
        done += turns
    assert [(turn.status, turn.answered_by) for turn in done[:4:2]] == [
        ("done", "gemini-2.5-flash"), ("done", "gemini-3.8-flash")
    ]  # fmt: skip
    assert (api[0].refusals, [turn.error for turn in done if turn.error]) == ([], [])


def test_signatures_that_are_refused_are_left_out_once_and_for_all(api: Api, tmp_path: Path) -> None:
    service, root = api[0], tmp_path / "work"
    session, *_ = talk(api, root, ["call 1"])
    service._memory.given.clear()  # as behind a gateway that takes another key
    _, turns, events = talk(api, root, ["call 1", "call 1"], session)
    assert service.refusals == ["Corrupted thought signature."]
    assert [turn.status for turn in turns] == ["done", "done"]
    notes = [event.data for event in events if event.kind == "note" and "thought signatures" in event.data["text"]]
    assert [note["source"] for note in notes] == ["repair"]


def test_every_model_takes_every_effort_a_decision_and_no_temperature(api: Api) -> None:
    service, url = api
    user = inarch.Message("user", (inarch.Text("hello"),))
    schema = {"type": "object", "properties": {}}
    tool = inarch.ToolSpec("t", "", {"type": "object", "properties": {"x": {"type": "string"}}})

    async def go() -> None:
        provider = Gemini(HttpService("gemini", url, {"x-goog-api-key": KEY}))
        for model in MODELS:
            plain = inarch.ModelRequest(model, "system", (user,), (tool,), temperature=0.5, max_output_tokens=99)
            efforts = [evolve(plain, effort=effort) for effort in get_args(inarch.Effort)]
            for request in (plain, *efforts, evolve(plain, response_schema=schema)):
                assert [delta async for delta in provider.answer(request)]
        await provider.close()

    asyncio.run(go())
    assert (service.refusals, service.ignored) == ([], [])
    assert [body["generationConfig"].get("temperature") for body in service.bodies].count(0.5) == 2 * 7
    check_types(service)


def check_types(service: GeminiService) -> None:
    """Bodies and chunks are of the types of Google's SDK, if it is here; they refuse unknown members."""
    try:
        from google.genai import types
    except ImportError:
        return
    for body in service.bodies:
        for content in (*body["contents"], *filter(None, [body.get("systemInstruction")])):
            types.Content.model_validate(content)
        config = {name: one for name, one in body.items() if name in ("tools", "toolConfig")}
        types.GenerateContentConfig.model_validate(body.get("generationConfig", {}) | config)
        assert body.keys() <= {"contents", "systemInstruction", "generationConfig", "tools", "toolConfig"}
    for chunk in service.chunks:
        types.GenerateContentResponse.model_validate(chunk)


@pytest.mark.slow  # the environment of slow tests has the SDK
def test_what_is_sent_and_what_the_service_of_these_tests_says_is_of_googles_types(api: Api, tmp_path: Path) -> None:
    pytest.importorskip("google.genai")
    talk(api, tmp_path / "work", ["call 1", "both 2", "hello"])
    assert api[0].bodies and api[0].chunks
    check_types(api[0])


def test_after_a_compaction_it_goes_on(api: Api, tmp_path: Path) -> None:
    session, *_ = talk(api, tmp_path / "work", ["call 1", "both 2", "hello"])
    talk(api, tmp_path / "work", ["call 1"], session, before=lambda one: one.compact())
    assert api[0].refusals == [] and len(api[0].breaks) == 1
    assert not any("thoughtSignature" in part for part in api[0].bodies[-2]["contents"][0]["parts"])


def test_a_level_that_is_refused_is_left_out_and_not_said_again(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LEVELS, "gemini-3.5-flash-lite", "medium")
    model = "gemini-3.5-flash-lite"
    _, turns, _ = talk(api, tmp_path / "work", ["call 1", "call 1"], None, model, effort="low")
    assert [turn.status for turn in turns] == ["done", "done"]
    assert len(api[0].refusals) == 1 and "thinkingLevel" not in str(api[0].bodies)


@pytest.mark.parametrize(
    ("prompt", "told"),
    [("safety", "filtered the rest of the reply (SAFETY)"), ("continuation", "ended its reply early (CONTINUATION)"),
     ("blocked", "refused the prompt (PROHIBITED_CONTENT)")],
)  # fmt: skip
def test_a_reply_that_is_withheld_is_not_an_answer(api: Api, tmp_path: Path, prompt: str, told: str) -> None:
    _, (turn,), _ = talk(api, tmp_path / "work", [prompt])
    assert turn.status == "failed" and told in (turn.error or "")


def test_googles_variable_comes_first_and_that_is_said_once(api: Api, tmp_path: Path) -> None:
    both = {"GOOGLE_API_KEY": KEY, "GEMINI_API_KEY": "AIzaOTHER"}
    _, turns, events = talk(api, tmp_path / "work", ["hello", "hello"], environ=both)
    check(api[0], turns)
    told = [event.data["text"] for event in events if event.kind == "note" and "are both set" in event.data["text"]]
    assert told == ["GOOGLE_API_KEY and GEMINI_API_KEY are both set: GOOGLE_API_KEY is used"]


@pytest.mark.parametrize(
    ("key", "said"), [("sk-ant-x", "holds a key of Anthropic"), ("sk-proj-x", "does not hold a key of Google Gemini")]
)
def test_a_key_of_another_service_is_not_sent(tmp_path: Path, key: str, said: str) -> None:
    environ = {"HOME": str(tmp_path), "GOOGLE_API_KEY": key}
    with inarch.compose(root=tmp_path, flags={"model": "gemini"}, environ=environ, journal=False) as app:
        turn = asyncio.run(app.session().run("hello"))
    assert turn.error and f"GOOGLE_API_KEY {said}" in turn.error
