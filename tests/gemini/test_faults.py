"""Whatever the service does, a turn ends in text, calls or one clear error: in time, without secrets or escapes."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from gemini_wire import KEY, Talks, call, candidate

from inarch.testing import HttpReply, json_reply, sse_reply

ESCAPE = "\x1b]0;owned\x07\x1b[2J\u202egnp"
GOOD = candidate("fine", finish="STOP")


def stream(*events: Any, **options: Any) -> HttpReply:
    return sse_reply(events, done=False, **options)


def refused(status: int, word: str, message: str, *details: Any, **headers: str) -> HttpReply:
    error = {"code": status, "message": message, "status": word, "details": list(details)}
    return json_reply({"error": error}, status, **headers)


def retry_info(delay: str) -> dict[str, str]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def ending(reason: str, *parts: Any) -> HttpReply:
    return stream(candidate(*parts, finish=reason, finishMessage=f"because {ESCAPE} {KEY}"))


FAILS: dict[str, tuple[Any, str]] = {
    "bad key": (
        refused(400, "INVALID_ARGUMENT", f"API key not valid: {KEY}. Please pass a valid API key."),
        "API key not valid: ‹key›. Please pass a valid API key. (check the key in GEMINI_API_KEY)",
    ),
    "too long": (
        refused(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens allowed (8)."),
        "begin a new session",
    ),
    "limit a minute": (
        refused(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota", retry_info("0.01s")),
        "wait, or use another model",
    ),
    "limit a day": (
        refused(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota: requests per day", retry_info("0.01s")),
        "the quota is used up",
    ),
    "cut in the middle": (stream(candidate("a"), 0.01, ending="cut"), "broke the connection off"),
    "ended without a finish reason": (stream(candidate("a")), "cut before its end"),
    "error in the middle": (
        stream(candidate("a"), {"error": {"code": 503, "message": f"overloaded {KEY}", "status": "UNAVAILABLE"}}),
        "503: overloaded ‹key›",
    ),
    "no text": (ending("STOP"), "neither text nor calls"),
    "only thoughts": (ending("STOP", {"text": "hm", "thought": True}), "neither text nor calls"),
    "parts of another type": (
        stream({"candidates": [{"content": {"parts": [1, None, "a", {"text": 5}]}, "finishReason": "STOP"}]}),
        "neither text nor calls",
    ),
    "nothing before the output limit": (ending("MAX_TOKENS"), "output limit"),
    "call without a name": (stream(candidate({"functionCall": {"args": {}}}, finish="STOP")), "without a name"),
    "10,000 calls": (
        stream(candidate(*[call("list_files")] * 10_000, finish="STOP")), "10000 calls in one reply",
    ),
    "prompt refused": (
        stream({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": f"no {ESCAPE}"}}),
        "refused the prompt (PROHIBITED_CONTENT): no",
    ),
    **{
        f"withheld: {reason}": (ending(reason), f"filtered the whole reply ({reason}: because")
        for reason in ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE")
    },
    **{
        f"malformed: {reason}": (ending(reason, "half a"), f"a call of it can't be read ({reason}: because")
        for reason in ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS")
    },
    "withheld in the middle": (
        stream(candidate("fi"), candidate("ne", finish="SAFETY")), "filtered the rest of the reply (SAFETY)",
    ),
    "a new reason after text": (stream(candidate("fine", finish="BRAND_NEW")), "ended its reply early (BRAND_NEW)"),
    "calls of a withheld reply": (ending("SAFETY", call("list_files")), "filtered the whole reply (SAFETY"),
    "ended for another reason": (ending("OTHER", "half a"), "ended its reply with an error (OTHER: because"),
}  # fmt: skip

SUCCEEDS: dict[str, tuple[Any, str]] = {
    "unknown members": (stream({**candidate("fine", {"new": 1}, finish="STOP"), "newer": {}}), "fine"),
    "one JSON value, no stream": (json_reply(GOOD), "fine"),
    "a list of chunks, no stream": (json_reply([candidate("fi"), candidate("ne", finish="STOP")]), "fine"),
    "a second candidate": (
        stream({"candidates": [*GOOD["candidates"], *candidate("other")["candidates"]]}), "fine",
    ),
    "the output limit in the middle": (stream(candidate("fine", finish="MAX_TOKENS")), "fine"),
}  # fmt: skip


def check_shown(shown: str) -> None:
    assert KEY not in shown
    assert not [letter for letter in shown if unicodedata.category(letter) in ("Cc", "Cf") and letter != "\n"]


@pytest.mark.parametrize("name", FAILS)
def test_it_ends_in_one_clear_error(name: str, talk: Talks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarch.turns.model_client.ATTEMPTS", 1)
    script, said = FAILS[name]
    talking = talk(script)
    (turn,) = talking.run("hi")
    assert turn.status == "failed"
    assert turn.error is not None and said in turn.error
    assert turn.calls == ()
    assert len(turn.error) < 600
    check_shown(turn.error)
    assert KEY not in talking.shown


@pytest.mark.parametrize("name", SUCCEEDS)
def test_it_ends_in_text_all_the_same(name: str, talk: Talks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarch.turns.model_client.ATTEMPTS", 1)
    script, said = SUCCEEDS[name]
    (turn,) = talk(script).run("hi")
    assert (turn.status, turn.content, turn.error) == ("done", said, None)
