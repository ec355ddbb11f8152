"""What services and what stands between do wrong, each with the word that tells how a turn has to end."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from inarch.testing import HttpReply, json_reply, sse_reply
from inarch_testing.http_server import Answer

from .wire import KEY, call, calls, chunk, says, whole

SSE = {"content-type": "text/event-stream"}
QUICK = {"silence_s": 0.3}
SAYS = says("well")
GOOD = sse_reply(SAYS)
PIECE = b"".join(piece for piece in GOOD.chunks if isinstance(piece, bytes))


class Fault(NamedTuple):
    """A script; `ends` is `text`, `calls` (and text after them) or a pattern of the one error."""

    name: str
    replies: list[Answer]
    ends: str
    settings: Mapping[str, Any] = MappingProxyType({})


def error(message: Any, code: Any = None, **more: Any) -> dict[str, Any]:
    """Return an error in the shape that most services use."""
    return {"error": {"message": message, **({} if code is None else {"code": code}), **more}}


def status(code: int, message: str = "no", **headers: str) -> HttpReply:
    """Return a failed response."""
    return json_reply(error(message, code), code, **headers)


STATUSES = [
    Fault("400", [status(400, "acme/large is not a valid model ID")], "answered 400: acme/large is not .*models list"),
    Fault("401 with the key in it", [status(401, f"Incorrect API key provided: {KEY}")], "401: .*‹.*check the key"),
    Fault("404 of HTML", [HttpReply([b"<html><h1>Not</h1> <b>found</b></html>"], 404)], "answered 404: Not found"),
    Fault("context", [status(400, "maximum context length is 8192 tokens")], "answered 400.*new session"),
    Fault("429, then well", [status(429, retry_after="0"), GOOD], "text"),
    Fault("429 with a date", [status(429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), GOOD], "text"),
    Fault("429 of a quota", [json_reply(error("x", None, type="insufficient_quota"), 429)], "answered 429.*quota"),
    Fault("503 with words", [json_reply({"detail": "loading"}, 503, retry_after="0")], "answered 503: loading"),
    Fault("302", [HttpReply([], 302, {"location": "http://127.0.0.1:9/"})], "answered 302.*redirect"),
    Fault("escape sequences", [status(400, "\x1b]0;owned\x07 \x1b[2J\u202e bad\r\n\x9b")], "answered 400"),
    Fault("a message that is no text", [json_reply({"error": {"message": {"a": [1]}}}, 400)], "answered 400"),
]
CONNECTIONS = [
    Fault("nothing, then well", [HttpReply(ending="nothing"), GOOD], "text"),
    Fault("cut in a text", [sse_reply(says("we")[:2], done=False, ending="cut")], "broke the connection off"),
    Fault(
        "cut in a call", [sse_reply(calls(call(0, "c", "read_file", "{"))[:1], done=False, ending="cut"), GOOD], "text"
    ),
    Fault("ended after a text", [sse_reply(says("we")[:2], done=False)], "text"),
    Fault("done after a text", [sse_reply(says("we")[:2])], "text"),
    Fault("ended after a call", [sse_reply(calls(call(0, "c", "read_file", "{}"))[:1], done=False), GOOD], "calls"),
    Fault("done after a thought", [sse_reply([chunk({"reasoning": "hm"})])], "cut before its end"),
    Fault("calls at the limit", [sse_reply([chunk(call(0, "c", "read_file", "{}")), chunk({}, "length")])], "are cut"),
    Fault("ended in an event", [HttpReply([b'data: {"choices": [{"del'], 200, SSE)], "in the middle of an event"),
    Fault("silent before", [HttpReply([b": hello\n\n"], 200, SSE, "silent")], "said nothing", QUICK),
    Fault("silent within", [sse_reply(says("we")[:2], done=False, ending="silent")], "said nothing", QUICK),
    Fault("silent after the end", [sse_reply(SAYS, ending="silent")], "text"),
    Fault(
        "a length that is wrong",
        [HttpReply([b"data: {}\n\n"], 200, {**SSE, "content-length": "99"})],
        "said nothing",
        QUICK,
    ),
    Fault(
        "gzip that is none", [HttpReply([b"plain"], 200, {**SSE, "content-encoding": "gzip"})], "broke the connection"
    ),
]
BODIES = [
    Fault(
        "HTML with 200",
        [HttpReply([b"<html>log in</html>"], 200, {"content-type": "text/html"})],
        "not answer",
    ),
    Fault("nothing with 200", [HttpReply([])], "not answer"),
    Fault("bytes", [HttpReply([bytes(range(256))], 200, SSE)], "cut before its end|not answer with JSON"),
    Fault("the key in no JSON", [HttpReply([f"data: {KEY}\n\n".encode()], 200, SSE)], "not answer"),
    Fault(
        "deep JSON",
        [HttpReply([b"data: " + b"[" * 100_000 + b"\n\n"], 200, SSE)],
        "nested too deeply|not answer with JSON",
    ),
    Fault("a list", [sse_reply([[1, 2]])], "sent a list"),
    Fault("an error in 200", [json_reply(error("User not found", 401))], "answered 401: User not found"),
    Fault("an error as an event", [sse_reply([error("bad", 400)], done=False)], "answered 400: bad"),
    Fault("a body of an error as events", [HttpReply([b'{"error": {"code": 402}}'], 200, SSE)], "answered 402"),
    Fault("an error in mid-stream", [sse_reply([*says("we")[:2], error(f"Bad {KEY}", 400)])], "answered 400: Bad ‹"),
    Fault("words for a code", [sse_reply([error("x", "context_length_exceeded")])], "answered 413.*new session"),
    Fault("a detail in 200", [json_reply({"detail": "not loaded"})], "not loaded"),
    Fault("finish error", [sse_reply([chunk({"content": "we"}), chunk({}, "error")])], "ended its reply with an error"),
]
REPLIES = [
    Fault("filtered", [sse_reply([chunk({}, "content_filter")])], "filtered the whole reply"),
    Fault("length without text", [sse_reply([chunk({}, "length")])], "output limit"),
    Fault("empty", [sse_reply([chunk({}, "stop")])], "neither text nor calls"),
    Fault("empty, then well", [sse_reply([chunk({}, "stop")]), GOOD], "text"),
    Fault("null for choices", [sse_reply([{"choices": None}, *SAYS])], "text"),
    Fault("wrong kinds", [sse_reply([{"choices": [None]}, chunk({"content": 7, "tool_calls": "x"}), *SAYS])], "text"),
    Fault("arguments cut off", [sse_reply([chunk(call(0, "c", "read_file", "{")), chunk({}, "length")])], "are cut"),
    Fault("arguments not JSON", [sse_reply(calls(call(0, "c", "read_file", "{x}"))), GOOD], "text"),
    Fault("too many calls", [sse_reply(calls(*(call(n, f"c{n}", "x", "{}") for n in range(10_000))))], "10000 calls"),
    Fault("a call without a name", [sse_reply(calls(call(0, "c", None, "{}"))), GOOD], "calls"),
    Fault("comments", [sse_reply([b": OPENROUTER PROCESSING\n\n", SAYS[0], b": \xff\n\n", *SAYS[1:]])], "text"),
    Fault("lines of CRLF", [HttpReply([PIECE.replace(b"\n", b"\r\n")], 200, SSE)], "text"),
    Fault("lines without empty ones", [HttpReply([PIECE.replace(b"\n\n", b"\n")], 200, SSE)], "text"),
    Fault("byte by byte", [HttpReply([bytes([b]) for b in PIECE], 200, SSE)], "text"),
    Fault("events as plain text", [HttpReply([PIECE], 200, {"content-type": "text/plain"})], "text"),
    Fault("not streamed", [json_reply(whole({"role": "assistant", "content": "well"}))], "text"),
    Fault("a refusal", [sse_reply([chunk({"refusal": "I won't"}), chunk({}, "stop")])], "text"),
    Fault("a finish of its own", [sse_reply([chunk({"content": "well"}), chunk({}, "eos")])], "text"),
]  # fmt: skip

FAULTS = [*STATUSES, *CONNECTIONS, *BODIES, *REPLIES]
