"""Whole turns through the real kernel: what is asked, what is understood, and what goes back."""

from __future__ import annotations

import base64
import json

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
