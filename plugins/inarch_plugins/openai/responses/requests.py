"""Conversion of a `ModelRequest` to the body of a request for a response."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from attrs import define, field

from inarch import Message, MessageCache, ModelRequest, ToolSpec, to_data
from inarch_plugins.openai.responses.families import efforts_of, known_not_to_think, known_to_think, nearest
from inarch_plugins.openai.responses.items import Origin, compact, items_of

SCHEMA_NAME = "reply"
ENCRYPTED = "reasoning.encrypted_content"
LEAST_OUTPUT = 16
"""Minimum output limit that is accepted (OpenAI, as of Nov 2026)."""


@define(eq=False, repr=False)
class Encoder:
    """Encoder of requests, which encodes each message only once.

    Args:
        is_openai: Whether it is OpenAI's own service, or Azure's.
    """

    provider: str
    address: str
    is_openai: bool
    extra: Mapping[str, Any]
    _kept: MessageCache = field(init=False, factory=MessageCache)

    def origin(self, model: str) -> Origin:
        """Return the maker of the items of a model's replies."""
        return Origin(self.address, model, self.is_openai)

    def body(self, request: ModelRequest, options: Mapping[str, Any] | None = None) -> bytes:
        """Return the body of a streamed request."""
        system = self._system(request)
        tools = self._kept.once(request.tools, _encoded_tools)
        messages = [self._message(message, request.model) for message in request.messages]
        self._kept.asked(request)
        pieces = [b'{"input":[' + b",".join(filter(None, (system, *messages))) + b"]"]
        if request.tools:
            pieces.append(b'"tools":' + tools)
        rest = _encoded(self.options(request) if options is None else options)
        return b",".join([*pieces, rest[1:]])

    def _system(self, request: ModelRequest) -> bytes:
        """Return the system text as the first message."""
        if not request.system:
            return b""
        role = "developer" if self.is_openai else "system"
        return _encoded({"type": "message", "role": role, "content": request.system})

    def _message(self, message: Message, model: str) -> bytes:
        def encode(message: Message) -> bytes:
            return b",".join(map(_encoded, items_of(message, self.provider, self.origin(model))))

        return self._kept.once(message, encode, model)

    def options(self, request: ModelRequest) -> dict[str, Any]:
        """Return the other fields. No temperature: models that think refuse it (OpenAI, as of Nov 2026)."""
        options: dict[str, Any] = {"model": request.model, "stream": True, "store": False}
        if not known_not_to_think(request.model):
            options["include"] = [ENCRYPTED]
        # Requests with the same key reach the same machine, whose cache has their beginning. A request doesn't name its
        # session, so the key is a hash of the common beginning of all requests of a conversation.
        first = next((self._message(one, request.model) for one in request.messages if one.role == "user"), b"")
        begins = (self._system(request), self._kept.once(request.tools, _encoded_tools), first)
        options["prompt_cache_key"] = hashlib.sha256(b"\n".join(begins)).hexdigest()[:32]
        if request.tools and request.tool_choice != "auto":
            options["tool_choice"] = request.tool_choice
        if request.max_output_tokens is not None:
            options["max_output_tokens"] = max(request.max_output_tokens, LEAST_OUTPUT)
        if request.response_schema is not None:
            schema = to_data(request.response_schema)
            options["text"] = {
                "format": {"type": "json_schema", "name": SCHEMA_NAME, "schema": schema, "strict": False}
            }
        reasoning = {}
        if request.effort is not None and not known_not_to_think(request.model):
            reasoning["effort"] = nearest(request.effort, efforts_of(request.model))
        if known_to_think(request.model):
            reasoning["summary"] = "auto"
        return {**options, **({"reasoning": reasoning} if reasoning else {}), **to_data(self.extra)}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    """Return a tool; without `strict` the service would try it, and plugins' schemas are not made for that."""
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": to_data(spec.input_schema),
        "strict": False,
    }


def _encoded_tools(tools: tuple[ToolSpec, ...]) -> bytes:
    return _encoded([_tool(spec) for spec in tools])


def _encoded(data: Any) -> bytes:
    # A lone surrogate, such as one for a byte in a file's name, has no UTF-8.
    return compact(data).encode("utf-8", "replace")
