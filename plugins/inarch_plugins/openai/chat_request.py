"""Conversion of a `ModelRequest` to the body of a chat completion."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from inarch import (
    CallPart,
    Effort,
    Message,
    MessageCache,
    ModelRequest,
    Part,
    Reasoning,
    ResultPart,
    Text,
    ToolSpec,
    chat_cached,
    chat_call,
    chat_content,
    chat_pays_to_cache,
    chat_tool,
    result_text,
    to_data,
)
from inarch_plugins.openai.dialect import Dialect
from inarch_plugins.openai.thoughts import give_back

_HOSTS = {"deepseek.com": "deepseek", "moonshot.ai": "kimi", "moonshot.cn": "kimi", "kimi.com": "kimi", "z.ai": "glm",
          "openrouter.ai": ""}  # fmt: skip
"""Families by host; OpenRouter unifies all models itself."""
_NAMES = ("deepseek", "kimi", "glm", "qwen")
_PLAIN: dict[Effort, str] = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "max": "high"}
"""The three words that every service with such a field accepts."""
# Documentation of DeepSeek, Kimi and GLM, as of November 2026: low, high and max.
_EFFORTS: dict[str, dict[Effort, str]] = {
    "deepseek": {"max": "max"},
    "kimi": {"medium": "high", "max": "max"},
    "glm": {"medium": "high", "max": "max"},
    "qwen": {"max": "max"},
}


def family_of(model: str, address: str) -> str:
    """Return the family of a model, by its host or its name; "" for all others.

    >>> family_of("m", "https://api.deepseek.com/v1"), family_of("moonshotai/Kimi-K3", "http://localhost:8000/v1")
    ('deepseek', 'kimi')
    """
    host = address.partition("://")[2].partition("/")[0].partition(":")[0].lower()
    served = next((family for end, family in _HOSTS.items() if host == end or host.endswith(f".{end}")), None)
    return next((name for name in _NAMES if name in model.lower()), "") if served is None else served


def effort_for(family: str, effort: Effort) -> dict[str, Any]:
    """Return the field that says how much a model is to think."""
    return {"reasoning_effort": _EFFORTS.get(family, {}).get(effort) or _PLAIN[effort]}


def filled(family: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an assistant message of a conversation with tools, with the thought that its service requires.

    DeepSeek wants one on every message and Kimi on those with calls. A blank suffices if none is stored, because
    another model wrote the message or a compaction left it out (LiteLLM 1.110.2 sends the same).
    """
    wants = family == "deepseek" or (family == "kimi" and "tool_calls" in item)
    has = "reasoning_content" in item or "reasoning" in item or "reasoning_details" in item
    return {**item, "reasoning_content": " "} if wants and not has else dict(item)


SCHEMA_NAME = "reply"


@define(eq=False, repr=False)
class Encoder:
    """Encoder of requests, which encodes each message only once.

    Args:
        address: The service's address: data that only it can read goes back only to it.
    """

    provider: str
    extra: Mapping[str, Any] = field(factory=dict)
    dialect: Dialect = field(factory=Dialect)
    address: str = ""
    _kept: MessageCache = field(init=False, factory=MessageCache)

    def body(self, request: ModelRequest, options: Mapping[str, Any] | None = None) -> bytes:
        """Return the body of a streamed request."""
        marks = self.dialect.marks
        is_marked = marks is not None and marks(request.model) and chat_pays_to_cache(request)
        system = {"role": "system", "content": request.system}
        messages = [_encoded(chat_cached(system) if is_marked else system)] if request.system else []
        if is_marked and request.messages[-1].role != "assistant":
            *above, last = self._items(request.messages[-1], request.model, "")  # not an assistant's: nothing is filled
            messages += self._messages(request, request.messages[:-1])
            messages += [*map(_encoded, above), _encoded(chat_cached(last))]
        else:
            messages += self._messages(request, request.messages)
        self._kept.asked(request)
        pieces = [b'{"messages":[' + b",".join(filter(None, messages)) + b"]"]
        if request.tools:
            pieces.append(b'"tools":' + self._kept.once(request.tools, _encoded_tools))
        rest = _encoded(self.options(request) if options is None else options)
        return b",".join([*pieces, rest[1:]])

    def _messages(self, request: ModelRequest, messages: tuple[Message, ...]) -> list[bytes]:
        """Return the entries of the list."""
        model, family = request.model, family_of(request.model, self.address) if request.tools else ""

        def encode(message: Message) -> bytes:
            return b",".join(_encoded(item) for item in self._items(message, model, family))

        return [self._kept.once(message, encode, (model, family)) for message in messages]

    def options(self, request: ModelRequest) -> dict[str, Any]:
        """Return the fields of a body besides messages and tools."""
        family = family_of(request.model, self.address)
        options: dict[str, Any] = {"model": request.model, "stream": True, "stream_options": {"include_usage": True}}
        if request.tools and request.tool_choice != "auto":
            options["tool_choice"] = request.tool_choice
        if request.temperature is not None and family != "kimi":  # it refuses all but 1
            options["temperature"] = request.temperature
        if request.max_output_tokens is not None:
            options[self.dialect.output_limit] = request.max_output_tokens
        if request.effort is not None and not (family == "kimi" and "thinking" in self.extra):  # it refuses both
            own = self.dialect.effort
            options |= effort_for(family, request.effort) if own is None else own(request.effort)
        if request.response_schema is not None:
            schema = {"name": SCHEMA_NAME, "schema": to_data(request.response_schema), "strict": False}
            options["response_format"] = {"type": "json_schema", "json_schema": schema}
        return {**options, **to_data(self.extra)}

    def _items(self, message: Message, model: str, family: str) -> Iterator[dict[str, Any]]:
        if message.role == "tool":
            for part in message.parts:
                if isinstance(part, ResultPart):
                    text = result_text(part.result)
                    yield {"role": "tool", "tool_call_id": part.provider_id or part.call_id, "content": text}
            if shown := chat_content(message.parts):
                yield {"role": "user", "content": shown}
        elif message.role == "assistant":
            yield filled(family, self._assistant(message.parts, model))
        else:
            yield {"role": message.role, "content": chat_content(message.parts)}

    def _assistant(self, parts: Sequence[Part], model: str) -> dict[str, Any]:
        item: dict[str, Any] = {"role": "assistant", "content": ""}
        content: list[str | dict[str, Any]] = []
        calls = []
        for part in parts:
            own = (part.provider_data or {}).get(self.provider)
            if isinstance(part, CallPart):
                calls.append(chat_call(part))
            elif isinstance(part, Text):
                content.append(part.text)
            elif isinstance(part, Reasoning) and isinstance(own, Mapping) and self._is_of(own, model):
                content.append(give_back(part, own, item))
        item["content"] = _joined(content) or (None if calls else "")
        if calls:
            item["tool_calls"] = calls
        return item

    def _is_of(self, own: Mapping[str, Any], model: str) -> bool:
        """Return whether the model at this address wrote it: encrypted or signed data is readable only there."""
        return own.get("model") == model and own.get("base_url", self.address) == self.address


def _joined(content: list[str | dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Return content as a text, or as a list if it came as one."""
    texts = [piece for piece in content if isinstance(piece, str)]
    if len(texts) == len(content):
        return "".join(texts)
    return [{"type": "text", "text": piece} if isinstance(piece, str) else piece for piece in content if piece]


def _encoded_tools(tools: tuple[ToolSpec, ...]) -> bytes:
    return _encoded([chat_tool(spec) for spec in tools])


def _encoded(data: Any) -> bytes:
    # A lone surrogate, such as one for a byte in a file's name, has no UTF-8.
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
