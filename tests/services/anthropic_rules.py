"""What Anthropic's Messages API refuses, each rule with its own words (documentation and reports to Nov 2026)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from attrs import define, field

BINDING = "thinking-binding-controls-2026-08-01"
INTERLEAVED = "interleaved-thinking-2025-05-14"
MODELS = {
    "claude-haiku-4-5": ((4, 5), 64_000),
    "claude-opus-4-6": ((4, 6), 128_000),
    "claude-sonnet-5": ((5, 0), 128_000),
    "claude-opus-5-5": ((5, 5), 128_000),
    "claude-sonnet-5-5": ((5, 5), 128_000),
    "claude-haiku-5-5": ((5, 5), 128_000),
    "claude-fable-5-2": ((5, 2), 128_000),
}
MEMBERS = frozenset({
    "model", "max_tokens", "messages", "stream", "system", "tools", "tool_choice", "thinking", "output_config",
    "temperature", "top_p", "top_k", "metadata", "stop_sequences", "service_tier", "context_management",
    "cache_control", "diagnostics", "container",
})  # fmt: skip
THOUGHTS = ("thinking", "redacted_thinking")
_ID = re.compile(r"^[a-zA-Z0-9_-]+$")
_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")


class Refused(Exception):
    """The service refuses the request."""

    def __init__(self, message: str, status: int = 400, kind: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.message, self.status, self.kind = message, status, kind


@define
class Checked:
    """What is left of a request after it was accepted: `dropped` are the thoughts that the model does not see."""

    body: dict[str, Any]
    dropped: list[dict[str, str]] = field(factory=list)
    thoughts: int = 0


def check(body: Any, headers: Any) -> Checked:
    """Refuse a request as the service does, or return what it makes of it."""
    betas = set(filter(None, headers.get("anthropic-beta", "").split(",")))
    if not headers.get("x-api-key", "").startswith("sk-ant-"):
        raise Refused("invalid x-api-key", 401, "authentication_error")
    if headers.get("anthropic-version") != "2023-06-01":
        raise Refused("anthropic-version: header is required")
    for name in body.keys() - MEMBERS:
        raise Refused(f"{name}: Extra inputs are not permitted")
    if body.get("model") not in MODELS:
        raise Refused(f"model: {body.get('model')}", 404, "not_found_error")
    check_options(body, betas)
    check_messages(body["messages"], body["model"])
    check_budget(body)
    check_marks(body)
    return check_thoughts(body)


def check_options(body: Any, betas: set[str]) -> None:
    model = body["model"]
    version, most = MODELS[model]
    new = version >= (5, 1)
    if not isinstance(body.get("max_tokens"), int):
        raise Refused("max_tokens: Field required")
    if body["max_tokens"] > most:
        said = f"which is the maximum allowed number of output tokens for {model}"
        raise Refused(f"max_tokens: {body['max_tokens']} > {most}, {said}")
    for name in ("temperature", "top_p", "top_k"):
        if new and name in body:
            raise Refused(f"`{name}` is deprecated for this model.")
    thinking = body.get("thinking") or {}
    kind = thinking.get("type")
    if kind == "enabled":
        if new:
            remedy = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
            raise Refused(f'"thinking.type.enabled" is not supported for this model. {remedy}')
        if not 1_024 <= thinking.get("budget_tokens", 0) < body.get("max_tokens", 1 << 30):
            raise Refused("`max_tokens` must be greater than `thinking.budget_tokens`.")
        if body.get("temperature", 1) != 1:
            raise Refused("`temperature` may only be set to 1 when thinking is enabled.")
    if kind == "disabled" and new and "haiku" not in model:
        raise Refused('"thinking.type.disabled" is not supported for this model.')
    if kind == "adaptive" and version < (4, 6):
        raise Refused("adaptive thinking is not supported on this model")
    if "block_binding" in thinking and BINDING not in betas:
        raise Refused(f"thinking.{kind}.block_binding: Extra inputs are not permitted")
    forced = (body.get("tool_choice") or {}).get("type") in ("any", "tool")
    off = kind == "disabled" or (kind is None and not new)
    if forced and not (off and not (new and "haiku" not in model)):
        raise Refused("Thinking may not be enabled when tool_choice forces tool use.")
    if "tool_choice" in body and not body.get("tools"):
        raise Refused("tool_choice: may only be specified while providing tools")
    if "effort" in (body.get("output_config") or {}) and version < (4, 6):
        raise Refused("This model does not support the effort parameter.")
    if "format" in (body.get("output_config") or {}):
        check_schema(body["output_config"]["format"]["schema"])
    for number, tool in enumerate(body.get("tools") or ()):
        if not _NAME.match(tool.get("name", "")):
            raise Refused(f"tools.{number}.custom.name: String should match pattern '{_NAME.pattern}'")
        if tool.get("input_schema", {}).get("type") != "object":
            raise Refused(f"tools.{number}.custom.input_schema.type: Field required")


def check_budget(body: Any) -> None:
    """With a budget, the reply whose results come last has to begin with a thought."""
    said = [place for place, message in enumerate(body["messages"]) if message["role"] == "assistant"]
    if (body.get("thinking") or {}).get("type") != "enabled" or not said:
        return
    first, *_ = blocks(body["messages"][said[-1]])
    heard = [block["type"] for message in body["messages"][said[-1] :] for block in blocks(message)]
    if heard[-1] == "tool_result" and first["type"] not in THOUGHTS:
        raise Refused(
            f"messages.{said[-1]}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
            f"`{first['type']}`. When `thinking` is enabled, a final `assistant` message must start with a thinking "
            "block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)."
        )


def check_schema(schema: Any) -> None:
    at = "output_config.format.schema"
    if not isinstance(schema, dict):
        raise Refused(f"{at}: Input should be an object")
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        raise Refused(f"{at}: For 'object' type, 'additionalProperties' must be explicitly set to false")
    for word in ("minimum", "maximum", "minLength", "maxLength", "maxItems", "pattern", "oneOf"):
        if word in schema:
            raise Refused(f"{at}: property '{word}' is not supported")
    for inner in [
        *schema.get("properties", {}).values(),
        *schema.get("anyOf", []),
        *filter(None, [schema.get("items")]),
    ]:
        check_schema(inner)


def blocks(message: Any) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def check_messages(messages: Any, model: str) -> None:
    if not messages or messages[0]["role"] != "user":
        raise Refused('messages: first message must use the "user" role')
    for place, message in enumerate(messages):
        if message["role"] == "system":
            check_system(messages, place, model)
        for number, block in enumerate(blocks(message)):
            check_block(block, message["role"], f"messages.{place}.content.{number}")
    if messages[-1]["role"] == "assistant":
        said = "This model does not support assistant message prefill."
        raise Refused(f"{said} The conversation must end with a user message.")
    check_results(messages)


def check_system(messages: Any, place: int, model: str) -> None:
    if MODELS[model][0] < (5, 1) and "opus-5" not in model:
        raise Refused("role 'system' is not supported on this model")
    if place == 0 or messages[place - 1]["role"] != "user":
        raise Refused("role 'system' must follow a 'user' message")
    if place + 1 < len(messages) and messages[place + 1]["role"] != "assistant":
        raise Refused("role 'system' must precede an 'assistant' message or end the array")


def check_block(block: Any, role: str, at: str) -> None:
    kind = block.get("type")
    allowed = ("text", "tool_use", *THOUGHTS) if role == "assistant" else ("text", "image", "tool_result")
    if kind not in allowed:
        raise Refused(f"{at}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {allowed}")
    if kind == "text" and not block["text"]:
        raise Refused("messages: text content blocks must be non-empty")
    if kind == "text" and not block["text"].strip():
        raise Refused("messages: text content blocks must contain non-whitespace text")
    if kind == "tool_use" and not _ID.match(block["id"]):
        raise Refused(f"{at}.tool_use.id: String should match pattern '{_ID.pattern}'")
    if kind == "tool_use" and not _NAME.match(block["name"]):
        raise Refused(f"{at}.tool_use.name: String should match pattern '{_NAME.pattern}'")
    if kind == "tool_use" and not isinstance(block["input"], dict):
        raise Refused(f"{at}.tool_use.input: Input should be an object")
    if kind in THOUGHTS and "cache_control" in block:
        raise Refused(f"{at}.{kind}.cache_control: Extra inputs are not permitted")
    if kind == "tool_result" and isinstance(block.get("content"), list):
        for number, inner in enumerate(block["content"]):
            check_block(inner, "user", f"{at}.tool_result.content.{number}")


def check_results(messages: Any) -> None:
    """Results of a reply come first, all, and once, in the next message; no id is used twice."""
    used: set[str] = set()
    waiting: list[str] = []
    for place, message in enumerate(messages):
        given, others = [], False
        for number, block in enumerate(blocks(message)):
            if block["type"] == "tool_result":
                at, call = f"messages.{place}.content.{number}", block["tool_use_id"]
                if call in given:
                    said = "each tool_use must have a single result. Found multiple `tool_result` blocks with id"
                    raise Refused(f"{at}: {said}: {call}")
                if call not in waiting:
                    said = "Each `tool_result` block must have a corresponding `tool_use` block in the previous message"
                    raise Refused(f"{at}: unexpected `tool_use_id` found in `tool_result` blocks: {call}. {said}.")
                given += [] if others else [call]
            else:
                others = True
        if missing := [call for call in waiting if call not in given]:
            said = "`tool_use` ids were found without `tool_result` blocks immediately after"
            must = "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
            raise Refused(f"messages.{place - 1}: {said}: {', '.join(missing)}. {must}")
        waiting = [block["id"] for block in blocks(message) if block["type"] == "tool_use"]
        if len({*waiting} - used) < len(waiting):
            raise Refused("messages: `tool_use` ids must be unique")
        used |= {*waiting}


def head(body: Any) -> Iterator[tuple[str, Any]]:
    """Yield tools and system text, in the order in which the cache and the binding see them."""
    system = body.get("system") or []
    for tool in body.get("tools") or ():
        yield "tools", tool
    for block in [{"type": "text", "text": system}] if isinstance(system, str) else system:
        yield "system", block


def units(body: Any) -> Iterator[tuple[str, Any]]:
    """Yield all that a request consists of."""
    yield from head(body)
    for message in body["messages"]:
        for block in blocks(message):
            yield message["role"], block


def check_marks(body: Any) -> None:
    marks = [block["cache_control"] for _, block in units(body) if block.get("cache_control")]
    if len(marks) > 4:
        raise Refused(f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}.")
    spans = [mark.get("ttl", "5m") for mark in marks]
    if "5m" in spans and "1h" in spans[spans.index("5m") :]:
        said = "Note that blocks are processed in the following order: `tools`, `system`, `messages`."
        raise Refused(f"a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. {said}")


def unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: unmarked(one) for key, one in value.items() if key != "cache_control"}
    return [unmarked(one) for one in value] if isinstance(value, list) else value


def chained(digest: str, unit: tuple[str, Any]) -> str:
    said = json.dumps([unit[0], unmarked(unit[1])], sort_keys=True)
    return hashlib.sha256((digest + said).encode("utf-8", "surrogatepass")).hexdigest()


def digest_of(parts: Iterable[tuple[str, Any]]) -> str:
    """Return a hash of parts of a request."""
    digest = ""
    for unit in parts:
        digest = chained(digest, unit)
    return digest


def signature(model: str, digest: str, words: str) -> str:
    """Return the signature of a thought: by whom, behind what, in which words."""
    return f"{model}:{hashlib.sha256(f'{model} {digest} {words}'.encode()).hexdigest()}"


def check_thoughts(body: Any) -> Checked:
    """Compare each thought with the conversation before it; refuse, or leave out what does not fit."""
    checked, model = Checked(body), body["model"]
    asked = ((body.get("thinking") or {}).get("block_binding") or {}).get("prefix_mismatch_behavior")
    binds = MODELS[model][0] >= (5, 1)
    digest = digest_of(head(body))
    for place, message in enumerate(body["messages"]):
        is_lost = False
        for number, block in enumerate(blocks(message)):
            if block["type"] in THOUGHTS:
                checked.thoughts += 1
                path = f"messages.{place}.content.{number}"
                reason = _fault(block, model, digest, binds, path) or ("prefix_binding_mismatch" if is_lost else "")
                is_lost = reason == "prefix_binding_mismatch"  # and with it the rest of this turn's
                if is_lost and asked != "drop_block":
                    raise Refused(_BOUND.format(path=path, kind=block["type"]))
                if reason:
                    checked.dropped.append({"type": "thinking_dropped", "path": path, "reason": reason})
            digest = chained(digest, (message["role"], block))
    return checked


def _fault(block: Any, model: str, digest: str, binds: bool, path: str) -> str:
    given = block.get("signature") or block.get("data") or ""
    maker = given.split(":")[0]
    if maker not in MODELS:
        raise Refused(f"{path}: Invalid `signature` in `{block['type']}` block")
    if maker != model:
        return "model_binding_mismatch"
    fits = given == signature(model, digest, block.get("thinking", ""))
    return "prefix_binding_mismatch" if binds and not fits else ""


_BOUND = """\
{path}: Invalid `signature` in `{kind}` block. The block is bound to a different conversation. Remove the block, or \
set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block"."""
