"""From a `ModelRequest` to the body of a request.

The API wants turns in strict order: a person first, the two sides in alternation, and every call answered in the very
next content. A conversation that was shortened, resumed or led with another provider may have none of that, so it is
put in order here. What was encoded for one request is kept for the next, which has the same beginning.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from inarch import (
    CallPart,
    Image,
    Message,
    ModelRequest,
    Part,
    Reasoning,
    ResultPart,
    Text,
    ToolSpec,
    result_text,
    to_data,
)
from inarch_gemini.schemas import parameters, reply_schema
from inarch_gemini.signatures import signed_parts

NAME = "gemini"
OPENING = "(The beginning of this conversation is left out.)"
NO_RESULT = "no result of this call is known"
UNSIGNED = "skip_thought_signature_validator"
"""What the API's documentation says to put in place of a signature for calls that it did not make itself."""
MODES = {"none": "NONE", "required": "ANY"}

_UNSIGNED_FAMILIES = ("gemini-1", "gemini-2", "gemma", "learnlm")
_THOUGHTLESS_FAMILIES = ("gemini-1", "gemini-2.0", "gemma", "learnlm")


@frozen(eq=False)
class _Exchange:
    """An assistant message with the results that answer it, or any other message alone; encoded."""

    first: Message
    second: Message | None
    contents: tuple[tuple[str, bytes], ...]


@define(eq=False, repr=False)
class Encoder:
    """Encodes requests; `thinking` asks for the model's thoughts where it has any."""

    thinking: bool = True
    _kept: dict[tuple[int, int, bool], _Exchange] = field(init=False, factory=dict)
    _tools: tuple[tuple[ToolSpec, ...], bytes] = field(init=False, default=((), b""))

    def body(self, request: ModelRequest, thinks: bool | None = None) -> bytes:
        """Return the body of a request.

        Args:
            request: What is asked.
            thinks: Whether the model is known to think; None where nothing is known but its name.
        """
        members = [b'"contents":[' + b",".join(self._contents(request)) + b"]"]
        system = [request.system] if request.system else []
        system += [message.text for message in request.messages if message.role == "system" and message.text]
        if system:
            members.append(b'"systemInstruction":' + _encoded({"parts": [{"text": text} for text in system]}))
        if request.tools and request.response_schema is None:
            members.append(b'"tools":' + self._declarations(request.tools))
            if request.tool_choice in MODES:
                config = {"functionCallingConfig": {"mode": MODES[request.tool_choice]}}
                members.append(b'"toolConfig":' + _encoded(config))
        options = self._options(request, thinks)
        if options:
            members.append(b'"generationConfig":' + _encoded(options))
        return b"{" + b",".join(members) + b"}"

    def _contents(self, request: ModelRequest) -> Iterator[bytes]:
        """Yield the contents: consecutive ones of one side are one content, and the first is a person's."""
        role, parts = "user", [] if _begins_with_user(request.messages) else [_encoded({"text": OPENING})]
        for side, encoded in self._sides(request):
            if side != role:
                yield _content(role, parts)
                role, parts = side, []
            parts.append(encoded)
        if parts:
            yield _content(role, parts)

    def _sides(self, request: ModelRequest) -> Iterator[tuple[str, bytes]]:
        kept: dict[tuple[int, int, bool], _Exchange] = {}
        foreign = not _name(request.model).startswith(_UNSIGNED_FAMILIES)
        for first, second in _exchanges(request.messages):
            key = (id(first), id(second), foreign)
            known = self._kept.get(key)
            if known is None or known.first is not first or known.second is not second:
                known = _Exchange(first, second, tuple(_encode(first, second, foreign)))
            kept[key] = known
            yield from known.contents
        self._kept = kept  # the messages are kept with it, so that their ids stay their own

    def _declarations(self, tools: tuple[ToolSpec, ...]) -> bytes:
        if self._tools[0] is not tools:
            self._tools = (tools, _encoded([{"functionDeclarations": [_declaration(spec) for spec in tools]}]))
        return self._tools[1]

    def _options(self, request: ModelRequest, thinks: bool | None) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if request.temperature is not None:
            options["temperature"] = request.temperature
        if request.max_output_tokens is not None:
            options["maxOutputTokens"] = request.max_output_tokens
        if request.response_schema is not None:
            options["responseMimeType"] = "application/json"
            options["responseJsonSchema"] = reply_schema(to_data(request.response_schema))
        elif self.thinking and request.purpose == "turn" and (_thinks(request.model) if thinks is None else thinks):
            options["thinkingConfig"] = {"includeThoughts": True}
        return options


def _thinks(model: str) -> bool:
    """Guess from a model's name whether it would tell its thoughts; the small ones refuse to be asked."""
    name = _name(model)
    return not name.startswith(_THOUGHTLESS_FAMILIES) and "lite" not in name


def _name(model: str) -> str:
    return model.rsplit("/", 1)[-1].lower()


def _begins_with_user(messages: Sequence[Message]) -> bool:
    first = next((message for message in messages if message.role != "system"), None)
    return first is not None and first.role == "user" and any(_visible(part) for part in first.parts)


def _visible(part: Part) -> bool:
    return isinstance(part, Image) or (isinstance(part, Text) and bool(part.text))


def _exchanges(messages: Sequence[Message]) -> Iterator[tuple[Message, Message | None]]:
    """Yield each message with the tool message that answers it, if one does."""
    waiting: Message | None = None
    for message in messages:
        if message.role == "system":
            continue
        if waiting is not None:
            yield waiting, message if message.role == "tool" else None
            answered, waiting = message.role == "tool", None
            if answered:
                continue
        if message.role == "assistant":
            waiting = message
        else:
            yield message, None
    if waiting is not None:
        yield waiting, None


def _encode(first: Message, second: Message | None, foreign: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of an exchange, each with its side; parts of one content are joined."""
    if first.role == "assistant":
        said = [_encoded(part) for part in _said(first, foreign)]
        if said:
            yield "model", b",".join(said)
    heard = [_encoded(part) for part in _heard(first, second)]
    if heard:
        yield "user", b",".join(heard)


def _said(message: Message, foreign: bool) -> Iterator[dict[str, Any]]:
    """Yield the parts of a reply as the service sent them, or as it would have."""
    calls = [part for part in message.parts if isinstance(part, CallPart)]
    unsigned = foreign and not any("thoughtSignature" in _own(call) for call in calls)
    for part in message.parts:
        own = _own(part)
        if isinstance(part, Reasoning):
            # Thoughts are for people; the service has no use for them but where it signed them.
            if own:
                for text, signature in signed_parts(part.text, own):
                    yield _signed({"text": text, "thought": True}, signature)
        elif isinstance(part, Text):
            for text, signature in signed_parts(part.text, own):
                if text or signature:
                    yield _signed({"text": text}, signature)
        elif isinstance(part, CallPart):
            yield from ({"text": "", "thoughtSignature": before} for before in _texts(own.get("before")))
            call: dict[str, Any] = {"name": part.name, "args": to_data(part.arguments)}
            if isinstance(own.get("id"), str):
                call["id"] = own["id"]
            signature = own.get("thoughtSignature") or (UNSIGNED if unsigned and part is calls[0] else "")
            yield _signed({"functionCall": call}, signature)
            yield from ({"text": "", "thoughtSignature": after} for after in _texts(own.get("after")))


def _heard(first: Message, second: Message | None) -> Iterator[dict[str, Any]]:
    """Yield what the other side says: a response for every call, in the calls' order, then everything else."""
    calls = [part for part in first.parts if isinstance(part, CallPart)] if first.role == "assistant" else []
    rest = list(second.parts if second is not None else () if first.role == "assistant" else first.parts)
    for call in calls:
        result = next((part for part in rest if isinstance(part, ResultPart) and part.call_id == call.id), None)
        if result is not None:
            rest.remove(result)
        yield _response(call, result)
    for part in rest:
        if isinstance(part, ResultPart):  # its call is gone, so it can't be a response
            yield {"text": f"Result of {part.name}:\n{result_text(part.result)}"}
        elif isinstance(part, Text) and part.text:
            yield {"text": part.text}
        elif isinstance(part, Image):
            data = b64encode(part.data).decode("ascii")
            yield {"inlineData": {"mimeType": part.media_type, "data": data}}


def _response(call: CallPart, result: ResultPart | None) -> dict[str, Any]:
    failed = result is None or not result.result.success
    text = NO_RESULT if result is None else result_text(result.result)
    response: dict[str, Any] = {"name": call.name, "response": {"error" if failed else "output": text}}
    call_id = _own(call).get("id")
    if isinstance(call_id, str):
        response["id"] = call_id
    return {"functionResponse": response}


def _own(part: Part) -> Mapping[str, Any]:
    """Return what this provider put beside a part; what others did is theirs."""
    own = (part.provider_data or {}).get(NAME)
    return own if isinstance(own, Mapping) else {}


def _signed(part: dict[str, Any], signature: Any) -> dict[str, Any]:
    if isinstance(signature, str) and signature:
        part["thoughtSignature"] = signature
    return part


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, (list, tuple)) else []


def _declaration(spec: ToolSpec) -> dict[str, Any]:
    declaration: dict[str, Any] = {"name": spec.name, "description": spec.description or spec.name}
    taken = parameters(to_data(spec.input_schema))
    if taken is not None:
        declaration["parameters"] = taken
    return declaration


def _content(role: str, parts: Sequence[bytes]) -> bytes:
    return b'{"role":"' + role.encode("ascii") + b'","parts":[' + b",".join(parts) + b"]}"


def _encoded(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
