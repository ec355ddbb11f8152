"""Text that plugins add to the results of calls: at its call, recorded, bounded, and never in the way."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doors import Reviewing, Talk, app_with
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inarch
from inarch.testing import calls, says

READ = ("read_file", {"file_path": "a.txt"})
Having = Callable[..., Talk]


def test_the_model_reads_the_text_with_the_result_and_a_resumed_session_has_it(talk: Having) -> None:
    said = talk(
        [calls(READ), says("done")], parts=[Reviewing(lambda call, tool, context: "look at b, too")], journal=True
    )
    assert said.results()[0].endswith("\n\nAdded by shop:\nlook at b, too")
    (event,) = said.of("call.reviewed")
    assert (event["plugin"], event["reviewer"], event["text"]) == ("shop", "reviewing", "look at b, too")
    again = said.app.session(said.session.id)
    assert again.state.earlier_messages() == said.session.state.earlier_messages()
    (call,) = again.turns[-1].calls
    assert call.result is not None and call.result.metadata["added"] == [{"by": "shop", "text": "look at b, too"}]


@given(texts=st.lists(st.none() | st.text("abc\n", min_size=1, max_size=5), min_size=1, max_size=6), slow=st.randoms())
@settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_added_text_belongs_to_its_call_however_calls_and_reviews_overlap(
    root: Path, texts: list[str | None], slow: Any
) -> None:
    pauses = [slow.random() / 200 for _ in texts]

    async def review(call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> str | None:
        place = int(call.arguments["start_line"]) - 1
        await asyncio.sleep(pauses[place])
        return None if texts[place] is None else f"{place}: {texts[place]}"

    wanted = [("read_file", {"file_path": "a.txt", "start_line": place + 1}) for place in range(len(texts))]
    said = Talk(root, [calls(*wanted), says("done")], parts=[Reviewing(review)], journal=True)
    for place, (text, result) in enumerate(zip(texts, said.results(), strict=True)):
        assert result.count("Added by") == (text is not None)
        assert text is None or result.endswith(f"\n\nAdded by shop:\n{place}: {text}")
    again = said.app.session(said.session.id)
    assert again.state.earlier_messages() == said.session.state.earlier_messages()
    said.close()


async def _hangs(*_: Any) -> str:
    await asyncio.Event().wait()
    return "never"


def _blocks(*_: Any) -> str:
    time.sleep(3)
    return "too late"


def _raises(*_: Any) -> str:
    raise RuntimeError("no")


def _exits(*_: Any) -> str:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("review", "words"),
    [
        (_hangs, "did not answer within 0.2 s"),
        (_blocks, "did not answer within 0.2 s and was abandoned"),
        (_raises, "RuntimeError: no"),
        (_exits, "tried to end the process"),
        (lambda *_: 7, "did not return text but 7"),
        (lambda *_: {"text": "x"}, "did not return text but {'text': 'x'}"),
    ],
)
def test_one_that_fails_is_reported_and_left_out(talk: Having, review: Any, words: str) -> None:
    good = Reviewing(lambda *_: "kept", "good")
    said = talk([calls(READ), says("done")], parts=[Reviewing(review, timeout_s=0.2), good])
    assert said.turn.status == "done"
    assert said.results()[0].count("Added by") == 1
    (error,) = said.of("error")
    assert words in error["message"] and error["message"].startswith("reviewer 'reviewing' was skipped for read_file: ")
    assert (error["plugin"], error["door"], error["call_id"]) == ("shop", "reviewer", said.turn.calls[0].id)


def test_a_long_text_is_cut_and_secrets_are_hidden(talk: Having, root: Path) -> None:
    secret = "sk-or-v1-" + "0123456789abcdef" * 4
    long = Reviewing(lambda *_: f"{secret}\n" + "word " * 100_000)
    said = talk([calls(READ), says("done")], parts=[long])
    (event,) = said.of("call.reviewed")
    assert len(event["text"]) < 17_000
    assert secret not in said.results()[0] and secret not in json.dumps(said.of("call.reviewed"))


def test_a_reviewer_can_write_nothing_that_its_call_did_not_declare(talk: Having, root: Path) -> None:
    def overreach(call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> str:
        context.workspace.replace("b.txt", [b"mine"], context.workspace.digest("b.txt"))
        return "done"

    said = talk([calls(READ), says("done")], parts=[Reviewing(overreach)], flags={"approve": "all"})
    assert (root / "b.txt").read_text() == "this is b.txt\n"
    assert "not among what this call declared to write" in said.of("error")[0]["message"]


def test_a_cancelled_turn_ends_while_a_reviewer_thinks(root: Path) -> None:
    async def cancelled() -> inarch.Turn:
        started = asyncio.Event()

        async def thinking(*_: Any) -> None:
            started.set()
            await asyncio.Event().wait()

        app, _ = app_with(root, [calls(READ), says("done")], [Reviewing(thinking)])
        session = app.session()
        task = asyncio.ensure_future(session.run("go"))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await app.aclose()
        return session.turns[-1]

    turn = asyncio.run(cancelled())
    assert turn.status == "cancelled"
    assert [call.status for call in turn.calls] == ["success"]
