"""Turns whose conversation is too long for the model: they go on with less, and say so."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.contract.records import CallPart, Limits, ModelRequest, ResultPart, Text, Usage
from inarch.sessions.session import Session
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app
from inarch.turns.token_count import TokenCounter


class Small(ScriptedModel):
    """A scripted model with a window."""

    window: int | None = 12_000

    def limits(self, model: str) -> Limits:
        return Limits(self.window)


def room_of(model: Small) -> int:
    assert model.window is not None
    return model.window - int(model.window * 0.25)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    for name in "abcdef":
        (tmp_path / "w" / f"{name}.txt").write_text(f"{name} " + "the lazy dog sleeps. " * 400)
    return tmp_path / "w"


def converse(
    script: Sequence[Step], root: Path, prompts: Sequence[str], window: int | None = 12_000, **options: Any
) -> tuple[Session, Small, list[inarch.Event]]:
    model = Small(script)
    model.window = window
    app, _ = scripted_app(model, root, **options)
    events: list[inarch.Event] = []

    async def go() -> Session:
        session = app.session()
        session.state.journal.listeners.append(events.append)
        for prompt in prompts:
            await session.run(prompt)
        await app.aclose()
        return session

    return asyncio.run(go()), model, events


def reads(*names: str) -> Step:
    return calls(*(("read_file", {"file_path": f"{name}.txt"}) for name in names))


def whole(request: ModelRequest) -> None:
    """Check that each call of a request has its result."""
    called = [part.id for message in request.messages for part in message.parts if isinstance(part, CallPart)]
    answered = [part.call_id for message in request.messages for part in message.parts if isinstance(part, ResultPart)]
    assert called == answered


def test_a_long_turn_goes_on_with_stubs_that_can_be_read_back(root: Path) -> None:
    def read_back(request: ModelRequest) -> Step:
        stubs = [
            part.result.metadata["output_ref"]
            for message in request.messages
            for part in message.parts
            if isinstance(part, ResultPart) and "left out" in str(part.result.data)
        ]
        return calls(("read_output", {"output_ref": stubs[0], "offset": 0, "limit": 200}))

    session, model, events = converse(
        [reads("a"), reads("b"), reads("c"), reads("d"), read_back, says("done")], root, ["read them all"]
    )
    (turn,) = session.turns
    assert (turn.status, turn.content) == ("done", "done")
    for request in model.requests:
        whole(request)
        assert TokenCounter().count(request, "scripted/script") <= room_of(model)
    last = turn.calls[-1].result
    assert last is not None and "a the lazy dog sleeps." in last.data["content"]
    dropped = [event for event in events if event.kind == "context.dropped"]
    assert dropped and all(event.data["reason"] == "window" for event in dropped)
    assert turn.calls[0].id in dropped[0].data["results"]
    assert any(event.kind == "note" and "to fit the model's window" in event.data["text"] for event in events)


def test_earlier_turns_go_first(root: Path) -> None:
    script = [reads("a"), says("first"), reads("b"), says("second"), reads("c"), says("third")]
    session, model, events = converse(script, root, ["one", "two", "three"])
    assert [turn.content for turn in session.turns] == ["first", "second", "third"]
    shortened = [i for event in events if event.kind == "context.dropped" for i in event.data["shortened"]]
    assert shortened[0] == session.turns[0].id
    texts = [message.text for message in model.requests[-1].messages]
    assert texts[:2] == ["one", "first"]
    for request in model.requests:
        whole(request)


def test_a_result_that_is_larger_than_the_window_is_cut_and_the_turn_is_done(root: Path) -> None:
    (root / "huge.txt").write_text("line of text\n" * 4000)
    session, model, _ = converse([reads("huge"), says("long")], root, ["read it"], 8000)
    assert session.turns[0].content == "long"
    (result,) = (p.result for m in model.requests[-1].messages for p in m.parts if isinstance(p, ResultPart))
    assert result.metadata["truncated"]
    assert "characters left out" in str(result.data)


def test_a_prompt_without_room_is_a_failed_turn_that_says_what_to_do(root: Path) -> None:
    session, model, _ = converse([says("never")], root, ["word " * 9000])
    (turn,) = session.turns
    assert turn.status == "failed"
    assert turn.error is not None and "--model" in turn.error
    assert model.requests == []


TOO_LONG = inarch.ProviderError("context_length", "maximum context length is 12000 tokens, this has 19000", status=400)


def test_a_service_that_refuses_a_length_is_asked_once_more_with_less(root: Path) -> None:
    script: list[Step] = [reads("a", "b"), reads("c", "d"), [TOO_LONG], says("done")]
    session, model, events = converse(script, root, ["go"], None)
    assert session.turns[0].content == "done"
    counter = TokenCounter()
    long, short = (counter.count(request) for request in model.requests[-2:])
    assert short <= 9000 < long
    assert [event.data["reason"] for event in events if event.kind == "context.dropped"] == ["refused"]
    assert any("asking once more" in event.data["text"] for event in events if event.kind == "note")
    window = session.context().window
    assert window is not None and short <= window <= 9000
    whole(model.requests[-1])


def test_a_service_that_counts_more_gets_less_and_a_mentioned_file_is_cut_for_it(root: Path) -> None:
    def refuse(request: ModelRequest) -> Step:
        sent = 2 * TokenCounter().count(request)
        message = f"request ({sent} tokens) exceeds the available context size (8000 tokens)"
        return [inarch.ProviderError("context_length", message, status=400)]

    (root / "long.txt").write_text("line of text\n" * 2_000)
    session, model, events = converse([refuse, says("it is long")], root, ["what is in @long.txt"], None)
    assert session.turns[0].content == "it is long"
    assert 2 * TokenCounter().count(model.requests[-1]) < 8_000 < 2 * TokenCounter().count(model.requests[0])
    (dropped,) = (event.data for event in events if event.kind == "context.dropped")
    assert (dropped["reason"], dropped["added"]) == ("refused", 1)
    assert any("the middle of what was added to the prompt" in e.data["text"] for e in events if e.kind == "note")


def test_turns_beyond_context_turns_stay_whole_until_there_is_no_room(root: Path) -> None:
    config = {"profiles": {"default": {"context_turns": 1}}}
    script = [reads("a"), says("first"), says("second"), says("third"), says("fourth")]
    session, model, events = converse(script, root, ["one", "two", "three", "four " * 2_500], 9_000, config=config)
    assert all(len(now.messages) > len(was.messages) for was, now in pairwise(model.requests[:4]))
    (dropped,) = (event for event in events if event.kind == "context.dropped")
    assert dropped.data["reason"] == "window"
    assert dropped.data["shortened"] == [turn.id for turn in session.turns[:2]]
    assert [message.text for message in model.requests[-1].messages[:2]] == ["one", "first"]
    (broken,) = (event.data for event in events if event.kind == "context.broken")
    assert broken["reason"] == "compaction"


def test_compacting_keeps_the_last_turns_and_is_remembered_by_a_resumed_session(root: Path) -> None:
    script = [reads("a"), says("first"), reads("b"), says("second")]
    model = Small(script)
    model.window = 100_000
    app, _ = scripted_app(model, root, journal=True)

    async def go() -> None:
        session = app.session()
        await session.run("one")
        await session.run("two")
        before = session.context()
        assert before.turns == (2, 0, 0)
        dropped = session.compact()
        assert dropped.shortened == (session.turns[0].id,)
        assert dropped.tokens > 500
        assert not session.compact()
        after = session.context()
        assert after.turns == (1, 1, 0)
        assert after.tokens < before.tokens - 500
        resumed = app.session(session.id)
        assert resumed.context().rows == after.rows
        assert [said.turn_id for said in resumed.state.history] == [turn.id for turn in session.turns]
        await app.aclose()

    asyncio.run(go())


def test_what_services_report_is_learned_and_known_after_a_resume(root: Path) -> None:
    def step(request: ModelRequest) -> Step:
        counted = TokenCounter().count(request)
        return says("ok", Usage(int(counted.text * 1.5), 5, cost_usd=Decimal(0)))

    model = Small([step], repeat=True)
    model.window = None
    app, _ = scripted_app(model, root, journal=True)

    async def go() -> None:
        session = app.session()
        assert session.context().calibration.reports == 0
        for prompt in ("one", "two", "three"):
            await session.run(prompt)
        view = session.context()
        assert view.calibration.reports == 3
        assert view.calibration.ratio == pytest.approx(1.5, rel=0.01)
        assert view.last is not None and view.last.reported <= view.last.counted
        assert app.session(session.id).context().calibration.ratio == pytest.approx(1.5, rel=0.01)
        await app.aclose()

    asyncio.run(go())


def test_the_structure_is_said_once_and_again_where_it_is_no_longer_seen(root: Path) -> None:
    model = ScriptedModel([says("ok")], repeat=True)
    app, _ = scripted_app(model, root, journal=True)

    def told() -> int:
        texts = (p.text for m in model.requests[-1].messages for p in m.parts if isinstance(p, Text))
        return sum(text.startswith("# Project structure\n") for text in texts)

    async def go() -> None:
        session = app.session()
        await session.run("one")
        await session.run("two")
        assert told() == 1
        resumed = app.session(session.id)
        await resumed.run("three")
        assert told() == 1
        resumed.compact(0)
        await resumed.run("four")
        assert told() == 1
        assert model.requests[-1].messages[-1].text.startswith("four\n\n# Project structure\n")
        await app.aclose()

    asyncio.run(go())
