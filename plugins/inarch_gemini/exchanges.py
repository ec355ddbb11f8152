"""One exchange as the API wants it: a reply as the service made it, and an answer to each of its calls."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inarch import CallPart, Image, Message, Part, Reasoning, ResultPart, Text, result_text, to_data
from inarch_gemini.signatures import signed_parts

NAME = "gemini"
NO_RESULT = "no result of this call is known"
UNSIGNED = "skip_thought_signature_validator"
"""What the API's documentation says to put in place of a signature for calls that it did not make itself."""


def encode_exchange(first: Message, second: Message | None, foreign: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of an exchange, each with its side; parts of one content are joined."""
    if first.role == "assistant":
        said = [encoded(part) for part in _said(first, foreign)]
        if said:
            yield "model", b",".join(said)
    heard = [encoded(part) for part in _heard(first, second)]
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


def joined(pieces: Iterable[bytes]) -> bytes:
    """Return members of a list without those that are empty."""
    return b",".join(filter(None, pieces))


def encoded(data: Any) -> bytes:
    """Return JSON as it is sent."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
