"""Whole conversations with a service that knows what it has signed: nothing is refused, dropped or read anew."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.services.anthropic_api import KEY, AnthropicApi
from tests.services.anthropic_rules import units, unmarked

import inarch

TURNS = 15
PROMPTS = [f"call 1 for {number}" for number in range(TURNS)]


@pytest.fixture
def api() -> Iterator[AnthropicApi]:
    with AnthropicApi() as api:
        yield api


Talked = tuple[str, list[inarch.Turn], list[inarch.Event]]


def talk(
    api: AnthropicApi, root: Path, prompts: Sequence[str], session: str | None = None, model: str = "", **settings: Any
) -> Talked:
    """Run turns of a session in an application of their own."""
    return asyncio.run(talked(composed(api, root, model, **settings), prompts, session))


def composed(api: AnthropicApi, root: Path, model: str = "", **settings: Any) -> inarch.App:
    root.mkdir(exist_ok=True)
    (root / "a.txt").write_text("a line\n" * 3_000)
    profile = {"model": f"anthropic/{model}" if model else "anthropic", "approve": "all", "strategy": ["native"]}
    app = inarch.compose(
        root=root,
        config={"plugins": {"anthropic": {"base_url": api.url, **settings}}, "profiles": {"default": profile}},
        environ={"HOME": str(root.parent / "home"), "ANTHROPIC_API_KEY": KEY},
    )
    assert app.composition.refused == ()
    return app


async def talked(app: inarch.App, prompts: Sequence[str], session_id: str | None) -> Talked:
    session = app.session(session_id)
    events = [event for prompt in prompts for event in [one async for one in session.stream(prompt)]]
    turns = [turn for turn in session.turns if turn.type == "agent"][-len(prompts) :]
    await app.aclose()
    return session.id, turns, events


def breaks(api: AnthropicApi) -> list[int]:
    """Return the requests that do not begin with the one before them."""
    sent = [[json.dumps(unmarked([*unit])) for unit in units(row["body"])] for row in api.rows]
    return [place for place in range(1, len(sent)) if sent[place][: len(sent[place - 1])] != sent[place - 1]]


def hit_rate(api: AnthropicApi) -> float:
    """Return the share of all input that came from the cache."""
    read = sum(row["usage"]["cache_read_input_tokens"] for row in api.rows)
    return read / sum(sum(row["usage"].values()) for row in api.rows)


@pytest.mark.parametrize("halves", [1, 2], ids=["at once", "resumed half-way"])
def test_no_thought_is_refused_or_dropped(api: AnthropicApi, tmp_path: Path, halves: int) -> None:
    session, done = None, list[inarch.Turn]()
    for half in range(halves):
        session, ran, _ = talk(api, tmp_path / "work", PROMPTS[half::halves], session)
        done += ran
    assert [(turn.status, len(turn.calls)) for turn in done] == [("done", 1)] * TURNS
    assert (api.refused, api.dropped, breaks(api)) == ([], [], [])
    assert api.rows[-1]["thoughts"] > 2 * TURNS - 2, "all thoughts go back"


def test_plan_mode_breaks_nothing_and_a_compaction_once(api: AnthropicApi, tmp_path: Path) -> None:
    app = composed(api, tmp_path / "work")
    places: list[int] = []

    async def go() -> list[inarch.Turn]:
        session = app.session()
        for number, prompt in enumerate(PROMPTS):
            if number in (3, 6):
                session.set_approve("plan" if number == 3 else "all")
            if number == 9:
                assert session.compact()
                places.append(len(api.rows))
            await session.run(prompt)
        await app.aclose()
        return [turn for turn in session.turns if turn.type == "agent"]

    turns = asyncio.run(go())
    assert [turn.status for turn in turns] == ["done"] * TURNS
    assert (api.refused, api.dropped, breaks(api)) == ([], [], places)


def test_the_cache_gives_nearly_all_of_thirty_turns(api: AnthropicApi, tmp_path: Path) -> None:
    talk(api, tmp_path / "work", PROMPTS * 2)
    assert hit_rate(api) >= 0.95


def test_a_step_of_many_calls_is_found_in_the_cache(api: AnthropicApi, tmp_path: Path) -> None:
    _, (turn,), _ = talk(api, tmp_path / "work", ["call 2x25"])
    assert (turn.status, len(turn.calls), api.refused) == ("done", 50, [])
    for before, row in pairwise(api.rows):
        assert row["usage"]["cache_read_input_tokens"] >= 0.99 * sum(before["usage"].values())


def test_blocks_of_another_model_are_sent_and_not_reported_as_a_loss(api: AnthropicApi, tmp_path: Path) -> None:
    root = tmp_path / "work"
    session, *_ = talk(api, root, ["call 1"])
    _, (turn,), events = talk(api, root, ["call 1"], session, "claude-opus-5-5")
    assert (turn.status, api.refused, breaks(api)) == ("done", [], [])
    assert {one["reason"] for one in api.dropped} == {"model_binding_mismatch"}
    notes = [event.data for event in events if event.kind == "note"]
    assert {note["source"] for note in notes if "earlier thought" in note["text"]} == {"repair"}


def test_an_edit_is_reported_and_ends_no_conversation(api: AnthropicApi, tmp_path: Path) -> None:
    root = tmp_path / "work"
    session, *_ = talk(api, root, ["call 1"])
    _, (turn,), events = talk(api, root, ["hello"], session, extra={"system": "another text"})
    assert (turn.status, api.refused) == ("done", [])
    told = [event.data["text"] for event in events if event.kind == "note"]
    assert [text for text in told if "prefix_binding_mismatch" in text and "messages.1.content.0" in text]


@pytest.mark.parametrize("model", ["claude-haiku-4-5", "claude-opus-4-6", "claude-sonnet-5", "claude-fable-5-2"])
def test_older_and_larger_models_are_asked_as_they_want(api: AnthropicApi, tmp_path: Path, model: str) -> None:
    _, turns, _ = talk(api, tmp_path / "work", ["call 2", "hello"], None, model)
    assert [turn.status for turn in turns] == ["done", "done"], api.refused
    assert (api.refused, api.dropped, api.rows[-1]["thoughts"] >= 3) == ([], [], True)
