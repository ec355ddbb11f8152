"""One script of replies, written down for each wire that a provider speaks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

import inarch
from inarch.testing import HttpReply, json_reply, sse_reply

KEY = "key-0f1e2d3c4b5a69788796a5b4c3d2e1f0"
MODEL = "m1"


@frozen
class Says:
    """A reply of text in pieces, after reasoning; one that is cut never ends."""

    pieces: Sequence[str]
    reasoning: str = ""
    cut: bool = False


@frozen
class Calls:
    """A reply that calls tools: pairs of name and arguments, in one go."""

    wanted: Sequence[tuple[str, Mapping[str, Any]]]
    text: str = ""
    reasoning: str = ""


@frozen
class Limited:
    """A refusal for a moment: too many requests."""


@frozen
class Refused:
    """A refusal of the key."""


Step = Says | Calls | Limited | Refused


def chat_completions(step: Step) -> HttpReply:
    """Return a reply as services of chat completions send it."""
    match step:
        case Limited():
            error = {"message": "slow down", "type": "rate_limit_error", "code": 429}
            return json_reply({"error": error}, 429, retry_after="0")
        case Refused():
            return json_reply({"error": {"message": "this key is not valid", "code": 401}}, 401)
        case Says():
            chunks = [_delta({"reasoning_content": step.reasoning})] if step.reasoning else []
            chunks += [_delta({"content": piece}) for piece in step.pieces]
            if step.cut:
                return sse_reply(chunks, done=False, ending="cut")
            return sse_reply([*chunks, _delta({}, "stop"), _usage()])
        case Calls():
            chunks = [_delta({"reasoning_content": step.reasoning})] if step.reasoning else []
            chunks += [_delta({"content": step.text})] if step.text else []
            chunks += [_delta({"tool_calls": [_fragment(*one)]}) for one in enumerate(step.wanted)]
            return sse_reply([*chunks, _delta({}, "tool_calls"), _usage()])


def _delta(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": [choice]}


def _fragment(index: int, call: tuple[str, Mapping[str, Any]]) -> dict[str, Any]:
    function = {"name": call[0], "arguments": json.dumps(call[1])}
    return {"index": index, "id": f"c{index}", "type": "function", "function": function}


def _usage() -> dict[str, Any]:
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return {**_delta({}), "choices": [], "usage": usage}


def gemini(step: Step) -> HttpReply:
    """Return a reply as the API of Gemini sends it."""
    match step:
        case Limited():
            details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0s"}]
            error = {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED", "details": details}
            return json_reply({"error": error}, 429)
        case Refused():
            return json_reply({"error": {"code": 401, "message": "this key is not valid", "status": "X"}}, 401)
        case Says():
            chunks = [_content({"text": step.reasoning, "thought": True})] if step.reasoning else []
            chunks += [_content({"text": piece}) for piece in step.pieces]
            if step.cut:
                return sse_reply(chunks, done=False, ending="cut")
            return sse_reply([*chunks, _ended({"text": ""})], done=False)
        case Calls():
            chunks = [_content({"text": step.reasoning, "thought": True})] if step.reasoning else []
            chunks += [_content({"text": step.text})] if step.text else []
            wanted = [{"functionCall": {"name": name, "args": dict(given)}} for name, given in step.wanted]
            return sse_reply([*chunks, _ended(*wanted)], done=False)


def _content(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": [*parts], "role": "model"}, "index": 0, **more}]}


def _ended(*parts: dict[str, Any]) -> dict[str, Any]:
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    return {**_content(*parts, finishReason="STOP"), "usageMetadata": usage}


def anthropic(step: Step) -> HttpReply:
    """Return a reply as the API of Anthropic sends it."""
    match step:
        case Limited():
            error = {"type": "rate_limit_error", "message": "slow down"}
            return json_reply({"type": "error", "error": error}, 429, retry_after="0")
        case Refused():
            error = {"type": "authentication_error", "message": "this key is not valid"}
            return json_reply({"type": "error", "error": error}, 401)
        case Says():
            blocks = [_block(0, "thinking", [step.reasoning])] if step.reasoning else []
            blocks.append(_block(len(blocks), "text", step.pieces))
            if step.cut:
                return sse_reply([_opened(), *blocks[0][:-1]], done=False, ending="cut")
            return sse_reply([_opened(), *chain(*blocks), *_closed("end_turn")], done=False)
        case Calls():
            blocks = [_block(0, "thinking", [step.reasoning])] if step.reasoning else []
            blocks += [_block(len(blocks), "text", [step.text])] if step.text else []
            blocks += [_use(len(blocks) + place, *one) for place, one in enumerate(step.wanted)]
            return sse_reply([_opened(), *chain(*blocks), *_closed("tool_use")], done=False)


def _opened() -> dict[str, Any]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": []}
    return {"type": "message_start", "message": message}


def _block(index: int, kind: str, pieces: Sequence[str]) -> list[dict[str, Any]]:
    deltas = [{"type": f"{kind}_delta", kind: piece} for piece in pieces]
    return _whole_block(index, {"type": kind, kind: ""}, deltas)


def _use(index: int, name: str, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    block = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
    return _whole_block(index, block, [{"type": "input_json_delta", "partial_json": json.dumps(given)}])


def _whole_block(index: int, block: dict[str, Any], deltas: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def _closed(reason: str) -> list[dict[str, Any]]:
    usage = {"input_tokens": 100, "output_tokens": 20}
    return [{"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}, {"type": "message_stop"}]


@frozen
class Wire:
    """A provider and how its service talks: where, with which key, under which model's name.

    Args:
        provider: The provider's name.
        render: How a reply looks on the wire.
        model: The model's name.
        variable: What holds the key.
        path: Follows the server's address.
        address: The setting that holds the address.
        settings: More settings of the plugin.
        service: What messages call the service, where it is not the provider's name.
    """

    provider: str
    render: Callable[[Step], HttpReply]
    model: str
    variable: str
    path: str = "/v1"
    address: str = "base_url"
    settings: Mapping[str, Any] = {}
    service: str = ""


WIRES = (
    Wire("openai-compatible", chat_completions, MODEL, "SOME_API_KEY", settings={"api_key_env": "SOME_API_KEY"}),
    Wire("openrouter", chat_completions, MODEL, "OPENROUTER_API_KEY"),
    Wire("gemini", gemini, MODEL, "GEMINI_API_KEY", "/v1beta"),
    Wire("anthropic", anthropic, MODEL, "ANTHROPIC_API_KEY"),
    Wire(
        "litellm", chat_completions, f"openai/{MODEL}", "OPENAI_API_KEY", address="api_base", service="litellm/openai"
    ),
)
EACH = [
    pytest.param(wire, id=wire.provider, marks=[pytest.mark.once] if wire.provider == "litellm" else [])
    for wire in WIRES
]
"""Parameters of tests and fixtures that meet every wire."""


def composed(
    wire: Wire, root: Path, url: str, *plugins: str, settings: Any = None, flags: Any = None, **options: Any
) -> inarch.App:
    """Compose the application with a wire's provider at an address, and other plugins."""
    table = {wire.address: f"{url}{wire.path}", **wire.settings, **(settings or {})}
    return inarch.compose(
        root=root,
        environ={"HOME": str(root.parent / "home"), wire.variable: KEY},
        config={
            "plugins": {wire.provider: table},
            "profiles": {"default": {"plugins": [wire.provider, *plugins]}},
        },
        flags={"model": f"{wire.provider}/{wire.model}", **(flags or {})},
        **options,
    )
