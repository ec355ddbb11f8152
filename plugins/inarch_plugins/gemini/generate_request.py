"""Conversion of a `ModelRequest` to the body of a request.

The API requires a strict order: a person first, the two sides in alternation, and every call answered in the very next
content. A conversation that was shortened, resumed or held with another provider may lack that order, so this module
restores it.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, Literal

from attrs import define, field, frozen

from inarch import (
    CallPart,
    Image,
    Message,
    MessageCache,
    ModelRequest,
    Part,
    Reasoning,
    ResultPart,
    Text,
    ToolSpec,
    result_text,
    to_data,
)
from inarch_lib.schemas.openapi import openapi_parameters, reply_schema
from inarch_plugins.gemini.versions import is_before_3, thinking_of, thinks_by_name

NAME = "gemini"
NO_RESULT = "no result of this call is known"
UNSIGNED = "skip_thought_signature_validator"
"""Placeholder for missing signatures of calls, from the API's documentation."""


@frozen
class Reader:
    """Reader of a conversation: the model and the address that signatures must belong to.

    Args:
        wants_signatures: Whether calls without one get the placeholder, as models from Gemini 3 on require.
        refused: Signatures that the service refused.
    """

    model: str
    base_url: str = ""
    wants_signatures: bool = True
    refused: frozenset[str] = frozenset()

    def own(self, part: Part) -> Mapping[str, Any]:
        """Return the service's data in a part, if this model made it there; others cannot read it."""
        own = _own(part)
        return own if (own.get("model"), own.get("base_url")) == (self.model, self.base_url) else {}

    def signature(self, part: Part) -> str:
        """Return a part's signature, "" if there is none that this model accepts."""
        signature = self.own(part).get("signature")
        return signature if isinstance(signature, str) and signature not in self.refused else ""


def encode_exchange(first: Message, second: Message | None, reader: Reader) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of an exchange, each with its side; parts of one content are joined."""
    if first.role == "assistant":
        said = [encoded(part) for part in _said(first, reader)]
        if said:
            yield "model", b",".join(said)
    heard = [encoded(part) for part in _heard(first, second, reader)]
    if heard:
        yield "user", b",".join(heard)


def signatures_of(message: Message) -> frozenset[str]:
    """Return all signatures in a message's parts."""
    found = (_own(part).get("signature") for part in message.parts)
    return frozenset(signature for signature in found if isinstance(signature, str))


def _said(message: Message, reader: Reader) -> Iterator[dict[str, Any]]:
    """Yield the parts of a reply as the service sent them, or would have sent them."""
    first_call = next((part for part in message.parts if isinstance(part, CallPart)), None)
    for part in message.parts:
        signature = reader.signature(part)
        if isinstance(part, Reasoning):
            # Thoughts are for people; the service needs them only if it signed them.
            raw = reader.own(part).get("raw")
            if isinstance(raw, Mapping):
                yield _signed(to_data(raw), signature)
            elif signature:
                yield {"text": part.text, "thought": True, "thoughtSignature": signature}
        elif isinstance(part, Text):
            if part.text or signature:
                yield _signed({"text": part.text}, signature)
        elif isinstance(part, CallPart):
            call: dict[str, Any] = {"name": part.name, "args": to_data(part.arguments)}
            if isinstance(call_id := _own(part).get("id"), str):
                call["id"] = call_id
            is_unsigned = part is first_call and reader.wants_signatures and not signature
            yield _signed({"functionCall": call}, UNSIGNED if is_unsigned else signature)


def _heard(first: Message, second: Message | None, reader: Reader) -> Iterator[dict[str, Any]]:
    """Yield the other side's parts: a response for every call, in the calls' order, then everything else."""
    calls = [part for part in first.parts if isinstance(part, CallPart)] if first.role == "assistant" else []
    rest = list(second.parts if second is not None else () if first.role == "assistant" else first.parts)
    for call in calls:
        result = next((part for part in rest if isinstance(part, ResultPart) and part.call_id == call.id), None)
        if result is not None:
            rest.remove(result)
        nests = reader.wants_signatures  # from Gemini 3 on, a picture beside a response is refused
        yield _response(call, result, nests)
        if result is not None and not nests:
            yield from map(_picture, result.result.images)
    for part in rest:
        if isinstance(part, ResultPart):  # its call is gone, so it cannot be a response
            yield {"text": f"Result of {part.name}:\n{result_text(part.result)}"}
            yield from map(_picture, part.result.images)
        elif isinstance(part, Text) and part.text:
            yield {"text": part.text}
        elif isinstance(part, Image):
            yield _picture(part)


def _picture(image: Image) -> dict[str, Any]:
    return {"inlineData": {"mimeType": image.media_type, "data": b64encode(image.data).decode("ascii")}}


def _response(call: CallPart, result: ResultPart | None, nests: bool) -> dict[str, Any]:
    failed = result is None or not result.result.success
    text = NO_RESULT if result is None else result_text(result.result)
    response: dict[str, Any] = {"name": call.name, "response": {"error" if failed else "output": text}}
    call_id = _own(call).get("id")
    if isinstance(call_id, str):
        response["id"] = call_id
    if nests and result is not None and result.result.images:  # google-genai 3.6.1, FunctionResponse (Nov 2026)
        response["parts"] = list(map(_picture, result.result.images))
    return {"functionResponse": response}


def _own(part: Part) -> Mapping[str, Any]:
    """Return this provider's data in a part, without that of others."""
    own = (part.provider_data or {}).get(NAME)
    return own if isinstance(own, Mapping) else {}


def _signed(part: dict[str, Any], signature: str) -> dict[str, Any]:
    return {**part, "thoughtSignature": signature} if signature else part


def encoded(data: Any) -> bytes:
    """Return JSON in wire form."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


OPENING = "(The beginning of this conversation is left out.)"
MODES = {"none": "NONE", "required": "ANY"}

Leaving = Literal["level", "thinking"]
"""Fields on thinking that a model refused: the level or budget alone, or all of them."""


@define(eq=False, repr=False)
class Encoder:
    """Encoder of requests."""

    thinking: bool = True
    base_url: str = ""
    _kept: MessageCache = field(init=False, factory=MessageCache)
    _refused: frozenset[str] = field(init=False, default=frozenset())

    def body(self, request: ModelRequest, thinks: bool | None = None, leave_out: Leaving | None = None) -> bytes:
        """Return the body of a request."""
        members = [b'"contents":[' + self._contents(request) + b"]"]
        system = [request.system] if request.system else []
        system += [message.text for message in request.messages if message.role == "system" and message.text]
        if system:
            members.append(b'"systemInstruction":' + encoded({"parts": [{"text": text} for text in system]}))
        if request.tools and request.response_schema is None:
            members.append(b'"tools":' + self._kept.once(request.tools, _declarations))
            if request.tool_choice in MODES:
                config = {"functionCallingConfig": {"mode": MODES[request.tool_choice]}}
                members.append(b'"toolConfig":' + encoded(config))
        options = self._options(request, thinks, leave_out)
        if options:
            members.append(b'"generationConfig":' + encoded(options))
        return b"{" + b",".join(members) + b"}"

    def leave_out_signatures(self, request: ModelRequest) -> bool:
        """Leave out the signatures of earlier turns from now on, or of this turn if there are no others.

        Return whether there were any: calls without one get the placeholder.
        """
        messages = request.messages
        last = max((at for at, one in enumerate(messages) if one.role == "user"), default=0)
        for part in (messages[:last], messages[last:]):
            found = frozenset().union(*map(signatures_of, part)) - self._refused
            if found:
                self._refused |= found
                return True
        return False

    def _contents(self, request: ModelRequest) -> bytes:
        """Return the contents: consecutive parts of one side are one content."""
        reader = Reader(request.model, self.base_url, not is_before_3(request.model), self._refused)
        self._kept.asked(request)
        opening = [] if _begins_with_user(request.messages) else [("user", encoded({"text": OPENING}))]
        sides = chain(opening, *(self._exchange(*both, reader) for both in _exchanges(request.messages)))
        return b",".join(
            _content(role, (part for _, part in parts)) for role, parts in groupby(sides, key=lambda side: side[0])
        )

    def _exchange(self, first: Message, second: Message | None, reader: Reader) -> tuple[tuple[str, bytes], ...]:
        """Encode an assistant message with the results that answer it, or any other message alone."""

        def encode(first: Message) -> tuple[Message | None, tuple[tuple[str, bytes], ...]]:
            return second, tuple(encode_exchange(first, second, reader))

        # The answer is stored with its encoding, so that its id stays its own.
        return self._kept.once(first, encode, (id(second), reader))[1]

    def _options(self, request: ModelRequest, thinks: bool | None, leave_out: Leaving | None) -> dict[str, Any]:
        options: dict[str, Any] = {}
        # Newer models ignore a temperature or answer worse with one (ai.google.dev, changes of 21 July 2026).
        if request.temperature is not None and is_before_3(request.model):
            options["temperature"] = request.temperature
        if request.max_output_tokens is not None:
            options["maxOutputTokens"] = request.max_output_tokens
        if request.response_schema is not None:
            options["responseMimeType"] = "application/json"
            options["responseJsonSchema"] = reply_schema(to_data(request.response_schema))
        elif request.purpose == "turn" and (thinks_by_name(request.model) if thinks is None else thinks):
            config: dict[str, Any] = {"includeThoughts": True} if self.thinking else {}
            if request.effort is not None and leave_out != "level":
                config |= thinking_of(request.model, request.effort)
            if config and leave_out != "thinking":
                options["thinkingConfig"] = config
        return options


def _begins_with_user(messages: Sequence[Message]) -> bool:
    first = next((message for message in messages if message.role != "system"), None)
    return first is not None and first.role == "user" and any(_visible(part) for part in first.parts)


def _visible(part: Part) -> bool:
    return isinstance(part, Image) or (isinstance(part, Text) and bool(part.text))


def _exchanges(messages: Sequence[Message]) -> Iterator[tuple[Message, Message | None]]:
    """Yield each message with the tool message that answers it, if one does."""
    said = [message for message in messages if message.role != "system"]
    for place, message in enumerate(said):
        before, after = said[place - 1 : place], said[place + 1 : place + 2]
        if message.role == "assistant":
            yield message, after[0] if after and after[0].role == "tool" else None
        elif not (message.role == "tool" and before and before[0].role == "assistant"):
            yield message, None


def _declarations(tools: tuple[ToolSpec, ...]) -> bytes:
    return encoded([{"functionDeclarations": [_declaration(spec) for spec in tools]}])


def _declaration(spec: ToolSpec) -> dict[str, Any]:
    declaration: dict[str, Any] = {"name": spec.name, "description": spec.description or spec.name}
    taken = openapi_parameters(to_data(spec.input_schema))
    if taken is not None:
        declaration["parameters"] = taken
    return declaration


def _content(role: str, parts: Iterable[bytes]) -> bytes:
    return b'{"role":"' + role.encode("ascii") + b'","parts":[' + b",".join(parts) + b"]}"
