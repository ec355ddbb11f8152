"""Conversion of a `ModelRequest` to the body of a request.

The messages of one request are the beginning of the next one's, byte for byte except the cache marks. A thought is
signed together with everything sent before it. So each exchange is encoded independently of all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from attrs import define, field

from inarch import (
    Effort,
    Message,
    MessageCache,
    ModelRequest,
    ToolSpec,
    chat_pays_to_cache,
    to_data,
)
from inarch_plugins.anthropic.blocks import (
    THOUGHTS,
    Block,
    encoded,
    result_blocks,
    said_blocks,
    signature_of,
    user_blocks,
)
from inarch_plugins.anthropic.versions import (
    Version,
    binds_thoughts,
    is_adaptive,
    takes_budget,
    takes_forced_calls,
    version_of,
)

_KEPT = ("title", "description", "enum", "const", "$ref", "required")
_DEFS = ("$defs", "definitions")


def closed_schema(schema: Any) -> dict[str, Any] | None:
    """Return a schema with closed objects; None if that is impossible, such as for objects with any keys.

    >>> closed_schema({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}})
    {'type': 'object', 'properties': {'n': {'type': 'integer'}}, 'additionalProperties': False}
    >>> closed_schema({"type": "object"})
    """
    try:
        return _closed(schema)
    except ValueError:
        return None


def _closed(schema: Any) -> dict[str, Any]:
    if not isinstance(schema, Mapping):
        raise ValueError("anything fits")
    closed: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
    closed |= {key: {name: _closed(one) for name, one in schema[key].items()} for key in _DEFS if key in schema}
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        closed["anyOf"] = [_closed(one) for one in choices]
    elif not closed.keys() & {"enum", "const", "$ref"}:
        closed |= _typed(schema)
    return closed


def _typed(schema: Mapping[str, Any]) -> dict[str, Any]:
    kinds = schema.get("type")
    names = [kinds] if isinstance(kinds, str) else list(kinds or ())
    typed: dict[str, Any] = {"type": kinds}
    if "object" in names:
        if not schema.get("properties") and schema.get("additionalProperties") is not False:
            raise ValueError("an object of any members")
        members = schema.get("properties") or {}
        typed |= {"properties": {name: _closed(one) for name, one in members.items()}, "additionalProperties": False}
    if "array" in names:
        typed["items"] = _closed(schema.get("items"))
    if not names or "allOf" in schema:
        raise ValueError("no type")
    return typed


OPENING = "(The beginning of this conversation is left out.)"
GO_ON = "(Go on.)"
MOST_OUTPUT = 64_000
"""Tokens of a reply if no limit is known: every model from 4.5 on accepts them."""
LEAST_BUDGET = 1_024
USUAL_BUDGET = 8_192
BUDGETS: dict[Effort, int] = {"minimal": 1_024, "low": 2_048, "medium": 8_192, "high": 16_384, "max": 32_768}
EFFORTS: dict[Effort, str] = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "max": "max"}

_Item = tuple[str, tuple[bytes, ...]]
"""Message: its role and its blocks."""


@define(eq=False, repr=False)
class Encoder:
    """Encoder of requests, which encodes each exchange only once."""

    cache: str = "5m"
    extra: Mapping[str, Any] = field(factory=dict)
    _left_out: frozenset[str] = field(init=False, default=frozenset())
    _kept: MessageCache = field(init=False, factory=MessageCache)

    def body(self, request: ModelRequest, most_output: int | None = None, begun: Sequence[Block] = ()) -> bytes:
        """Return the body of a streamed request."""
        self._kept.asked(request)
        schema = None if request.response_schema is None else closed_schema(to_data(request.response_schema))
        system = request.system
        if request.response_schema is not None and schema is None:
            shape = encoded(to_data(request.response_schema)).decode()
            system += f"\n\nReply with one JSON object of this schema and nothing else: {shape}"
        is_kept = bool(self.cache) and request.purpose == "turn"
        members = []
        if request.tools:
            tools = self._kept.once(request.tools, _encoded_tools)
            members.append(b'"tools":' + _list(self._marked(tools) if is_kept and not system else tools))
        if system.strip():
            text = [encoded({"type": "text", "text": system})]
            members.append(b'"system":' + _list(self._marked(text) if is_kept else text))
        items = self._items(request)
        if is_kept and chat_pays_to_cache(request):
            self._mark(items)
        if begun:
            items.append(("assistant", tuple(map(encoded, _without_blank_end(begun)))))
        members.append(b'"messages":' + _list(map(_message, items)))
        options = self._options(request, schema, most_output or MOST_OUTPUT)
        return b"{" + b",".join([*members, encoded({**options, **to_data(self.extra)})[1:]])

    def leave_out_thoughts(self, request: ModelRequest) -> bool:
        """Leave out the request's present thoughts from now on; return whether there were any."""
        thoughts = {
            signature_of(block)
            for message in request.messages
            for block in said_blocks(message, self._left_out)
            if "signature" in block or "data" in block
        }
        self._left_out |= thoughts
        return bool(thoughts)

    def _items(self, request: ModelRequest) -> list[_Item]:
        """Return the messages; the first and the last one are a person's."""
        left_out = self._left_out if request.purpose == "turn" else None
        items = list(chain.from_iterable(self._exchange(*one, left_out) for one in _exchanges(request.messages)))
        if not items or items[0][0] != "user":
            items.insert(0, ("user", (encoded({"type": "text", "text": OPENING}),)))
        if items[-1][0] != "user":  # the API no longer accepts beginnings of a reply
            items.append(("user", (encoded({"type": "text", "text": GO_ON}),)))
        return items

    def _exchange(self, first: Message, second: Message | None, left_out: frozenset[str] | None) -> tuple[_Item, ...]:
        def encode(first: Message) -> tuple[Message | None, tuple[_Item, ...]]:
            return second, tuple(_encoded_exchange(first, second, left_out))

        # The results are stored with their encoding, so that their id stays theirs.
        return self._kept.once(first, encode, (id(second), left_out))[1]

    def _mark(self, items: list[_Item]) -> None:
        """Mark the end, and that of the previous request: the service looks back for it over 20 blocks only."""
        last = len(items) - 1
        reply = next((place for place in range(last, 0, -1) if items[place][0] == "assistant"), 0)
        former = next((place for place in range(reply, 0, -1) if items[place - 1][0] == "user"), last + 1) - 1
        for place in {last, former}:
            role, blocks = items[place]
            items[place] = (role, tuple(self._marked(blocks)))

    def _marked(self, blocks: Sequence[bytes]) -> list[bytes]:
        """Return the blocks with a mark at their end."""
        mark = {"type": "ephemeral"} if self.cache == "5m" else {"type": "ephemeral", "ttl": self.cache}
        return [*blocks[:-1], blocks[-1][:-1] + b',"cache_control":' + encoded(mark) + b"}"]

    def _options(self, request: ModelRequest, schema: Block | None, most_output: int) -> dict[str, Any]:
        version, most = version_of(request.model), request.max_output_tokens or most_output
        options: dict[str, Any] = {"model": request.model, "max_tokens": most, "stream": True}
        if request.tools and request.tool_choice == "none":
            options["tool_choice"] = {"type": "none"}
        elif request.tools and request.tool_choice == "required" and takes_forced_calls(version):
            options["tool_choice"] = {"type": "any"}  # which excludes thinking
        elif request.purpose == "turn" and schema is None and (thinking := self._thinking(request, version, most)):
            options["thinking"] = thinking
        config: dict[str, Any] = {}
        if is_adaptive(version) and (request.effort or request.purpose == "decision"):
            config["effort"] = EFFORTS[request.effort or "low"]
        if schema is not None:
            config["format"] = {"type": "json_schema", "schema": schema}
        return {**options, "output_config": config} if config else options

    def _thinking(self, request: ModelRequest, version: Version, most: int) -> dict[str, Any] | None:
        """Return the thinking settings of the request; None if the model cannot think, or not at this point."""
        if is_adaptive(version):
            thinking: dict[str, Any] = {"type": "adaptive", "display": "summarized"}
            if binds_thoughts(version):  # else one edit of earlier content would end the conversation
                thinking["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
            return thinking
        budget = min(USUAL_BUDGET if request.effort is None else BUDGETS[request.effort], most // 2)
        if not takes_budget(version) or budget < LEAST_BUDGET or not _may_think(request.messages, self._left_out):
            return None
        return {"type": "enabled", "budget_tokens": budget}


def _may_think(messages: Sequence[Message], left_out: frozenset[str]) -> bool:
    """Return whether the reply before the last results began with a thought: budgets require one."""
    for message in reversed(messages):
        if message.role == "assistant":
            if blocks := [block["type"] for block in said_blocks(message, left_out)]:
                return "tool_use" not in blocks or blocks[0] in THOUGHTS
        elif message.role != "tool":
            break
    return True


def _exchanges(messages: Sequence[Message]) -> Iterator[tuple[Message, Message | None]]:
    """Yield each message, a reply together with the results that follow it."""
    for place, message in enumerate(messages):
        before, after = messages[place - 1 : place], messages[place + 1 : place + 2]
        if message.role == "assistant":
            yield message, after[0] if after and after[0].role == "tool" else None
        elif not (message.role == "tool" and before and before[0].role == "assistant"):
            yield message, None


def _encoded_exchange(first: Message, second: Message | None, left_out: frozenset[str] | None) -> Iterator[_Item]:
    sides: list[tuple[str, Iterable[Block]]]
    if first.role == "assistant":
        sides = [("assistant", said_blocks(first, left_out)), ("user", result_blocks(first, second))]
    else:  # an empty one keeps its position: the end of this request is within the next one, too
        sides = [("user", [*user_blocks(first)] or [{"type": "text", "text": GO_ON}])]
    for role, blocks in sides:
        if made := tuple(map(encoded, blocks)):
            yield role, made


def _without_blank_end(blocks: Sequence[Block]) -> list[Block]:
    *above, last = blocks
    return [*above, {**last, "text": last["text"].rstrip()}] if last.get("type") == "text" else [*blocks]


def _encoded_tools(tools: tuple[ToolSpec, ...]) -> list[bytes]:
    return [encoded(_tool(spec)) for spec in tools]


def _tool(spec: ToolSpec) -> dict[str, Any]:
    schema = {"type": "object", **to_data(spec.input_schema)}
    return {"name": spec.name, "description": spec.description or spec.name, "input_schema": schema}


def _message(item: _Item) -> bytes:
    return b'{"role":"' + item[0].encode("ascii") + b'","content":' + _list(item[1]) + b"}"


def _list(members: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(members) + b"]"
