"""From a `ModelRequest` to the body of a request for a response."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch import Message, MessageCache, ModelRequest, ToolSpec, to_data
from inarch_openai.responses.families import known_not_to_think, known_to_think, nearest
from inarch_openai.responses.items import Origin, compact, items_of

if TYPE_CHECKING:
    from inarch_openai.responses.refusals import Refusals

SCHEMA_NAME = "reply"
ENCRYPTED = "reasoning.encrypted_content"
LEAST_OUTPUT = 16
"""A smaller limit of output is refused (OpenAI, seen Nov 2026)."""


@define(eq=False, repr=False)
class Encoder:
    """Encodes requests; a message that was encoded for one request is not encoded again for the next.

    Args:
        provider: Under which name opaque data of parts is kept.
        address: Where the service is.
        is_openai: Whether it is OpenAI's own, or Azure's.
        extra: Further members of every body; they win.
        refusals: What models have refused.
    """

    provider: str
    address: str
    is_openai: bool
    extra: Mapping[str, Any]
    refusals: Refusals
    _kept: MessageCache = field(init=False, factory=MessageCache)
    _last: tuple[str, tuple[Message, ...], bytes] = field(init=False, default=("", (), b""))
    _tools: tuple[tuple[ToolSpec, ...], bytes] = field(init=False, default=((), b""))

    def origin(self, model: str) -> Origin:
        """Return who makes the items of a model's replies."""
        return Origin(self.address, model, self.is_openai)

    def body(self, request: ModelRequest) -> bytes:
        """Return the body of a streamed request."""
        system = self._system(request)
        tools = self._encoded_tools(request.tools)
        messages = self._messages(request.messages, request.model)
        self._kept.asked(request)
        pieces = [b'{"input":[' + b",".join(filter(None, (system, messages))) + b"]"]
        if request.tools:
            pieces.append(b'"tools":' + tools)
        # Requests with the same key reach the same machine, whose cache has what they begin with. A request doesn't say
        # which session it belongs to, so the key is a hash of what all requests of a conversation begin with.
        first = next((self._message(one, request.model) for one in request.messages if one.role == "user"), b"")
        key = hashlib.sha256(b"\n".join((system, tools, first))).hexdigest()[:32]
        rest = _encoded({**self._options(request, key), **to_data(self.extra)})
        return b",".join([*pieces, rest[1:]])

    def _system(self, request: ModelRequest) -> bytes:
        """Return the system text as the first message.

        `instructions` would not do: from gpt-6.2 on they count for one turn and are billed uncached (OpenAI's page on
        prompt caching, seen Nov 2026), and xAI doesn't take them. Other services don't all know the role `developer`.
        """
        if not request.system:
            return b""
        role = "developer" if self.is_openai else "system"
        return _encoded({"type": "message", "role": role, "content": request.system})

    def _messages(self, messages: tuple[Message, ...], model: str) -> bytes:
        """Return the members of the list; if the last request is the beginning of this one, so are its bytes."""
        before, known, encoded = self._last
        if before != model or messages[: len(known)] != known:
            known, encoded = (), b""
        new = (self._message(message, model) for message in messages[len(known) :])
        encoded = b",".join(filter(None, (encoded, *new)))
        self._last = (model, messages, encoded)
        return encoded

    def _message(self, message: Message, model: str) -> bytes:
        def encode(message: Message) -> bytes:
            return b",".join(map(_encoded, items_of(message, self.provider, self.origin(model))))

        return self._kept.once(message, encode, model)

    def _encoded_tools(self, tools: tuple[ToolSpec, ...]) -> bytes:
        if self._tools[0] is not tools and self._tools[0] != tools:
            self._tools = (tools, _encoded([_tool(spec) for spec in tools]))
        return self._tools[1]

    def _options(self, request: ModelRequest, key: str) -> dict[str, Any]:
        """Return the other members. No temperature: models that think refuse it (OpenAI, seen Nov 2026)."""
        left_out = self.refusals.left_out(request.model)
        options: dict[str, Any] = {"model": request.model, "stream": True, "store": False}
        if "include" not in left_out and not known_not_to_think(request.model):
            options["include"] = [ENCRYPTED]
        if "prompt_cache_key" not in left_out:
            options["prompt_cache_key"] = key
        if request.tools and request.tool_choice != "auto":
            options["tool_choice"] = request.tool_choice
        if request.max_output_tokens is not None:
            options["max_output_tokens"] = max(request.max_output_tokens, LEAST_OUTPUT)
        if request.response_schema is not None:
            schema = to_data(request.response_schema)
            options["text"] = {
                "format": {"type": "json_schema", "name": SCHEMA_NAME, "schema": schema, "strict": False}
            }
        if reasoning := self._reasoning(request, left_out):
            options["reasoning"] = reasoning
        return options

    def _reasoning(self, request: ModelRequest, left_out: frozenset[str]) -> dict[str, Any]:
        reasoning: dict[str, Any] = {}
        if request.effort is not None and "effort" not in left_out and not known_not_to_think(request.model):
            reasoning["effort"] = nearest(request.effort, self.refusals.efforts(request.model))
        if known_to_think(request.model) and "summary" not in left_out:
            reasoning["summary"] = "auto"
        return reasoning


def _tool(spec: ToolSpec) -> dict[str, Any]:
    """Return a tool; left out, `strict` would be tried, and schemas of plugins are not made for that."""
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": to_data(spec.input_schema),
        "strict": False,
    }


def _encoded(data: Any) -> bytes:
    # A lone surrogate, such as stands for a byte in a file's name, has no UTF-8.
    return compact(data).encode("utf-8", "replace")
