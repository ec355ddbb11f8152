"""One exchange as the API wants it: a reply as the service made it, and an answer to each of its calls."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from inarch import CallPart, Image, Message, Part, Reasoning, ResultPart, Text, result_text, to_data

NAME = "gemini"
NO_RESULT = "no result of this call is known"
UNSIGNED = "skip_thought_signature_validator"
"""What the API's documentation says to put in place of a signature for calls that it did not make itself."""


@frozen
class Reader:
    """Who reads a conversation: the model and the address that signatures must be of.

    Args:
        model: The model's name.
        base_url: The service's address.
        wants_signatures: Whether calls without one get the placeholder, as models from Gemini 3 on want it.
        refused: Signatures that the service did not take.
    """

    model: str
    base_url: str = ""
    wants_signatures: bool = True
    refused: frozenset[str] = frozenset()

    def own(self, part: Part) -> Mapping[str, Any]:
        """Return what the service put beside a part, if this model made it there; others cannot read it."""
        own = _own(part)
        return own if (own.get("model"), own.get("base_url")) == (self.model, self.base_url) else {}

    def signature(self, part: Part) -> str:
        """Return a part's signature, "" if there is none that this model takes."""
        signature = self.own(part).get("signature")
        return signature if isinstance(signature, str) and signature not in self.refused else ""


def encode_exchange(first: Message, second: Message | None, reader: Reader) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of an exchange, each with its side; parts of one content are joined."""
    if first.role == "assistant":
        said = [encoded(part) for part in _said(first, reader)]
        if said:
            yield "model", b",".join(said)
    heard = [encoded(part) for part in _heard(first, second)]
    if heard:
        yield "user", b",".join(heard)


def signatures_of(message: Message) -> frozenset[str]:
    """Return all signatures beside a message's parts."""
    found = (_own(part).get("signature") for part in message.parts)
    return frozenset(signature for signature in found if isinstance(signature, str))


def _said(message: Message, reader: Reader) -> Iterator[dict[str, Any]]:
    """Yield the parts of a reply as the service sent them, or as it would have."""
    first_call = next((part for part in message.parts if isinstance(part, CallPart)), None)
    for part in message.parts:
        signature = reader.signature(part)
        if isinstance(part, Reasoning):
            # Thoughts are for people; the service has no use for them but where it signed them.
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


def _signed(part: dict[str, Any], signature: str) -> dict[str, Any]:
    return {**part, "thoughtSignature": signature} if signature else part


def encoded(data: Any) -> bytes:
    """Return JSON as it is sent."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
