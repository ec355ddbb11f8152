"""DeepSeek's and Kimi's chat completions, with a memory.

A model `kimi…` keeps Kimi's rules, another one DeepSeek's. With tools each text of the user is answered by a call and
then by a text, both after a thought; every third thought is empty, which counts as one (their guides, seen Nov 2026).
"""

from __future__ import annotations

from typing import Any

from attrs import define, field

from inarch.testing import HttpReply, HttpRequest, json_reply, sse_reply

from .chat_events import USAGE, Refused, call_delta, chunk, wants_call

MISSING = "The reasoning_content in the thinking mode must be passed back to the API."
MISSING_AT_KIMI = "thinking is enabled but reasoning_content is missing in assistant tool call message at index {}"
TEMPERATURE = "invalid temperature: only 1 is allowed for this model"
BOTH = "thinking and reasoning_effort cannot be set at the same time"


@define(eq=False)
class DeepSeekApi:
    """The service; `reply` answers one request.

    Attributes:
        bodies: Bodies of answered requests.
        refusals: What was refused, in order.
        breaks: The numbers of answered requests in which earlier messages, or the tools, were not those of the last.
    """

    tool: tuple[str, dict[str, Any]] = ("read_file", {"file_path": "a.txt"})
    bodies: list[dict[str, Any]] = field(factory=list)
    refusals: list[str] = field(factory=list)
    breaks: list[int] = field(factory=list)
    _given: dict[str, str] = field(factory=dict)
    _count: int = 0

    def reply(self, request: HttpRequest) -> HttpReply:
        """Answer a request."""
        if request.path.endswith("/models"):
            return json_reply({"object": "list", "data": [{"id": "deepseek-v4-pro", "object": "model"}]})
        body = request.json
        refused: Refused | None = None
        try:
            self._check(body)
        except Refused as error:
            refused = error
            self.refusals.append(error.message)
        return self._answer(body) if refused is None else refused.reply()

    def _check(self, body: dict[str, Any]) -> None:
        is_kimi = body["model"].startswith("kimi")
        if is_kimi and body.get("temperature", 1) != 1:
            raise Refused(TEMPERATURE)
        if is_kimi and {"thinking", "reasoning_effort"} <= body.keys():
            raise Refused(BOTH)
        before = self.bodies[-1]["messages"] if self.bodies else []
        if _plain(body["messages"][: len(before)]) != _plain(before):
            self._given.clear()  # another conversation, such as one after a compaction
        for place, message in enumerate(body["messages"]):
            if not body.get("tools") or message["role"] != "assistant" or (is_kimi and "tool_calls" not in message):
                continue
            given, sent = self._given.get(_known_by(message)), message.get("reasoning_content")
            if sent is None or given not in (None, sent):
                raise Refused(MISSING_AT_KIMI.format(place) if is_kimi else MISSING)

    def _answer(self, body: dict[str, Any]) -> HttpReply:
        before = self.bodies[-1] if self.bodies else {"messages": [], "tools": body.get("tools")}
        if body["messages"][: len(before["messages"])] != before["messages"] or body.get("tools") != before["tools"]:
            self.breaks.append(len(self.bodies))
        self.bodies.append(body)
        self._count += 1
        thought = "" if self._count % 3 == 0 else f"Thought {self._count}: what is asked?"
        name, arguments = self.tool
        call = call_delta(f"call_{self._count}", name, arguments)
        said = call if wants_call(body) else {"content": f"Answer {self._count}."}
        self._given[_known_by(said)] = thought
        pieces = [{"reasoning_content": piece, "content": None} for piece in (thought[:5], thought[5:])]
        deltas = [{"role": "assistant", "content": None, "reasoning_content": ""}, *pieces, said]
        end = chunk(body["model"], {}, "tool_calls" if "tool_calls" in said else "stop", usage=USAGE)
        return sse_reply([*(chunk(body["model"], delta) for delta in deltas), end])


def _plain(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages without their thoughts."""
    return [{name: one for name, one in message.items() if name != "reasoning_content"} for message in messages]


def _known_by(message: dict[str, Any]) -> str:
    """Return by what a message is known again: its first call's id, else its text."""
    calls = message.get("tool_calls")
    return calls[0]["id"] if calls else str(message["content"])
