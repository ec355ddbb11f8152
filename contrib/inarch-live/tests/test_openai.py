"""OpenAI Realtime's events, as they are documented: what is sent, and what each means that comes."""

from __future__ import annotations

from typing import Any

import pytest
from inarch_live.port import (
    AudioDelta,
    CallsRequested,
    ConnectionEnded,
    InputTranscript,
    Interrupted,
    LiveCall,
    LiveEvent,
    LiveResult,
    LiveSetup,
    LiveUsage,
    ServiceNotice,
    SpeechBegan,
    TurnEnded,
    UsageReported,
)
from inarch_live.samples import Resampler
from inarch_live.testing import OpenAIServer
from inarch_live.wires.openai_events import Reading, session_update

from .contract import EDIT, FRAME, connected, ramp, upto


def read(*events: dict[str, Any]) -> list[LiveEvent]:
    reading = Reading("openai-realtime")
    return [told for event in events for told in reading.read(event)]


def test_the_session_is_what_the_caller_wants() -> None:
    session = session_update(LiveSetup(instructions="Be brief.", tools=(EDIT,), voice="marin"), "gpt-transcribe")[
        "session"
    ]
    pcm = {"type": "audio/pcm", "rate": 24_000}
    assert session["type"] == "realtime"
    assert session["output_modalities"] == ["audio"]
    assert session["instructions"] == "Be brief."
    assert session["audio"]["input"]["format"] == session["audio"]["output"]["format"] == pcm
    assert session["audio"]["input"]["transcription"] == {"model": "gpt-transcribe"}
    assert session["audio"]["input"]["turn_detection"]["interrupt_response"] is True
    assert session["audio"]["output"]["voice"] == "marin"
    assert session["tools"][0] == {
        "type": "function", "name": "edit_file", "description": "Edits.", "parameters": EDIT.parameters,
    }  # fmt: skip
    pushed = session_update(LiveSetup(hearing="push"), "x")["session"]["audio"]["input"]
    assert pushed["turn_detection"] is None


def test_calls_of_an_answer_that_was_cut_are_not_asked_for() -> None:
    item = {"type": "function_call", "call_id": "a", "name": "x", "arguments": '{"half": '}
    for status in ("cancelled", "incomplete", "failed"):
        events = read(
            {"type": "response.created"},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.done", "response": {"status": status}},
        )
        assert not [event for event in events if isinstance(event, CallsRequested)]
        ended = events[-1]
        assert isinstance(ended, TurnEnded)
        assert (ended.reason, ended.error is not None) == (status, status == "failed")


@pytest.mark.parametrize(
    ("written", "arguments", "fault"),
    [('{"a": 1}', {"a": 1}, ""), ("", {}, ""), (None, {}, "object"), ("{", {}, "JSON"), ("[1]", {}, "object"),
        ("[" * 100_000, {}, "JSON")],
)  # fmt: skip
def test_arguments_that_cannot_be_read_are_a_fault_of_the_call(written: Any, arguments: Any, fault: str) -> None:
    item = {"type": "function_call", "call_id": "a", "name": "x", "arguments": written}
    told, ended = read(
        {"type": "response.created"},
        {"type": "response.output_item.done", "item": item},
        {"type": "response.done", "response": {"status": "completed"}},
    )
    assert isinstance(told, CallsRequested)
    assert told.calls[0].arguments == arguments
    assert fault in told.calls[0].fault
    assert bool(told.calls[0].fault) == bool(fault)
    assert ended == TurnEnded(is_idle=False)


def test_usage_with_what_was_cached() -> None:
    usage = {
        "input_tokens": 100, "output_tokens": 50,
        "input_token_details": {"audio_tokens": 70, "text_tokens": 30, "cached_tokens": 40,
            "cached_tokens_details": {"audio_tokens": 25, "text_tokens": 15}},
        "output_token_details": {"audio_tokens": 45, "text_tokens": 5},
    }  # fmt: skip
    told, _ = read({"type": "response.done", "response": {"status": "completed", "usage": usage}})
    assert told == UsageReported(LiveUsage(30, 70, 15, 25, 5, 45))


def test_a_transcript_is_what_it_is_in_the_end() -> None:
    kind = "conversation.item.input_audio_transcription"
    events = read(
        {"type": f"{kind}.delta", "item_id": "i", "delta": "wreck a nice"},
        {"type": f"{kind}.completed", "item_id": "i", "transcript": "recognise", "usage": {"type": "duration"}},
        {"type": f"{kind}.completed", "item_id": "j", "transcript": "speech"},
        {"type": f"{kind}.failed", "item_id": "k", "error": {"message": "too loud"}},
    )
    assert events == [
        InputTranscript("wreck a nice"),
        InputTranscript("recognise", True),
        InputTranscript("speech", True),
        ServiceNotice("openai-realtime could not write down what you said: too loud"),
    ]


def test_errors_of_two_sides_that_act_at_once_are_passed_over() -> None:
    for code in ("response_cancel_not_active", "conversation_already_has_active_response"):
        assert read({"type": "error", "error": {"code": code, "message": "…"}}) == []
    assert read({"type": "error", "error": {"code": "x", "message": "bad item"}}) == [
        ServiceNotice("openai-realtime says: bad item")
    ]


async def test_what_was_not_heard_is_taken_out_of_the_conversation() -> None:
    async with connected(OpenAIServer(), LiveSetup()) as (connection, there):
        events = aiter(connection)
        await there.speak(ramp(24_000))
        await there.speak(ramp(12_000))
        await upto(events, AudioDelta)
        await upto(events, AudioDelta)
        await there.interrupt()
        seen = await upto(events, SpeechBegan)
        assert seen[-2:] == [Interrupted(), SpeechBegan()]
        await connection.interrupt(unheard_ms=700)
        await there.until(lambda there: there.truncations)
        (cut,) = there.truncations
        assert (cut["audio_end_ms"], cut["content_index"]) == (800, 0)


async def test_an_answer_that_was_never_begun_to_be_heard_is_cut_to_nothing() -> None:
    async with connected(OpenAIServer(), LiveSetup()) as (connection, there):
        events = aiter(connection)
        await there.speak(ramp(2_400))
        await there.end_turn()
        await there.speak(ramp(4_800))
        for _ in range(2):
            await upto(events, AudioDelta)
        await connection.interrupt(unheard_ms=250)
        await there.until(lambda there: len(there.truncations) == 2)
        assert [cut["audio_end_ms"] for cut in there.truncations] == [0, 50]
        assert there.truncations[0]["item_id"] != there.truncations[1]["item_id"]
        assert not there.response, "the answer was not cancelled"


async def test_an_answer_to_results_waits_for_the_present_one() -> None:
    async with connected(OpenAIServer(), LiveSetup()) as (connection, there):
        events = aiter(connection)
        await there.call(LiveCall("a", "x", {}), LiveCall("b", "x", {}))
        await upto(events, TurnEnded)
        await there.speak(ramp(480))
        await upto(events, AudioDelta)
        await connection.send_results([LiveResult("a", "x", "success", "1")], "silent")
        await connection.send_results([LiveResult("b", "x", "success", "2")])
        await there.until(lambda there: len(there.results) == 2)
        assert there.requests == 0
        await there.end_turn()
        await upto(events, TurnEnded)
        listening = asyncio_task(events)
        await there.until(lambda there: there.requests == 1)
        listening.cancel()


async def test_typed_text_stops_the_answer_and_gets_its_own() -> None:
    async with connected(OpenAIServer(), LiveSetup()) as (connection, there):
        events = aiter(connection)
        await there.speak(ramp(480))
        await upto(events, AudioDelta)
        await connection.send_text("wait")
        listening = asyncio_task(events)
        await there.until(lambda there: there.requests == 1)
        assert there.texts == ["wait"]
        listening.cancel()


async def test_push_to_talk_commits_what_was_said_and_asks_for_an_answer() -> None:
    async with connected(OpenAIServer(), LiveSetup(hearing="push")) as (connection, there):
        await connection.begin_speech()
        await connection.end_speech()
        await connection.begin_speech()
        await connection.send_audio(ramp(5 * FRAME))
        await connection.end_speech()
        await there.until(lambda there: there.requests == 1)
        assert there.commits == 1
        whole = Resampler(16_000, 24_000)
        assert bytes(there.audio) == whole.add(ramp(5 * FRAME)) + whole.flush()


async def test_a_microphone_that_goes_off_is_a_pause() -> None:
    async with connected(OpenAIServer(), LiveSetup()) as (connection, there):
        await connection.end_speech()
        await there.until(lambda there: there.audio)
        assert bytes(there.audio) == bytes(700 * 48)


async def test_an_hour_is_over() -> None:
    async with connected(OpenAIServer(), LiveSetup()) as (connection, there):
        await there.fail("session_expired", "Your session hit the maximum duration of 60 minutes.")
        await there.close(1000)
        (*_, ended) = await upto(aiter(connection), ConnectionEnded)
        assert isinstance(ended, ConnectionEnded)
        assert ended.error is not None
        assert ended.error.retryable


def asyncio_task(events: Any) -> Any:
    """Go on listening in the background, as a session does."""
    import asyncio

    async def listen() -> None:
        async for _ in events:
            pass

    return asyncio.create_task(listen())
