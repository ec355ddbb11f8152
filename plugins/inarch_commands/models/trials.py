"""What `inarch models check` tries: a text, a tool call and a structured reply, each as small as can be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Literal

from attrs import evolve, frozen

from inarch import Message, ModelRequest, Reply, Text, ToolSpec

CheckName = Literal["text", "tool call", "structured reply"]

_TOOL = ToolSpec(
    "report_number",
    "Report a number to the person.",
    {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
)
_SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}
_NO_CALLS = (
    "take a model that can call tools; a server of your own may have to be told that it can: llama.cpp with --jinja, "
    'vLLM with --enable-auto-tool-choice. Without, strategy = ["structured", "native"] still makes one call a turn'
)
_NO_STRUCTURE = 'name another decision_model in the profile, or leave "structured" out of its strategy'


@frozen
class Trial:
    """A request and who judges the reply: returns what to say of it, or raises `ValueError` with what is wrong."""

    name: CheckName
    request: ModelRequest
    judge: Callable[[Reply], str]
    remedy: str


def trials_of(model: str, room: int) -> Iterator[Trial]:
    """Yield what is tried with a model, with so much room for each reply."""
    plain = ModelRequest(model, "", (), max_output_tokens=room)
    yield Trial("text", _asking(plain, "Reply with the word OK."), _judge_text, "take another model")
    calling = evolve(plain, tools=(_TOOL,))
    prompt = "Call the tool report_number with the number 7. Do not answer in words."
    yield Trial("tool call", _asking(calling, prompt), _judge_call, _NO_CALLS)
    deciding = evolve(plain, response_schema=_SCHEMA, temperature=0.1, purpose="decision")
    prompt = 'Is ice cold? Reply with one JSON object: {"answer": "yes"} or {"answer": "no"}.'
    yield Trial("structured reply", _asking(deciding, prompt), _judge_structure, _NO_STRUCTURE)


def _asking(request: ModelRequest, prompt: str) -> ModelRequest:
    return evolve(request, messages=(Message("user", (Text(prompt),)),))


def _judge_text(reply: Reply) -> str:
    text = " ".join(reply.message.text.split())
    if not text:
        raise ValueError("no text came")
    return f"it said {text[:40]!r}"


def _judge_call(reply: Reply) -> str:
    if not reply.calls:
        raise ValueError("it answered in words: no call came")
    call = reply.calls[0]
    if call.name != _TOOL.name:
        raise ValueError(f"it called {call.name[:40]!r}, which it was not offered")
    number = call.arguments.get("number")
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise ValueError(f"its arguments are not what the tool takes: {json.dumps(dict(call.arguments))[:60]}")
    return f"it called report_number with {number}"


def _judge_structure(reply: Reply) -> str:
    text = reply.message.text
    try:
        data = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        raise ValueError(f"no JSON came: {' '.join(text.split())[:40]!r}") from None
    if data.get("answer") not in ("yes", "no"):
        raise ValueError(f"the JSON is not of the schema: {json.dumps(data)[:60]}")
    return f"it said {json.dumps(data)}"
