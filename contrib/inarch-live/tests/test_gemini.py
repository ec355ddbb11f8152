"""Gemini Live's messages, as they are documented: what is sent, and what each means that comes."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from inarch_live.port import (
    AudioDelta,
    CallsCancelled,
    CallsRequested,
    GoingAway,
    InputTranscript,
    Interrupted,
    LiveCall,
    LiveEvent,
    LiveResult,
    LiveSetup,
    LiveTool,
    LiveUsage,
    OutputTranscript,
    Said,
    SpeechBegan,
    TextDelta,
    TurnEnded,
    UsageReported,
)
from inarch_live.testing import GeminiServer
from inarch_live.wires.gemini_events import Reading, setup_message

from inarch import ProviderError

from .contract import EDIT, READ, connected, upto

SOUND = {"inlineData": {"mimeType": "audio/pcm;rate=24000", "data": base64.b64encode(b"\1\2").decode()}}


def read(*messages: dict[str, Any]) -> list[LiveEvent]:
    reading = Reading("gemini-live")
    return [event for message in messages for event in reading.read(message)]


def sound(pcm: bytes, mime: str = "audio/pcm;rate=24000") -> dict[str, Any]:
    part = {"inlineData": {"mimeType": mime, "data": base64.b64encode(pcm).decode()}}
    return {"serverContent": {"modelTurn": {"parts": [part]}}}


def test_all_parts_of_one_message_are_read_in_the_order_of_the_port() -> None:
    message = {
        "goAway": {"timeLeft": "50.5s"},
        "usageMetadata": {"promptTokenCount": 3},
        "toolCall": {"functionCalls": [{"id": "a", "name": "x", "args": {"n": 1}}, {"name": "y"}]},
        "toolCallCancellation": {"ids": ["z", 7]},
        "voiceActivity": {"voiceActivityType": "ACTIVITY_START"},
        "serverContent": {
            "turnComplete": True,
            "generationComplete": True,
            "outputTranscription": {"text": "hi"},
            "modelTurn": {"parts": [{"text": "secret", "thought": True}, {"text": "one"}, SOUND, {"text": "two"}]},
            "inputTranscription": {"text": "hey", "finished": True},
            "interrupted": True,
        },
        "setupComplete": {},
    }  # fmt: skip
    assert read(message) == [
        CallsCancelled(("z",)),
        Interrupted(),
        SpeechBegan(),
        InputTranscript("hey", True),
        TextDelta("one"),
        AudioDelta(b"\1\2", 24_000),
        TextDelta("two"),
        OutputTranscript("hi"),
        CallsRequested((LiveCall("a", "x", {"n": 1}), LiveCall("call-1", "y", {}))),
        UsageReported(LiveUsage(input_text=3)),
        TurnEnded(),
        GoingAway(),
    ]


def test_audio_has_the_rate_that_its_type_tells() -> None:
    assert read(sound(b"\1\2", "audio/pcm;rate=16000")) == [AudioDelta(b"\1\2", 16_000)]
    assert read(sound(b"\1\2", "audio/pcm")) == [AudioDelta(b"\1\2", 24_000)]
    assert not read(sound(b"\1\2", "audio/mpeg"))


@pytest.mark.parametrize("data", ["é", "AAA", "*", "A===="])
def test_audio_that_is_no_base64_breaks_the_connection(data: str) -> None:
    broken = sound(b"")
    broken["serverContent"]["modelTurn"]["parts"][0]["inlineData"]["data"] = data
    with pytest.raises(ProviderError, match="no base64"):
        read(broken)


def test_calls_without_arguments_or_with_strange_ones() -> None:
    calls = [{"id": "a"}, {"id": "b", "name": "x", "args": [1]}, {"id": "", "name": 7}, "no call"]
    (told,) = read({"toolCall": {"functionCalls": calls}})
    assert isinstance(told, CallsRequested)
    assert [(call.id, call.name, bool(call.fault)) for call in told.calls] == [
        ("a", "", False), ("b", "x", True), ("call-1", "", False),
    ]  # fmt: skip


def test_a_model_that_thinks_on_is_not_idle() -> None:
    def end(**more: Any) -> list[LiveEvent]:
        return read({"serverContent": {"turnComplete": True, **more}})

    assert end(interactionStatus="IN_PROGRESS") == [TurnEnded(is_idle=False)]
    assert end(interactionStatus="IDLE") == end() == [TurnEnded()]
    assert end(turnCompleteReason="RESPONSE_REJECTED") == [TurnEnded("RESPONSE_REJECTED")]


def test_what_the_person_says_into_an_answer_is_one_utterance() -> None:
    events = read(
        {"serverContent": {"inputTranscription": {"text": "stop "}, "interrupted": True}},
        {"serverContent": {"turnComplete": True}},
        {"serverContent": {"inputTranscription": {"text": "that"}}},
        {"serverContent": {"turnComplete": True}},
    )
    assert [event for event in events if isinstance(event, InputTranscript) and event.is_final] == [
        InputTranscript("stop that", True)
    ]


def test_an_error_in_the_midst_ends_the_turn_that_it_is_about() -> None:
    (ended,) = read({"error": {"code": 5, "message": "No fixture matched", "status": "NOT_FOUND"}})
    assert isinstance(ended, TurnEnded) and ended.error is not None
    assert ended.error.message == "gemini-live could not answer: No fixture matched"


def test_usage_that_is_not_broken_down_is_text() -> None:
    told = {
        "promptTokenCount": 100,
        "promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 60}, {"modality": "IMAGE", "tokenCount": 10}],
        "responseTokenCount": 9,
        "thoughtsTokenCount": 4,
        "toolUsePromptTokenCount": 5,
        "cachedContentTokenCount": 20,
        "cacheTokensDetails": [{"modality": "AUDIO", "tokenCount": 15}],
    }
    expected = LiveUsage(
        input_text=45, input_audio=60, cached_text=5, cached_audio=15, output_text=9, output_audio=0, reasoning=4
    )
    assert read({"usageMetadata": told}) == [UsageReported(expected)]


def test_the_setup_says_what_the_caller_wants() -> None:
    setup = LiveSetup(instructions="Be brief.", tools=(EDIT, READ), voice="Kore", hearing="push")
    body = setup_message(setup, "gemini-3.8-live")["setup"]
    assert body["model"] == "models/gemini-3.8-live"
    assert body["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert body["generationConfig"]["responseModalities"] == ["AUDIO"]
    assert body["generationConfig"]["speechConfig"]["voiceConfig"]["prebuiltVoiceConfig"]["voiceName"] == "Kore"
    assert body["realtimeInputConfig"] == {"automaticActivityDetection": {"disabled": True}}
    assert body["contextWindowCompression"] == {"slidingWindow": {}}
    assert body["inputAudioTranscription"] == body["outputAudioTranscription"] == {}
    first, second = body["tools"][0]["functionDeclarations"]
    assert (first["behavior"], second["behavior"]) == ("BLOCKING", "NON_BLOCKING")
    assert first["parameters"] == {"type": "object", "properties": {"path": {"type": "string"}}}
    assert "parameters" not in second


@pytest.mark.parametrize(
    ("model", "behavior"),
    [
        ("gemini-3.8-live", ["BLOCKING", "NON_BLOCKING"]),
        ("gemini-3.8-live-extended-thinking", ["NON_BLOCKING", "NON_BLOCKING"]),
        ("gemini-3.1-flash-live-preview", [None, None]),
    ],
)
def test_each_model_gets_the_behaviour_that_it_knows(model: str, behavior: list[str | None]) -> None:
    body = setup_message(LiveSetup(tools=(EDIT, READ)), model)["setup"]
    assert [tool.get("behavior") for tool in body["tools"][0]["functionDeclarations"]] == behavior


async def test_scheduling_goes_with_tools_that_the_model_does_not_wait_for() -> None:
    async with connected(GeminiServer(), LiveSetup(tools=(EDIT, READ))) as (connection, there):
        await there.call(LiveCall("a", "edit_file", {}), LiveCall("b", "read_file", {}))
        await upto(aiter(connection), CallsRequested)
        results = [LiveResult(one, name, "success", "ok") for one, name in (("a", "edit_file"), ("b", "read_file"))]
        await connection.send_results(results, "silent")
        await there.until(lambda there: there.results)
        assert [result.scheduling for result in there.results] == ["", "SILENT"]


async def test_a_call_without_an_id_is_answered_by_its_name() -> None:
    async with connected(GeminiServer(), LiveSetup()) as (connection, there):
        await there.send({"toolCall": {"functionCalls": [{"name": "edit_file", "args": {}}]}})
        (*_, asked) = await upto(aiter(connection), CallsRequested)
        assert isinstance(asked, CallsRequested)
        await connection.send_results([LiveResult(asked.calls[0].id, "edit_file", "error", "no")])
        await there.until(lambda there: there.answers)
        (entry,) = there.received[-1]["toolResponse"]["functionResponses"]
        assert entry == {"name": "edit_file", "response": {"status": "error", "error": "no"}}


async def test_history_is_words_and_an_unanswered_question_is_taken_up() -> None:
    history = (
        Said("user", "why?"),
        LiveCall("a", "x", {}),
        LiveResult("a", "x", "success", "7"),
        Said("agent", "so"),
    )
    async with connected(GeminiServer(), LiveSetup(history=history, awaits_answer=True)) as (_, there):
        await there.until(lambda there: len(there.received) == 3)
        setup, before, prompt = there.received
        assert setup["setup"]["historyConfig"] == {"initialHistoryInClientContent": True}
        assert before["clientContent"]["turnComplete"] is True
        assert [turn["role"] for turn in before["clientContent"]["turns"]] == ["user", "model", "user", "model"]
        assert list(prompt) == ["realtimeInput"]


def test_a_schema_is_sent_in_the_form_that_the_service_accepts() -> None:
    tool = LiveTool("x", "", {"type": "object", "properties": {"a": {"const": 1}}}, blocking=False)
    body = setup_message(LiveSetup(tools=(tool,)), "gemini-3.8-live")["setup"]
    (declared,) = body["tools"][0]["functionDeclarations"]
    assert declared["description"] == "x"
    assert "const" not in declared["parameters"]["properties"]["a"]
