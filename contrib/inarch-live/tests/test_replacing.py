"""One connection in the place of another: when, with what, how often, and what is told of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from inarch_live.outbox import Audio, Outbox, Typed
from inarch_live.port import (
    AudioDelta,
    CallsCancelled,
    CallsRequested,
    ConnectionEnded,
    GoingAway,
    InputTranscript,
    LiveCall,
    LiveConnection,
    LiveEvent,
    LiveResult,
    LiveSetup,
    OutputTranscript,
    Resumed,
    Said,
    TextDelta,
    TurnEnded,
)
from inarch_live.recording import LONGEST, Record
from inarch_live.resuming import Resuming, ResumingConnection
from inarch_live.testing import GeminiServer, GeminiThere, LiveServer, OpenAIServer, Person
from inarch_live.testing.contract import ramp, run, upto

from inarch import ProviderError

CALL = LiveCall("a", "work", {"on": "x"})


@asynccontextmanager
async def talk(
    server: LiveServer[Any], setup: LiveSetup | None = None, **options: Any
) -> AsyncIterator[tuple[ResumingConnection, AsyncIterator[LiveEvent]]]:
    options.setdefault("delays_s", (0.0, 0.0, 0.0))
    async with server:
        connection = await Resuming(server.provider(), **options).connect(setup or LiveSetup())
        try:
            yield connection, aiter(connection)
        finally:
            await connection.aclose()


async def resumed(events: AsyncIterator[LiveEvent]) -> Resumed:
    event = (await upto(events, Resumed, ConnectionEnded))[-1]
    assert isinstance(event, Resumed), event
    return event


def test_a_service_that_goes_is_left_when_nothing_is_under_way() -> None:
    async def conversation() -> None:
        async with talk(server := GeminiServer()) as (connection, events):
            there = await server.connection()
            handle = await there.hand_over()
            await there.speak(ramp(2))
            await there.go_away(50)
            seen = await upto(events, GoingAway)
            assert isinstance(seen[0], AudioDelta)
            await connection.send_audio(ramp(320))
            await there.until(lambda there: there.audio)
            await there.end_turn()
            assert await resumed(events) == Resumed(is_same=True)
            new = await server.connection(1)
            assert new.setup["setup"]["sessionResumption"]["handle"] == handle
            await new.until(lambda there: bytes(there.audio) == ramp(320))

    run(conversation())


def test_a_service_that_goes_is_not_left_in_a_state_that_does_not_survive() -> None:
    async def conversation() -> None:
        async with talk(server := GeminiServer()) as (_, events):
            there = await server.connection()
            await there.hand_over()
            await there.hand_over(resumable=False)
            await there.go_away(50)
            await there.write("still here")
            seen = await upto(events, TextDelta, Resumed)
            assert isinstance(seen[-1], TextDelta)
            await there.close(1000)
            assert await resumed(events) == Resumed(is_same=True, repeats=True)

    run(conversation())


def test_an_answer_that_was_cut_is_told_to_come_again() -> None:
    async def conversation() -> None:
        async with talk(server := GeminiServer()) as (connection, events):
            there = await server.connection()
            await there.hand_over()
            await connection.send_text("why?")
            await there.until(lambda there: there.texts)
            await there.speak(ramp(480))
            await upto(events, AudioDelta)
            there.cut()
            assert await resumed(events) == Resumed(is_same=True, repeats=True)
            new = await server.connection(1)
            await new.until(lambda there: there.texts == ["why?"])

    run(conversation())


def test_after_so_many_attempts_the_conversation_has_ended_with_the_last_error() -> None:
    async def conversation() -> None:
        async with talk(server := GeminiServer()) as (connection, events):
            there = await server.connection()
            server.refuse = (503, "overloaded")
            there.cut()
            (*_, ended) = await upto(events, ConnectionEnded)
            assert isinstance(ended, ConnectionEnded)
            assert ended.error is not None
            assert "overloaded" in ended.error.message
            assert [event async for event in connection] == []
            await connection.send_text("anybody?")

    run(conversation())


def test_a_connection_that_breaks_at_once_again_and_again_is_given_up() -> None:
    async def script(there: GeminiThere) -> None:
        there.cut()

    async def conversation() -> None:
        async with talk(server := GeminiServer(script)) as (_, events):
            (*told, ended) = await upto(events, ConnectionEnded)
            assert len(server.connections) == 4
            assert len(told) == 3
            assert isinstance(ended, ConnectionEnded)
            assert ended.error is not None

    run(conversation())


def test_a_key_that_is_refused_now_ends_the_conversation_at_once() -> None:
    async def conversation() -> None:
        async with talk(server := GeminiServer()) as (_, events):
            there = await server.connection()
            await there.hand_over()
            server.refuse = (401, "the key was revoked")
            there.cut()
            (*_, ended) = await upto(events, ConnectionEnded)
            assert isinstance(ended, ConnectionEnded)
            assert ended.error is not None
            assert ended.error.kind == "auth"

    run(conversation())


def test_a_handle_that_has_expired_begins_the_conversation_anew_with_its_text() -> None:
    class Forgetful(GeminiThere):
        async def took(self, message: dict[str, Any]) -> None:
            if message.get("setup", {}).get("sessionResumption", {}).get("handle"):
                await self.close(1008, "BidiGenerateContent session not found")
            else:
                await super().took(message)

    class Server(GeminiServer):
        def there(self, socket: Any, path: str, headers: dict[str, str]) -> GeminiThere:
            return Forgetful(socket, path, headers, self.handles)

    async def conversation() -> None:
        setup = LiveSetup(history=(Said("user", "before"),))
        async with talk(server := Server(), setup) as (connection, events):
            there = await server.connection()
            await connection.send_text("why?")
            await there.until(lambda there: "why?" in there.texts)
            await there.write("Because.")
            await there.end_turn()
            await there.hand_over()
            await there.hear("and how?")
            await upto(events, InputTranscript)
            there.cut()
            assert await resumed(events) == Resumed(is_same=False)
            new = await server.connection(2)
            await new.until(lambda there: len(there.texts) == 5)
            assert new.texts == ["before", "why?", "Because.", "and how?", "Please go on where you were."]

    run(conversation())


def test_without_any_state_the_last_turn_is_given_again_and_its_calls_do_not_run_twice() -> None:
    async def conversation() -> None:
        async with talk(server := GeminiServer(), repeat_s=60.0) as (connection, events):
            there = await server.connection()
            await connection.send_text("first")
            await there.until(lambda there: there.texts)
            await there.write("One.")
            await there.end_turn()
            await upto(events, TurnEnded)
            await connection.send_audio(ramp(320))
            await there.until(lambda there: there.audio)
            await there.call(CALL)
            await upto(events, CallsRequested)
            await connection.send_results([LiveResult("a", "work", "success", "7")])
            await there.until(lambda there: there.results)
            there.cut()
            assert await resumed(events) == Resumed(is_same=False)
            new = await server.connection(1)
            await new.until(lambda there: bytes(there.audio) == ramp(320))
            assert (new.texts[:2], new.results) == (["first", "One."], [])
            await new.call(LiveCall("b", "work", {"on": "x"}), LiveCall("c", "work", {"on": "y"}))
            (*_, asked) = await upto(events, CallsRequested)
            assert asked == CallsRequested((LiveCall("c", "work", {"on": "y"}),))
            await new.until(lambda there: [result.id for result in there.results] == ["b"])

    run(conversation())


def test_a_result_for_which_nobody_asks_again_is_sent_for_its_first_id() -> None:
    async def conversation() -> None:
        async with talk(server := GeminiServer(), repeat_s=0.01) as (connection, events):
            there = await server.connection()
            await there.hand_over()
            await there.call(CALL)
            await upto(events, CallsRequested)
            there.cut()
            await resumed(events)
            await connection.send_results([LiveResult("a", "work", "cancelled", "stopped")])
            new = await server.connection(1)
            await new.until(lambda there: there.results)
            assert [(result.id, result.status) for result in new.results] == [("a", "cancelled")]
            await new.call(LiveCall("b", "work", {"on": "x"}))  # later than expected, but in the same turn
            await new.write("done")
            seen = await upto(events, TextDelta)
            assert not [event for event in seen if isinstance(event, CallsRequested)]
            await new.until(lambda there: len(there.results) == 2)
            await new.end_turn()
            await new.call(LiveCall("c", "work", {"on": "x"}))  # in a turn of its own it is another call
            assert isinstance((await upto(events, CallsRequested))[-1], CallsRequested)

    run(conversation())


def test_a_call_under_another_id_is_cancelled_and_answered_under_it() -> None:
    async def conversation() -> None:
        async with talk(server := GeminiServer(), repeat_s=60.0) as (connection, events):
            there = await server.connection()
            await there.hand_over()
            await there.call(CALL)
            await upto(events, CallsRequested)
            there.cut()
            await resumed(events)
            new = await server.connection(1)
            await new.call(LiveCall("b", "work", {"on": "x"}))
            await new.cancel("b")
            assert (await upto(events, CallsCancelled))[-1] == CallsCancelled(("a",))
            await connection.send_results([LiveResult("a", "work", "cancelled", "stopped")])
            await new.until(lambda there: there.results)
            assert [result.id for result in new.results] == ["b"]

    run(conversation())


def test_a_state_of_unknown_extent_is_taken_to_lack_what_was_sent_last() -> None:
    async def conversation() -> None:
        async with talk(server := GeminiServer(indexed=False)) as (connection, events):
            there = await server.connection()
            await connection.send_audio(ramp(320))
            await there.until(lambda there: there.audio)
            await there.hand_over()
            await there.write("so")
            await upto(events, TextDelta)
            there.cut()
            await resumed(events)
            new = await server.connection(1)
            await new.until(lambda there: there.audio)  # a little is heard twice, rather than lost

    run(conversation())


@pytest.mark.parametrize("handed", [False, True])
def test_what_was_answered_is_not_asked_again_where_the_extent_is_unknown(handed: bool) -> None:
    async def conversation() -> None:
        async with talk(server := GeminiServer(indexed=False)) as (connection, events):
            there = await server.connection()
            await connection.send_text("work on x")
            await there.until(lambda there: there.texts)
            await there.call(CALL)
            await upto(events, CallsRequested)
            await connection.send_results([LiveResult("a", "work", "success", "7")])
            await there.until(lambda there: there.results)
            await there.write("It is 7.")
            await there.end_turn()
            if handed:
                await there.hand_over()
            await there.hear("thanks")
            await upto(events, InputTranscript)
            there.cut()
            assert (await resumed(events)).is_same is handed
            new = await server.connection(1)
            await connection.send_text("and y?")
            await new.until(lambda there: "and y?" in there.texts)
            assert new.results == []
            told = ["work on x", '(called work with {"on": "x"})', "(result of work, success: 7)", "It is 7."]
            assert new.texts == [*([] if handed else told), "and y?"]

    run(conversation())


def test_closing_ends_a_search_for_a_connection() -> None:
    async def conversation() -> None:
        async with talk(server := GeminiServer(), delays_s=(3_600.0,)) as (connection, events):
            there = await server.connection()
            there.cut()
            searching = asyncio.create_task(upto(events, ConnectionEnded))
            await there.until(lambda there: there.has_ended)
            await asyncio.sleep(0)
            await connection.aclose()
            assert isinstance((await searching)[-1], ConnectionEnded)

    run(conversation())


@pytest.mark.parametrize("kind", [GeminiServer, OpenAIServer])
def test_the_first_connection_is_tried_once(kind: Callable[[], LiveServer[Any]]) -> None:
    async def conversation() -> None:
        async with kind() as server:
            server.refuse = (503, "not now")
            with pytest.raises(ProviderError, match="not now"):
                await Resuming(server.provider()).connect(LiveSetup())

    run(conversation())


def test_a_new_conversation_with_openai_knows_calls_and_their_results() -> None:
    async def conversation() -> None:
        async with talk(server := OpenAIServer()) as (connection, events):
            person = Person(connection)
            there = await server.connection()
            await connection.send_text("work on x")
            await there.until(lambda there: there.requests)
            await there.call(CALL, LiveCall("b", "work", {"on": "y"}))
            await upto(events, TurnEnded)
            await connection.send_results([LiveResult("a", "work", "success", "7")], "silent")
            await there.until(lambda there: there.results)
            await there.speak(ramp(480), "I am at it.")
            await there.end_turn()
            await upto(events, OutputTranscript)
            await upto(events, TurnEnded)
            there.cut()
            assert await resumed(events) == Resumed(is_same=False)
            new = await server.connection(1)
            await connection.send_results([LiveResult("b", "work", "success", "8")])
            listening = asyncio.create_task(person.listen())
            await new.until(lambda there: there.requests)
            kinds = [item["type"] for item in new.items]
            assert kinds == [
                "message", "function_call", "function_call", "function_call_output", "message", "function_call_output",
            ]  # fmt: skip
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    run(conversation())


def test_old_audio_is_lost_before_anything_else_and_only_sound_counts() -> None:
    outbox = Outbox(longest_s=0.1)
    outbox.put(Typed("words"))
    for _ in range(5):
        outbox.put(Audio(bytes(640)))
    assert outbox.lost_s == 0.0
    for _ in range(10):
        outbox.put(Audio(ramp(320)))
    assert outbox.lost_s == pytest.approx(0.1)
    assert len(outbox) == 6
    while outbox.take(0.0):
        pass
    outbox.consumed(1)
    assert outbox.lost_s == 0.0
    assert len(outbox) == 5


def test_a_long_conversation_keeps_its_end() -> None:
    record = Record([])
    for number in range(100):
        record.came(InputTranscript("", f"{number} " + "x" * (LONGEST // 50), True))
        record.came(TurnEnded())
    kept = [piece.text for piece in record.history(()) if isinstance(piece, Said)]
    assert 40 < len(kept) < 50
    assert kept[-1].startswith("99 ")


def test_an_answer_without_end_is_kept_in_pieces() -> None:
    record = Record([])
    for _ in range(100):
        record.came(TextDelta("x" * (LONGEST // 10)))
    record.came(TurnEnded())
    assert sum(len(piece.text) for piece in record.history(()) if isinstance(piece, Said)) <= 2 * LONGEST


def test_what_the_person_said_stands_before_the_answer_whenever_it_is_told() -> None:
    record = Record([])
    record.came(OutputTranscript("", "Good morning.", True))
    record.came(InputTranscript("", "hello", True))
    record.came(TurnEnded())
    record.came(TextDelta("And "))
    record.came(TextDelta("you?"))
    record.came(TurnEnded())
    assert record.history(()) == (Said("user", "hello"), Said("agent", "Good morning."), Said("agent", "And you?"))


@pytest.mark.parametrize("kind", [GeminiServer, OpenAIServer])
def test_closing_sends_what_was_given_to_be_sent(kind: Callable[[], LiveServer[Any]]) -> None:
    async def conversation() -> None:
        async with talk(server := kind()) as (connection, events):
            there = await server.connection()
            await there.call(CALL)
            await upto(events, CallsRequested)
            await connection.send_results([LiveResult("a", "work", "cancelled", "the session has ended")])
            await connection.aclose()
            await there.until(lambda there: there.results)

    run(conversation())


def test_it_is_a_connection_like_any_other() -> None:
    async def conversation() -> None:
        async with talk(GeminiServer()) as (connection, _):
            plain: LiveConnection = connection
            await plain.begin_speech()
            await plain.end_speech()
            await plain.interrupt(0)
            await plain.aclose()
            await plain.aclose()

    run(conversation())
