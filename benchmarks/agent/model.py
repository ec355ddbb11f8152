"""The scripted model behind an OpenAI-compatible server on loopback: it plays one task for one agent."""

from __future__ import annotations

import json
import threading
from typing import Any

from attrs import define, field
from forms import Agent
from script import Play, Want

from inarch.testing import HttpReply, HttpRequest, HttpServer, json_reply, sse_reply

TOKEN = 4
"""Characters that are counted as a token, of JSON as it was sent: the same measure for every agent."""


@define(eq=False)
class Model:
    """Answers by the script, and counts what it was sent.

    A request that offers no tool of the agent's, such as one for a title, is answered with a word and counted.
    """

    agent: Agent
    play: Play
    requests: int = 0
    sent: int = 0
    received: int = 0
    is_over: bool = False
    _begun: bool = False
    _lock: threading.Lock = field(factory=threading.Lock)

    def server(self) -> HttpServer:
        """Return the server, to be used in a with statement."""
        models = json_reply({"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        return HttpServer([self.reply], routes={"GET /v1/models": models})

    def reply(self, request: HttpRequest) -> HttpReply:
        """Answer one request."""
        body = request.json
        with self._lock:
            self.requests += 1
            self.sent += len(json.dumps([body["messages"], body.get("tools")], ensure_ascii=False))
            message = self._message(self._wanted(body)) if body.get("tools") else {"content": "A title"}
            self.received += len(json.dumps(message, ensure_ascii=False))
        return _streamed(message) if body.get("stream") else _whole(message)

    def _wanted(self, body: dict[str, Any]) -> list[Want]:
        try:
            wants = self.play.send(_heard(body["messages"])) if self._begun else next(self.play)
        except StopIteration:
            wants = [Want("say", text="It is done.")]
        self._begun = True
        self.is_over = any(want.kind == "say" for want in wants)
        return wants

    def _message(self, wants: list[Want]) -> dict[str, Any]:
        made: list[dict[str, Any]] = []
        for want in wants:
            called = self.agent.called(want)
            if called is None:
                return {"content": want.text}
            arguments = json.dumps(called[1])
            given = arguments[: len(arguments) * 2 // 3] if want.is_cut else arguments
            call_id = f"call_{self.requests}_{len(made)}"
            made.append({"id": call_id, "type": "function", "function": {"name": called[0], "arguments": given}})
        return {"content": "", "tool_calls": made}


def _heard(messages: list[dict[str, Any]]) -> str:
    """Return the text of what came after the model's last reply."""
    last = max((place for place, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
    return "\n".join(_text(one.get("content")) for one in messages[last + 1 :])


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text") or "") for part in content)
    return str(content or "")


def _reason(message: dict[str, Any]) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


_USAGE = {"prompt_tokens": 1_000, "completion_tokens": 50, "total_tokens": 1_050}
"""What every request is said to have used: the agents' own counts are not what is compared."""


def _whole(message: dict[str, Any]) -> HttpReply:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": _reason(message)}
    return json_reply({"id": "r", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice],
                       "usage": _USAGE})  # fmt: skip


def _streamed(message: dict[str, Any]) -> HttpReply:
    calls = [{"index": place, **call} for place, call in enumerate(message.get("tool_calls", ()))]
    delta = {"role": "assistant", "content": message["content"], **({"tool_calls": calls} if calls else {})}
    head = {"id": "r", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": delta, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": _reason(message)},
    ]
    return sse_reply([*({**head, "choices": [choice]} for choice in choices), {**head, "choices": [], "usage": _USAGE}])
