"""Whole turns through the real kernel: what is asked, what is understood, and what goes back."""

from __future__ import annotations

import base64
import json
from typing import Any

from gemini_wire import KEY, STREAM, Talks, call, candidate, reply

from inarch import cost_of, price_table
from inarch.testing import json_reply, sse_reply

SIGNATURE = base64.b64encode(bytes(range(256))).decode()


def test_a_question_is_answered(talk: Talks) -> None:
    usage = {
        "promptTokenCount": 100, "candidatesTokenCount": 20, "thoughtsTokenCount": 30, "cachedContentTokenCount": 40,
        "totalTokenCount": 150,
    }  # fmt: skip
    thought = {"text": "Let me see.", "thought": True}
    chunks = [candidate(thought), candidate("Hel"), {**candidate("lo", finish="STOP"), "usageMetadata": usage}]
    talking = talk(sse_reply(chunks, done=False))
    (turn,) = talking.run("hi")
    assert (turn.status, turn.content, turn.reasoning) == ("done", "Hello", "Let me see.")
    used = turn.usage
    assert (used.input_tokens, used.output_tokens, used.cached_tokens, used.reasoning_tokens) == (100, 50, 40, 30)
    known = price_table().find(turn.model)  # the service tells no price; the table does, where it is installed
    assert used.cost_usd == (cost_of(used, known.price) if known and known.price else None)
    deltas = [event.data for event in talking.events if event.kind == "model.delta"]
    assert "".join(data["reasoning"] for data in deltas) == "Let me see."
    assert "".join(data["text"] for data in deltas) == "Hello"
    (request,) = talking.server.requests
    assert request.path == STREAM
    assert request.headers["x-goog-api-key"] == KEY
    body = request.json
    assert [content["role"] for content in body["contents"]] == ["user"]
    assert body["contents"][0]["parts"][0] == {"text": "hi"}
    assert "coding agent" in body["systemInstruction"]["parts"][0]["text"]
    assert body["generationConfig"]["thinkingConfig"] == {"includeThoughts": True}
    assert "toolConfig" not in body


def test_signatures_of_text_come_back_in_the_next_turn_and_after_a_resume(talk: Talks) -> None:
    chunks = [
        candidate("One "),
        candidate("two"),
        candidate({"text": "", "thoughtSignature": SIGNATURE}, finish="STOP"),
    ]
    talking = talk(sse_reply(chunks, done=False), reply("again"))
    talking.run("first", "second")
    talking.run("third", session=talking.session_id)
    expected = {"role": "model", "parts": [{"text": "One two"}, {"text": "", "thoughtSignature": SIGNATURE}]}
    for body in talking.bodies()[1:]:
        assert body["contents"][1] == expected
    assert [content["role"] for content in talking.bodies()[2]["contents"]] == ["user", "model"] * 2 + ["user"]


def test_a_failed_call_is_reported_as_an_error_and_the_loop_goes_on(talk: Talks) -> None:
    talking = talk(reply(call("read_file", {"file_path": "gone.txt"}), call("no_such_tool")), reply("it is gone"))
    (turn,) = talking.run("read it")
    assert turn.content == "it is gone"
    responses = [part["functionResponse"] for part in talking.bodies()[1]["contents"][2]["parts"]]
    assert [list(item["response"]) for item in responses] == [["error"], ["error"]]
    assert "not_found" in responses[0]["response"]["error"]
    assert all("id" not in item for item in responses)


def test_every_tool_is_declared_in_words_that_the_api_takes(talk: Talks) -> None:
    talking = talk(reply("ok"))
    talking.run("hi")
    declared = talking.bodies()[0]["tools"][0]["functionDeclarations"]
    by_name = {item["name"]: item for item in declared}
    assert "read_file" in by_name
    assert by_name["read_file"]["parameters"]["properties"]["start_line"] == {"type": "integer"}
    assert "additionalProperties" not in json.dumps(declared)
    assert '"default"' not in json.dumps(declared)


def test_a_limit_asks_once_more_without_calls(talk: Talks) -> None:
    talking = talk(reply(call("list_files")), reply("so far"), max_iterations=1)
    (turn,) = talking.run("look")
    assert turn.status == "limited"
    assert turn.content.startswith("so far")
    second = talking.bodies()[1]
    assert second["toolConfig"] == {"functionCallingConfig": {"mode": "NONE"}}
    assert [list(part) for part in second["contents"][2]["parts"]] == [["functionResponse"], ["text"]]


def test_a_decision_is_asked_as_json_without_tools(talk: Talks) -> None:
    decision = {
        "requires_tool_call": True, "tool_name": "read_file", "arguments": {"file_path": "a.txt"}, "reasoning": "r",
    }  # fmt: skip
    whole = json_reply(candidate(json.dumps(decision), finish="STOP"))
    talking = talk(whole, reply("seen"), strategy="structured", plugins=["sandbox-fs", "sqlite-store", "dispatch"])
    (talking.root / "a.txt").write_text("ALPHA\n")
    (turn,) = talking.run("what is in a.txt?")
    assert (turn.status, turn.content) == ("done", "seen")
    asked = talking.server.requests[0]
    assert asked.path == "/v1beta/models/gemini-3.5-flash-lite:generateContent"
    config = asked.json["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    named = config["responseJsonSchema"]["properties"]["tool_name"]
    assert named["type"] == ["string", "null"] and {"read_file", None} <= set(named["enum"])
    assert "tools" not in asked.json
    assert "ALPHA" in talking.server.requests[1].body.decode()


def test_thoughts_are_not_asked_for_where_the_user_or_the_model_has_none(talk: Talks) -> None:
    silent = talk(reply("ok"), settings={"thinking": False})
    silent.run("hi")
    small = talk(reply("ok"), model="gemini/gemini-2.5-flash-lite")
    small.run("hi")
    for talking in (silent, small):
        assert "generationConfig" not in talking.bodies()[0]


def test_the_key_is_in_a_header_and_nowhere_else(talk: Talks) -> None:
    talking = talk(reply("ok"))
    talking.run("hi")
    assert KEY not in talking.shown
    assert all(KEY not in request.path and KEY.encode() not in request.body for request in talking.server.requests)


def test_without_a_key_it_is_said_what_to_do(talk: Talks, monkeypatch: Any) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    talking = talk(reply("ok"))
    (turn,) = talking.run("hi")
    assert turn.status == "failed" and "GEMINI_API_KEY is not set (make one at aistudio" in (turn.error or "")
    assert talking.server.requests == []


def test_a_mentioned_picture_is_sent_with_the_prompt(talk: Talks) -> None:
    talking = talk(reply("a dot"))
    picture = b"\x89PNG\r\n\x1a\nrest"
    (talking.root / "dot.png").write_bytes(picture)
    talking.run("what is on @dot.png?")
    (content,) = talking.bodies()[0]["contents"]
    data = base64.b64encode(picture).decode()
    assert {"inlineData": {"mimeType": "image/png", "data": data}} in content["parts"]
    assert data not in talking.shown
