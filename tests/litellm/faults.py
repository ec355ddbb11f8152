"""What services do wrong behind LiteLLM: the scripts of chat completions again, and those of Anthropic's wire."""

from __future__ import annotations

import json
from typing import Any

from inarch.testing import HttpReply, json_reply, sse_reply

from ..chat_completions.faults import FAULTS as PLAIN
from ..chat_completions.faults import QUICK, Fault
from ..chat_completions.wire import KEY, call, calls
from .wire import READ, begin, block, claude_says, end, event, stream, text, thinking, use

CUT = "cut before its end"
TOO_LONG = "has room for|new session"
_LIKE_OURS = {
    "400", "401 with the key in it", "429, then well", "429 of a quota", "escape sequences", "cut in a text",
    "silent within", "the key in no JSON", "an error in mid-stream", "filtered", "arguments not JSON",
}  # fmt: skip
_MANY = sse_reply(calls(*(call(n, f"c{n}", "x", "{}") for n in range(1_100))))
OPENAI_FAULTS = [
    *(fault for fault in PLAIN if fault.name in _LIKE_OURS),
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
    Fault("empty", [stream(begin(), end("end_turn"))], "neither text nor calls"),
    Fault("thoughts alone", [stream(begin(), thinking(0, "c2ln", "hm"), end("end_turn")), GOOD], "text"),
    Fault("no reason", [stream(begin(), text(0, "well"), end(None))], "text"),  # it told its end all the same
    Fault("a reason of its own", [stream(begin(), text(0, "well"), end("tired"))], "text"),
    Fault("arguments cut off", [stream(begin(), use(0, "t", "read_file", "{"), end("max_tokens"))], "are cut"),
    Fault("no arguments", [stream(begin(), use(0, "t", "list_files"), end("tool_use")), GOOD], "calls"),
    Fault("the same id twice", [stream(begin(), use(0, "t", "read_file", READ), use(1, "t", "read_file", READ),
          end("tool_use")), GOOD], "calls"),
    Fault("too many calls", [stream(begin(), *(use(n, f"t{n}", "x", "{}") for n in range(1_100)), end("tool_use"))],
          "1100 calls"),
    Fault("a block that is new", [stream(begin(), block(0, {"type": "sparkle"}), text(1, "well"), end("end_turn"))],
          "text"),
    Fault("no usage", [stream(event("message_start", message={"id": "m", "content": []}), text(0, "well"),
          end("end_turn")), GOOD], "text"),
    Fault("not streamed", [HttpReply([json.dumps({"type": "message", "role": "assistant", "content":
          [{"type": "text", "text": "well"}], "stop_reason": "end_turn"}).encode()])], CUT),
]  # fmt: skip
CLAUDE_FAULTS = [
    Fault("401 with the key in it", [status(401, "authentication_error", f"bad {KEY}")], "401: bad [‹R].*the key"),
    Fault("413", [status(413, "request_too_large")], TOO_LONG),
    Fault("529, then well", [status(529, "overloaded_error", "Overloaded"), GOOD], "text"),
    Fault("credit", [status(400, "invalid_request_error", "Your credit balance is too low")], "credit balance"),
    Fault("cut in a text", [stream(*HALF, ending="cut")], f"broke the connection off|{CUT}"),
    Fault("silent within", [stream(*HALF, ending="silent")], "said nothing", QUICK),
    Fault("an error in mid-stream for ever", [stream(*HALF, event("error", error={"type": "invalid_request_error",
          "message": f"Bad {KEY}"}))], "Bad [‹R]"),
    *REPLIES,
]  # fmt: skip
