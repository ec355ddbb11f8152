"""Each spoken exchange is a turn of the session, whatever the service sends and in whatever order."""

from __future__ import annotations

import asyncio
from array import array
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from inarch_live.port import LiveCall
from inarch_live.testing import GeminiServer, OpenAIServer
from inarch_live.turns import UNHEARD

import inarch

from .bench import Bench, HandSpeaker, talking

LOUD = array("h", [9000] * 2400).tobytes()
both = pytest.mark.parametrize("kind", [GeminiServer, OpenAIServer])


def write(id: str, path: str = "NOTE.md", content: str = "written\n") -> LiveCall:
    return LiveCall(id, "write_file", {"file_path": path, "content": content})


def read(id: str, path: str = "README.md") -> LiveCall:
    return LiveCall(id, "read_file", {"file_path": path})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    (tmp_path / "work/README.md").write_text("Hello.\n")
    return tmp_path / "work"


def said(bench: Bench) -> list[tuple[str, str]]:
    """What the session keeps: role and text of each message that has words."""
    messages = bench.session.context().request.messages
    return [(one.role, one.text) for one in messages if one.text.strip()]


@both
async def test_what_is_said_and_answered_is_a_turn(kind: Any, root: Path) -> None:
    async with kind() as server, talking(server.provider(), root) as bench:
        there = await server.connection()
        await there.hear("What is this?")
        await there.speak(LOUD, "It is a greeting.")
        await there.report_usage(20, 30, 4, 5)
        await there.end_turn()
        await bench.until(lambda: bench.turns)
        turn = bench.turns[0]
        assert (turn.status, turn.content, turn.mode) == ("done", "It is a greeting.", "voice")
        assert said(bench)[-2][1].startswith("What is this?") and said(bench)[-1] == ("assistant", "It is a greeting.")
        heard = (9, 2) if kind is OpenAIServer else (0, 0)  # what writes down the person's words is counted, too
        assert (turn.usage.input_tokens, turn.usage.output_tokens) == (24 + heard[0], 35 + heard[1])


@both
async def test_all_calls_of_a_message_are_answered_together_and_writes_are_undone(kind: Any, root: Path) -> None:
    async with kind() as server, talking(server.provider(), root) as bench:
        there = await server.connection()
        await there.hear("Write a note.")
        await there.call(read("a"), write("b"), LiveCall("c", "no_such_tool", {}))
        await there.until(lambda there: there.results)
        assert [(one.id, one.status) for one in there.results] == [("a", "success"), ("b", "success"), ("c", "error")]
        assert there.answers == 1 and all(one.text.strip() for one in there.results)
        assert "no_such_tool" in there.results[2].text
        await there.speak(LOUD, "Written.")
        await there.end_turn()
        await bench.until(lambda: bench.turns)
        assert [call.name for call in bench.turns[0].calls] == ["read_file", "write_file", "no_such_tool"]
        bench.session.undo()
        assert not (root / "NOTE.md").exists()


@both
async def test_nothing_is_heard_from_a_blocking_call_to_its_results(kind: Any, root: Path) -> None:
    answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def when_told(asked: inarch.ApprovalRequest) -> inarch.Approval:
        await answer
        return inarch.Approval(asked.call.id, "approve")

    async with kind() as server, talking(server.provider(), root, say=when_told, sink=HandSpeaker()) as bench:
        there, playback = await server.connection(), bench.conversation.playback
        await there.hear("Write a note.")
        await there.speak(LOUD, "I'll write it. ")
        await bench.until(lambda: playback.is_sounding)
        await there.call(write("b"))
        await bench.until(lambda: bench.conversation.is_waiting)
        assert not playback.is_sounding, "what was queued is dropped"
        if kind is GeminiServer:  # the other service says nothing before it has the results
            await there.speak(LOUD, "Just a moment. ")
        await there.hear("And hurry.")
        await bench.until(lambda: "hurry" in bench.conversation.hearing.text)
        assert not playback.is_sounding, "and nothing comes meanwhile"
        answer.set_result(None)
        await there.until(lambda there: there.results)
        await there.speak(LOUD, "Done.")
        await bench.until(lambda: playback.is_sounding)
        playback.take(playback.waiting)
        await there.end_turn()
        await bench.until(lambda: bench.turns)
        assert (root / "NOTE.md").read_text() == "written\n"
        assert bench.turns[0].content == "Done.", "what was queued or said meanwhile is not in the answer"


async def test_an_approval_never_comes_from_the_model_or_from_what_is_said(root: Path) -> None:
    async with GeminiServer() as server, talking(server.provider(), root, say=lambda one: None) as bench:
        there = await server.connection()
        await there.hear("Write it. Yes. I approve. Run it.")
        await there.speak(LOUD, "yes")
        await there.call(write("a"))
        await there.hear("yes yes yes")
        await there.until(lambda there: there.results)
        assert there.results[0].status in ("denied", "error") and not (root / "NOTE.md").exists()
        assert len(bench.seen.asked) == 1


@both
@pytest.mark.parametrize("is_whole", [False, True])
async def test_an_interruption_is_silence_and_ends_the_turn_with_the_words_heard(
    kind: Any, is_whole: bool, root: Path
) -> None:
    async with kind() as server, talking(server.provider(), root, sink=HandSpeaker()) as bench:
        there, playback = await server.connection(), bench.conversation.playback
        await there.hear("Tell me a story.")
        await there.speak(LOUD * 10, "Once upon a time")
        await bench.until(lambda: playback.waiting == len(LOUD) * 10)
        playback.take(len(LOUD) * 5)
        if is_whole:
            await there.end_turn()
        await there.interrupt()
        await bench.until(lambda: not playback.is_sounding)
        await bench.until(lambda: bench.turns)
        assert bench.turns[0].content == "Once (interrupted)"
        assert bench.recorded == [("interrupted", {"heard_ms": 500})]
        bench.voice.conversation.playback.has_device = False
        await there.hear("Shorter, please.")
        await there.speak(LOUD, "It ended.")
        await there.end_turn()
        await bench.until(lambda: len(bench.turns) == 2)
        assert [text for role, text in said(bench) if role == "assistant"] == [
            "Once (interrupted)", "It ended.",
        ]  # fmt: skip


async def test_a_call_that_the_service_cancels_is_cancelled_answered_and_told(root: Path) -> None:
    async with GeminiServer() as server, talking(server.provider(), root, approve="all") as bench:
        there = await server.connection()
        await there.hear("Wait a while.")
        await there.call(write("a"), LiveCall("b", "execute_command", {"command": "tail -f README.md"}))
        await bench.until(lambda: any(
            data["name"] == "execute_command" and data["status"] == "executing" for data in bench.seen.of("call.state")
        ) and (root / "NOTE.md").exists())  # fmt: skip
        await there.interrupt()
        await there.cancel("a", "b")
        await there.until(lambda there: there.results)
        assert {one.id: one.status for one in there.results} == {"a": "success", "b": "cancelled"}
        assert {one.scheduling for one in there.results} <= {"SILENT", ""}
        await bench.until(lambda: bench.turns)
        assert bench.turns[0].status == "cancelled"
        assert not bench.conversation.is_waiting
        bench.session.undo()
        assert not (root / "NOTE.md").exists(), "what a cancelled turn did can be undone"
        await there.hear("Go on.")
        await there.speak(LOUD, "Here I am.")
        await there.end_turn()
        await bench.until(lambda: len(bench.turns) == 2)
        assert bench.turns[1].content == "Here I am."


@both
async def test_typed_text_goes_into_the_same_conversation(kind: Any, root: Path) -> None:
    async with kind() as server, talking(server.provider(), root) as bench:
        there = await server.connection()
        await there.hear("My name is Ada.")
        await there.speak(LOUD, "Hello, Ada.")
        await there.end_turn()
        await bench.until(lambda: bench.turns)
        bench.type("What is my name?")
        if kind is GeminiServer:
            await there.until(lambda there: there.texts)
            assert there.texts[-1].endswith("What is my name?")
        else:
            await there.until(lambda there: there.requests)
        await there.speak(LOUD, "Ada.")
        await there.end_turn()
        await bench.until(lambda: len(bench.turns) == 2)
        assert [text for role, text in said(bench) if role == "assistant"] == ["Hello, Ada.", "Ada."]
        assert [turn.mode for turn in bench.turns] == ["voice", "text"]
        assert len(server.connections) == 1


@both
async def test_a_session_in_text_goes_on_by_voice(kind: Any, root: Path) -> None:
    from inarch.testing import ScriptedModel, says

    async def in_text() -> str:
        replacing = inarch.Replacements(models=[ScriptedModel([says("Noted: blue.")])])
        async with inarch.compose(config={}, root=str(root), replacing=replacing, environ={}) as app:
            session = app.session()
            await session.run("My favourite colour is blue.")
            return session.id

    kept = await in_text()
    async with kind() as server, talking(server.provider(), root, before=lambda app: kept) as bench:
        there = await server.connection()
        await there.until(lambda there: "Noted: blue." in str(there.received))
        assert "My favourite colour is blue." in str(there.received)
        assert bench.session.id == kept


async def test_a_late_transcript_is_kept_beside_its_turn(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarch_live.turns.TRANSCRIPT_S", 0.05)
    async with GeminiServer() as server, talking(server.provider(), root) as bench:
        there = await server.connection()
        await bench.conversation.hear(LOUD)
        await there.speak(LOUD, "Fine. ")
        await bench.until(lambda: bench.seen.of("turn.started"))
        await there.hear("How are you?")
        await there.end_turn()
        await bench.until(lambda: bench.turns and bench.recorded)
        assert said(bench)[0][1].startswith(UNHEARD)
        assert bench.recorded == [("heard", {"text": "How are you?"})]


async def test_money_is_counted_and_set_aside(root: Path) -> None:
    prices = {"gpt-realtime": {"input_text": 4, "input_audio": 32, "output_text": 16, "output_audio": 64}}
    async with OpenAIServer() as server, talking(server.provider(), root, prices=prices, max_cost_usd=1) as bench:
        there = await server.connection()
        await there.hear("Hello.")
        await there.speak(LOUD, "Hi.")
        await there.report_usage(1000, 500, 100, 10)
        await bench.until(lambda: bench.turns)
        # of a million 1000 × 32 + 500 × 64 + 100 × 4 + 10 × 16, and 9 and 2 for writing down what was heard
        assert str(bench.turns[0].usage.cost_usd) == "0.06488"


async def test_an_answer_ends_where_the_money_ends(root: Path) -> None:
    prices = {"gpt-realtime": {"input_text": 0, "input_audio": 0, "output_text": 0, "output_audio": 1000}}
    async with OpenAIServer() as server, talking(server.provider(), root, prices=prices, max_cost_usd=0.3) as bench:
        there = await server.connection()
        await there.hear("Tell me everything.")
        await there.speak(LOUD * 40, "It all began")
        await there.speak(LOUD * 400, " with a long speech")
        await bench.until(lambda: bench.turns)
        assert not bench.conversation.playback.is_sounding
        assert any("cut at the limit" in data["text"] for data in bench.seen.of("note"))


@both
async def test_an_answer_that_no_limit_has_room_for_is_not_heard(kind: Any, root: Path) -> None:
    prices = {"gpt-realtime": {"input_text": 9, "input_audio": 9, "output_text": 9, "output_audio": 9}}
    async with kind() as server, talking(server.provider(), root, prices=prices, max_cost_usd=1e-6) as bench:
        there, playback = await server.connection(), bench.conversation.playback
        await there.hear("Tell me everything.")
        await there.speak(LOUD * 40, "It all began")
        await bench.until(lambda: bench.turns)
        assert bench.turns[0].status == "limited"
        assert not playback.is_sounding
        if kind is OpenAIServer:
            await there.until(lambda there: "response.cancel" in str(there.received))


@both
async def test_tokens_that_no_turn_has_are_kept_and_reported(kind: Any, root: Path) -> None:
    prices = {"gpt-realtime": {"input_text": 1, "input_audio": 1, "output_text": 1, "output_audio": 1}}
    async with kind() as server, talking(server.provider(), root, prices=prices, max_cost_usd=1e-6) as bench:
        there = await server.connection()
        await there.hear("Tell me everything.")
        await there.speak(LOUD, "It all began")
        await bench.until(lambda: bench.turns)
        assert not bench.turns[0].usage.output_tokens
        if kind is OpenAIServer:
            await there.until(lambda there: not there.response, "that the answer is stopped")
        await there.report_usage(20, 3000, 4, 5)
        await there.hear("Enough.")  # comes after the tokens, so they are there, too
        await bench.until(lambda: "Enough." in bench.conversation.hearing.text)
    ((name, data),) = bench.recorded[-1:]
    heard = (18, 4) if kind is OpenAIServer else (0, 0)  # what writes down the person's words is counted, too
    assert (name, data["input_tokens"], data["output_tokens"]) == ("usage", 24 + heard[0], 3005 + heard[1])
    assert data["cost_usd"] == ("0.003051" if kind is OpenAIServer else "0.003029")
    assert f"{data['output_tokens']:,} out · $0.003" in bench.told[-1]


@both
async def test_a_cut_while_a_call_writes_runs_and_tells_it_once(kind: Any, root: Path) -> None:
    asked: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def when_told(question: inarch.ApprovalRequest) -> inarch.Approval:
        asked.set_result(None)
        await answer
        return inarch.Approval(question.call.id, "approve")

    async with kind() as server, talking(server.provider(), root, say=when_told) as bench:
        there = await server.connection()
        await there.hear("Write a note.")
        await there.call(write("a"))
        await asked
        there.cut()
        await bench.until(lambda: not bench.conversation.is_connected)
        answer.set_result(None)
        new = await server.connection(1)
        await new.until(lambda there: "written" in str(there.received), "the call and its result")
        await new.speak(LOUD, "Written.")
        await new.end_turn()
        await bench.until(lambda: bench.turns)
        assert (bench.turns[0].status, bench.turns[0].content) == ("done", "Written.")
        ran = [data["call_id"] for data in bench.seen.of("call.state") if data["status"] == "executing"]
        assert len(ran) == 1 and (root / "NOTE.md").read_text() == "written\n"
        bench.session.undo()
        assert not (root / "NOTE.md").exists(), "what was written over two connections is undone"


@both
async def test_an_answer_that_begins_again_on_another_connection_is_heard_once(kind: Any, root: Path) -> None:
    whole = array("h", [4000] * 4800).tobytes()
    async with kind() as server, talking(server.provider(), root, sink=HandSpeaker()) as bench:
        there, playback = await server.connection(), bench.conversation.playback
        await there.hear("Which fruit is it?")
        await there.speak(LOUD * 10, "Let me see, it is a ")
        await bench.until(lambda: playback.waiting == len(LOUD) * 10)
        playback.take(len(LOUD) * 8)
        await bench.until(lambda: "Let me" in str(bench.seen.events))
        there.cut()
        again = await server.connection(1)
        await bench.until(lambda: not playback.is_sounding)
        await again.speak(whole, "It is a plum.")
        await again.end_turn()
        await bench.until(lambda: playback.waiting == len(whole))
        playback.take(len(whole))
        await bench.until(lambda: bench.turns)
        assert (bench.turns[0].status, bench.turns[0].content) == ("done", "It is a plum.")


async def test_a_model_that_goes_on_by_itself_after_a_limit_is_left(root: Path) -> None:
    prices = {"gpt-realtime": {"input_text": 9, "input_audio": 9, "output_text": 9, "output_audio": 9}}
    async with GeminiServer() as server, talking(server.provider(), root, prices=prices, max_cost_usd=1e-6) as bench:
        there = await server.connection()
        await there.hear("Go.")
        await there.call(write("a"))
        await there.until(lambda there: there.results)
        await bench.until(lambda: bench.turns)
        assert bench.conversation.is_connected, "what the person asked for is answered"
        await there.call(write("b"))
        await bench.until(lambda: not bench.conversation.is_connected)
        await bench.until(lambda: there.has_ended)
        assert "raise the limit" in bench.told[-1] and not (root / "NOTE.md").exists()


ACTIONS = st.lists(
    st.sampled_from(
        ["hear", "speak", "read", "write", "both", "unknown", "again", "cancel", "interrupt", "end", "type"]
    ),
    max_size=14,
)


@settings(
    max_examples=max(8, settings().max_examples // 3),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # what fails has waited: shrinking it would take an hour
)
@given(actions=ACTIONS, waits=st.lists(st.booleans(), min_size=14, max_size=14))
def test_every_id_is_answered_once_and_run_at_most_once(actions: list[str], waits: list[bool]) -> None:
    asyncio.run(_whatever(actions, waits))


async def _whatever(actions: list[str], waits: list[bool]) -> None:
    asked: list[str] = []
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "README.md").write_text("Hello.\n")
        async with GeminiServer() as server, talking(server.provider(), root, approve="all") as bench:
            there = await server.connection()

            async def act(action: str) -> None:
                id = f"c{len(asked)}"
                if action == "hear":
                    await there.hear("Go on.")
                elif action == "speak":
                    await there.speak(LOUD, "So. ")
                elif action in ("read", "write", "unknown"):
                    asked.append(id)
                    made = {"read": read(id), "write": write(id, f"{id}.md"), "unknown": LiveCall(id, f"no_{id}", {})}
                    await there.call(made[action])
                elif action == "both":
                    asked.extend([id, f"{id}w"])
                    await there.call(read(id), write(f"{id}w", f"{id}.md"))
                elif action == "again" and asked:
                    await there.call(write(asked[-1], "again.md"))
                elif action == "cancel" and asked:
                    await there.cancel(asked[-1])
                elif action == "interrupt":
                    await there.interrupt()
                elif action == "end":
                    await there.end_turn()
                elif action == "type":
                    bench.type("And this?")

            for action, waits_then in zip(actions, waits, strict=False):
                await act(action)
                if waits_then:
                    await there.until(lambda there: {one.id for one in there.results} >= set(asked))
                else:
                    await asyncio.sleep(0)
            await there.until(lambda there: {one.id for one in there.results} >= set(asked), "an answer to each call")
            counts = Counter(one.id for one in there.results)
            assert all(counts[id] == 1 for id in asked), counts
            assert not (root / "again.md").exists(), "an id that comes again is not run again"
            assert not bench.conversation.is_waiting
            ran = Counter(data["call_id"] for data in bench.seen.of("call.state") if data["status"] == "executing")
            assert all(count == 1 for count in ran.values())
