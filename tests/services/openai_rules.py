"""What OpenAI refuses: each rule a 400 in the service's words (WIRES of the Responses API and chat, seen Nov 2026)."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from attrs import define, field

MEMBERS = (
    "background", "context_management", "conversation", "include", "input", "instructions", "max_output_tokens",
    "max_tool_calls", "metadata", "model", "parallel_tool_calls", "previous_response_id", "prompt", "prompt_cache_key",
    "prompt_cache_options", "reasoning", "safety_identifier", "service_tier", "store", "stream", "stream_options",
    "temperature", "text", "tool_choice", "tools", "top_logprobs", "top_p", "truncation", "user",
)  # fmt: skip
TYPES = (
    "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
    "apply_patch_call", "apply_patch_call_output", "compaction", "additional_tools", "configuration_update",
    "item_reference", "web_search_call",
)  # fmt: skip
TOOL_TYPES = ("function", "custom", "apply_patch", "namespace", "tool_search", "web_search")
SAMPLING = ("temperature", "top_p", "top_logprobs")


class Refused(Exception):
    """A request that is not answered."""

    def __init__(self, message: str, param: str | None = None, status: int = 400, code: str | None = None) -> None:
        super().__init__(message)
        kind = "invalid_request_error"
        self.body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
        self.status = status


def version(model: str) -> tuple[int, int]:
    """Return the version of a model; (0, 0) of one that is not OpenAI's."""
    found = re.search(r"gpt-(\d+)(?:\.(\d+))?", model)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)


def always_thinks(model: str) -> bool:
    """Whether effort `none` is refused."""
    return version(model) >= (6, 2) or model.startswith(("gpt-6-astra", "gpt-6.1-sol"))


def efforts(model: str) -> list[str]:
    """Return what a model takes."""
    if version(model) >= (5, 6):
        words = ["none", "low", "medium", "high", "xhigh", "max"]
    elif version(model) >= (5, 1):
        words = ["none", "low", "medium", "high"] + (["xhigh"] if version(model) >= (5, 2) else [])
    else:
        words = ["minimal", "low", "medium", "high"]
    return [word for word in words if word != "none" or not always_thinks(model)]


def check_chat(body: dict[str, Any]) -> None:
    """Refuse what chat completions refuse."""
    model, effort = body["model"], body.get("reasoning_effort")
    if "max_tokens" in body and version(model) >= (5, 0):
        message = "Unsupported parameter: 'max_tokens' is not supported with this model."
        raise Refused(f"{message} Use 'max_completion_tokens' instead.", "max_tokens", code="unsupported_parameter")
    if not any(tool.get("type") == "function" for tool in body.get("tools") or ()):
        return
    explicit = effort not in (None, "none") and version(model) >= (5, 4)
    unset = effort is None and version(model) >= (5, 6)
    if always_thinks(model) or explicit or unset:
        other = "" if always_thinks(model) else " or set reasoning_effort to 'none'"
        raise Refused(
            f"Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. "
            f"To use function tools, use /v1/responses{other}.", "reasoning_effort",
        )  # fmt: skip


@define(eq=False)
class Memory:
    """What was given and asked: items by id, what each came after, and how conversations began."""

    given: dict[str, dict[str, Any]] = field(factory=dict)
    follower: dict[str, str] = field(factory=dict)
    bound: dict[str, str] = field(factory=dict)
    begun: dict[str, tuple[Any, str]] = field(factory=dict)

    def check(self, body: dict[str, Any]) -> list[dict[str, str]]:
        """Refuse what the Responses API refuses; return the transformations of the input.

        Raises:
            Refused: It is refused.
        """
        model = body["model"]
        for name in body:
            if name not in MEMBERS:
                raise Refused(f"Unknown parameter: '{name}'.", name, code="unknown_parameter")
        if body.get("store") is not False:
            raise Refused("this service wants store: false", "store")
        _check_tools(body.get("tools") or ())
        thinks = version(model) >= (5, 0)
        effort = (body.get("reasoning") or {}).get("effort")
        for name in SAMPLING if thinks and effort != "none" else ():
            if name in body:
                raise Refused(f"Unsupported parameter: '{name}' is not supported with this model.", name)
        if effort is not None and effort not in efforts(model):
            listed = ", ".join(f"'{word}'" for word in efforts(model))
            raise Refused(
                f"Unsupported value: 'reasoning_effort' does not support '{effort}' with this model. "
                f"Supported values are: {listed}.", "reasoning.effort", code="unsupported_value",
            )  # fmt: skip
        if not thinks and body.get("include"):
            raise Refused("Encrypted content is not supported with this model.", "include")
        self._check_items(body["input"])
        self._check_conversation(body)
        return self._check_prefix(body) if version(model) >= (6, 2) else []

    def gave(self, body: dict[str, Any], items: list[dict[str, Any]]) -> None:
        """Remember a reply."""
        for number, item in enumerate(items):
            self.given[item["id"]] = item
            if item["type"] == "reasoning":
                self.bound[item["id"]] = _digest(body, [*body["input"], *items[:number]])
                if number + 1 < len(items):
                    self.follower[item["id"]] = items[number + 1]["id"]

    def _check_items(self, items: list[dict[str, Any]]) -> None:
        leaders = {follower: leader for leader, follower in self.follower.items()}
        for at, item in enumerate(items):
            kind, name = item.get("type", "message"), item.get("id", "")
            if kind not in TYPES:
                raise Refused(f"Invalid value: '{kind}'.", f"input[{at}].type")
            if kind == "reasoning":
                self._check_reasoning(at, items)
            leader = leaders.get(name)
            if leader and (at == 0 or items[at - 1].get("id") != leader):
                raise Refused(f"Item '{name}' of type '{kind}' was provided without its required 'reasoning' item: "
                              f"'{leader}'.", "input")  # fmt: skip
            if name in self.given and kind != "reasoning" and self.given[name] != item:
                raise Refused(f"item '{name}' is not what was given: {item} for {self.given[name]}", f"input[{at}]")
        _check_calls(items)

    def _check_reasoning(self, at: int, items: list[dict[str, Any]]) -> None:
        item = items[at]
        name = item.get("id", "")
        if not isinstance(item.get("summary"), list):
            raise Refused(f"Missing required parameter: 'input[{at}].summary'.", f"input[{at}].summary")
        if not item.get("encrypted_content"):
            message = f"Item with id '{name}' not found. Items are not persisted when `store` is set to false."
            raise Refused(message, "input", 404)
        if self.given.get(name) != item:
            raise Refused(f"The encrypted content for item {name} could not be verified.", None, 400,
                          "invalid_encrypted_content")  # fmt: skip
        if at + 1 == len(items) or items[at + 1].get("id") != self.follower.get(name):
            raise Refused(f"Item '{name}' of type 'reasoning' was provided without its required following item.",
                          "input")  # fmt: skip

    def _check_conversation(self, body: dict[str, Any]) -> None:
        """Refuse another cache key, or other tools, in a conversation that began the same way."""
        first = next((at for at, item in enumerate(body["input"]) if item.get("role") == "user"), 0)
        key = json.dumps(body["input"][: first + 1])
        now = (body.get("prompt_cache_key"), json.dumps(body.get("tools")))
        before = self.begun.setdefault(key, now)
        if now[1] != before[1]:
            raise Refused("the tools differ from those of the request before", "tools")
        if now[0] != before[0] or not now[0]:
            raise Refused("the prompt_cache_key differs from that of the request before", "prompt_cache_key")

    def _check_prefix(self, body: dict[str, Any]) -> list[dict[str, str]]:
        """Return which thoughts are left out because something before them was edited."""
        items, removed = body["input"], []
        for at, item in enumerate(items):
            if item.get("type") == "reasoning" and self.bound[item["id"]] != _digest(body, items[:at]):
                removed.append(
                    {"type": "reasoning", "action": "removed", "id": item["id"], "reason": "prefix_mismatch"}
                )
        return removed


def _check_tools(tools: Any) -> None:
    for at, tool in enumerate(tools):
        if tool.get("type") not in TOOL_TYPES:
            raise Refused(f"Invalid value: '{tool.get('type')}'.", f"tools[{at}].type")
        if tool["type"] == "function" and "name" not in tool:
            raise Refused(f"Missing required parameter: 'tools[{at}].name'.", f"tools[{at}].name")


def _check_calls(items: list[dict[str, Any]]) -> None:
    made = [item["call_id"] for item in items if item.get("type") == "function_call"]
    given = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    for name in made:
        if name not in given:
            raise Refused(f"No tool output found for function call {name}.", "input")
    for name in given:
        if name not in made:
            raise Refused(f"No tool call found for function call output with call_id {name}.", "input")


def _digest(body: dict[str, Any], items: list[dict[str, Any]]) -> str:
    before = [body.get("tools"), (body.get("text") or {}).get("format"), items]
    return hashlib.sha256(json.dumps(before, sort_keys=True).encode()).hexdigest()
