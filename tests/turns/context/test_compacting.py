"""Compactions of anybody: asked in order, held to their contract, recorded so that a resumed session sees the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import inarch
from inarch.plugins.registration import Bound
from inarch.testing import ScriptedModel, Step, says, scripted_app
from inarch.turns.meter import LimitReached

CONTEXT = inarch.PluginContext("shop", "/")
SUMMARY = "Earlier: they talked about dogs."
LONG = "word " * 1200
"""A third of what there is room for."""
Answer = Callable[[inarch.Crowded], inarch.Compacted | None]


class Small(ScriptedModel):
    """A scripted model with a window of 9,000 tokens, 6,750 of them for the request."""

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits(9_000)


class Plain:
    """A compaction that answers as it is told, and keeps what it was given."""

    name = "plain"

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.given: list[inarch.Crowded] = []

    async def compact(self, crowded: inarch.Crowded) -> inarch.Compacted | None:
        self.given.append(crowded)
        return self.answer(crowded)


class Summing:
    """A compaction that has a model sum up every turn but the last, and keeps the sum in the place of the newest."""

    name = "summing"

    async def compact(self, crowded: inarch.Crowded) -> inarch.Compacted:
        *old, last = crowded.earlier
        words = "\n".join(message.text for said in old for message in said.messages)
        request = inarch.ModelRequest(crowded.model, "Sum up.", (inarch.Message("user", (inarch.Text(words),)),))
        reply = await crowded.ask(evolve(request, purpose="summary", tool_choice="none"))
        dropped = (said.dropped() for said in old[:-1])
        return inarch.Compacted((*dropped, old[-1].summary(reply.message.text), last), crowded.running)


def talk(
    root: Path, compaction: Any, script: Sequence[Step], prompts: Sequence[str], **options: Any
) -> tuple[inarch.App, inarch.Session, Small, list[inarch.Event]]:
    model = Small(script)
    app, _ = scripted_app(model, root, **options)
    bound = [] if compaction is None else [Bound("shop", compaction, CONTEXT)]
    app.composition = evolve(app.composition, compactions=(*app.composition.compactions, *bound))
    events: list[inarch.Event] = []

    async def go() -> inarch.Session:
        session = app.session()
        session.state.journal.listeners.append(events.append)
        for prompt in prompts:
            await session.run(prompt)
        return session

    return app, asyncio.run(go()), model, events


def dropped(events: Sequence[inarch.Event]) -> list[dict[str, Any]]:
    return [dict(event.data) for event in events if event.kind == "context.dropped"]


def test_a_summary_stands_in_the_place_of_turns_and_comes_back_with_a_resumed_session(tmp_path: Path) -> None:
    prompts = [f"{number} {'word ' * 800}" for number in ("one", "two", "three", "four", "five")]
    script = [says("1"), says("2"), says("3"), says("4"), says(SUMMARY), says("5")]
    app, session, model, events = talk(tmp_path, Summing(), script, prompts, journal=True)
    ids = [turn.id for turn in session.turns]
    (left_out,) = dropped(events)
    assert (left_out["reason"], left_out["shortened"], left_out["turns"]) == ("window", [], ids[:2])
    assert left_out["summaries"] == {ids[2]: SUMMARY}
    asked = [request.purpose for request in model.requests]
    assert asked == ["turn"] * 4 + ["summary", "turn"]
    seen = [message.text[:40] for message in model.requests[-1].messages]
    assert [text[:5] for text in seen] == [SUMMARY[:5], "four ", "4", "five "]
    requested = [event.data["plugin"] for event in events if event.kind == "model.requested"]
    assert requested == ["", "", "", "", "shop", ""]
    resumed = app.session(session.id)
    assert resumed.state.earlier_messages() == session.state.earlier_messages()
    assert resumed.context().rows == session.context().rows
    asyncio.run(app.aclose())


def test_what_a_plugin_leaves_too_long_the_built_in_one_goes_on_from(tmp_path: Path) -> None:
    plain = Plain(lambda one: inarch.Compacted((one.earlier[0].dropped(), *one.earlier[1:]), one.running))
    script = [says("1"), says("2"), says("3")]
    app, session, _, events = talk(tmp_path, plain, script, [f"one {LONG}", f"two {LONG}", LONG * 2])
    assert [turn.status for turn in session.turns] == ["done"] * 3
    (crowded,) = plain.given
    assert (crowded.reason, crowded.model) == ("window", session.turns[0].model)
    assert crowded.tokens > crowded.room > 0
    (left_out,) = dropped(events)
    assert left_out["turns"][0] == session.turns[0].id
    assert session.turns[1].id in (*left_out["turns"], *left_out["shortened"])
    asyncio.run(app.aclose())


def _other_prompt(one: inarch.Crowded) -> inarch.Compacted:
    return inarch.Compacted(one.earlier, (inarch.Message("user", (inarch.Text("something else"),)),))


def _torn(one: inarch.Crowded) -> inarch.Compacted:
    call = inarch.CallPart("c", "", "read_file", {})
    return inarch.Compacted(one.earlier, (*one.running, inarch.Message("assistant", (call,))))


def _rewritten(one: inarch.Crowded) -> inarch.Compacted:
    said = evolve(one.earlier[0], messages=(inarch.Message("user", (inarch.Text("as it never was"),)),))
    return inarch.Compacted((said, *one.earlier[1:]), one.running)


def _fails(one: inarch.Crowded) -> inarch.Compacted:
    raise RuntimeError("no")


def _limited(one: inarch.Crowded) -> inarch.Compacted:
    raise LimitReached("max_tokens", "the turn can't afford it")


def _refused(one: inarch.Crowded) -> inarch.Compacted:
    raise inarch.ProviderError("auth", "the key is wrong")


@pytest.mark.parametrize(
    "answer",
    [
        _other_prompt,
        _torn,
        _rewritten,
        _fails,
        _refused,
        _limited,
        lambda one: "shorter",
        lambda one: inarch.Compacted(one.earlier[1:], one.running),
    ],
)
def test_one_that_fails_or_makes_another_conversation_of_it_is_skipped(tmp_path: Path, answer: Answer) -> None:
    script = [says("1"), says("2")]
    app, session, model, events = talk(tmp_path, Plain(answer), script, [f"one {LONG}", LONG * 2])
    assert [turn.content for turn in session.turns] == ["1", "2"]
    (told,) = (event.data["message"] for event in events if event.kind == "error")
    assert told.startswith("compaction 'plain' was skipped: ")
    assert dropped(events)[0]["turns"] == [session.turns[0].id]
    assert model.requests[-1].messages[-1].text.startswith("word ")
    asyncio.run(app.aclose())


def test_without_any_a_conversation_that_is_too_long_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    script = [says("1"), says("2")]
    app, session, model, events = talk(tmp_path, None, script, [f"one {LONG}", LONG * 4], without=["compaction"])
    assert [turn.status for turn in session.turns] == ["done", "failed"]
    error = session.turns[-1].error or ""
    assert "has room for" in error and "nothing is composed that makes a conversation shorter" in error
    assert len(model.requests) == 1 and not dropped(events)
    assert len(session.compact(0).shortened) == 2  # by turns: that is the kernel's own
    asyncio.run(app.aclose())


class Early(Plain):
    """One that is called before there is too much."""

    at = 0.5


def test_one_with_a_share_is_called_before_the_window_is_full(tmp_path: Path) -> None:
    early = Early(lambda one: inarch.Compacted(tuple(said.dropped() for said in one.earlier), one.running))
    script = [says("1"), says("2"), says("3")]
    app, session, _, events = talk(tmp_path, early, script, [f"one {LONG}", f"two {LONG}", "three"])
    assert {(crowded.reason, crowded.tokens <= crowded.room) for crowded in early.given} == {("early", True)}
    assert dropped(events) and {data["reason"] for data in dropped(events)} == {"early"}
    told = [event.data["text"] for event in events if event.kind == "note"]
    assert any(text.startswith("left out before the model's window is full: ") for text in told)
    assert [turn.status for turn in session.turns] == ["done"] * 3
    asyncio.run(app.aclose())
