"""What services do wrong behind LiteLLM: the scripts of chat completions again, and those of Anthropic's wire."""

from __future__ import annotations

import json
from typing import Any

from inarch.testing import HttpReply, json_reply, sse_reply

from ..chat_completions.faults import FAULTS as PLAIN
from ..chat_completions.faults import QUICK, Fault
from ..chat_completions.wire import KEY, call, calls
from .wire import READ, SSE, begin, block, claude_says, end, event, stream, text, thinking, use

CUT = "cut before its end"
WITHIN = "failed within LiteLLM"
TOO_LONG = "has room for|new session"
# Where the library hears or says less than our own wire, the turn ends in another word; never in silence.
_OTHERWISE = {
    "404 of HTML": "answered 404.*Not",
    "413": TOO_LONG,
    "context": TOO_LONG,
    "words for a code": TOO_LONG,
    "302": "can't be reached",
    "an error that is a text": "answered 410.*gone",
    "ended in an event": CUT,
    "ended after a call": "text",  # the library takes it as cut, so it is asked again
    "404": "answered 404",
    "ended after a text": CUT,
    "done after a text": CUT,
    "gzip that is none": WITHIN,
    "HTML with 200": CUT,
    "HTML as events": CUT,
    "nothing with 200": CUT,
    "a list": WITHIN,
    "a number": CUT,
    "null": CUT,
    "an error in 200": CUT,
    "a body of an error as events": CUT,
    "an error within a choice": CUT,
    "a detail in 200": CUT,
    "finish error": WITHIN,
    "wrong kinds": WITHIN,
    "comments": "not answer with JSON",
    "lines without empty ones": CUT,
    "not streamed": CUT,
    "not streamed, no finish": CUT,
    "a refusal": "neither text nor calls",
}
_MANY = sse_reply(calls(*(call(n, f"c{n}", "x", "{}") for n in range(1_100))))
OPENAI_FAULTS = [
    *(fault._replace(ends=_OTHERWISE.get(fault.name, fault.ends)) for fault in PLAIN if fault.name != "too many calls"),
    Fault("too many calls", [_MANY], "1100 calls"),  # the library takes its time for ten thousand
]


def error(kind: str, message: str) -> dict[str, Any]:
    """Return the body of an error as Anthropic sends it."""
    return {"type": "error", "error": {"type": kind, "message": message}}


def status(code: int, kind: str, message: str = "no", **headers: str) -> HttpReply:
    """Return a failed response."""
    return json_reply(error(kind, message), code, **headers)


GOOD = claude_says("well")
PIECE = b"".join(piece for piece in GOOD.chunks if isinstance(piece, bytes))
HALF = (begin(), event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        event("content_block_delta", index=0, delta={"type": "text_delta", "text": "we"}))  # fmt: skip
REPLIES = [
    Fault("refused", [stream(begin(), end("refusal"))], "filtered|neither text"),
    Fault("length without text", [stream(begin(), end("max_tokens"))], "output limit"),
    Fault("empty", [stream(begin(), end("end_turn"))], "neither text nor calls"),
    Fault("empty, then well", [stream(begin(), end("end_turn")), GOOD], "text"),
    Fault("thoughts alone", [stream(begin(), thinking(0, "c2ln", "hm"), end("end_turn")), GOOD], "text"),
    Fault("no reason", [stream(begin(), text(0, "well"), end(None))], "text"),  # it told its end all the same
    Fault("a reason of its own", [stream(begin(), text(0, "well"), end("tired"))], "text"),
    Fault("arguments cut off", [stream(begin(), use(0, "t", "read_file", "{"), end("max_tokens"))], "are cut"),
    Fault("arguments not JSON", [stream(begin(), use(0, "t", "read_file", "{x}"), end("tool_use")), GOOD], "text"),
    Fault("no arguments", [stream(begin(), use(0, "t", "list_files"), end("tool_use")), GOOD], "calls"),
    Fault("a tool that is unknown", [stream(begin(), use(0, "t", "fly", "{}"), end("tool_use")), GOOD], "calls"),
    Fault("the same id twice", [stream(begin(), use(0, "t", "read_file", READ), use(1, "t", "read_file", READ),
          end("tool_use")), GOOD], "calls"),
    Fault("too many calls", [stream(begin(), *(use(n, f"t{n}", "x", "{}") for n in range(1_100)), end("tool_use"))],
          "1100 calls"),
    Fault("a block that is new", [stream(begin(), block(0, {"type": "sparkle"}), text(1, "well"), end("end_turn"))],
          "text"),
    Fault("no usage", [stream(event("message_start", message={"id": "m", "content": []}), text(0, "well"),
          end("end_turn")), GOOD], "text"),
    Fault("lines of CRLF", [HttpReply([PIECE.replace(b"\n", b"\r\n")], 200, SSE)], "text"),
    Fault("byte by byte", [HttpReply([bytes([one]) for one in PIECE], 200, SSE)], "text"),
    Fault("not streamed", [HttpReply([json.dumps({"type": "message", "role": "assistant", "content":
          [{"type": "text", "text": "well"}], "stop_reason": "end_turn"}).encode()])], CUT),
]  # fmt: skip
CLAUDE_FAULTS = [
    Fault("401 with the key in it", [status(401, "authentication_error", f"bad {KEY}")], "401: bad [‹R].*the key"),
    Fault("413", [status(413, "request_too_large")], TOO_LONG),
    Fault("429, then well", [status(429, "rate_limit_error", retry_after="0"), GOOD], "text"),
    Fault("529, then well", [status(529, "overloaded_error", "Overloaded"), GOOD], "text"),
    Fault("credit", [status(400, "invalid_request_error", "Your credit balance is too low")], "credit balance"),
    Fault("cut in a text", [stream(*HALF, ending="cut")], f"broke the connection off|{CUT}"),
    Fault("silent within", [stream(*HALF, ending="silent")], "said nothing", QUICK),
    Fault("HTML with 200", [HttpReply([b"<html>log in</html>"], 200, {"content-type": "text/html"})], CUT),
    Fault("an error in mid-stream for ever", [stream(*HALF, event("error", error={"type": "invalid_request_error",
          "message": f"Bad {KEY}"}))], "Bad [‹R]"),
    *REPLIES,
]  # fmt: skip
