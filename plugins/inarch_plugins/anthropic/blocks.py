"""One exchange in the API's form: a reply's blocks as they came, then a result for each of its calls."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from inarch import CallPart, Image, Message, Part, Reasoning, ResultPart, Text, result_text, to_data

NAME = "anthropic"
NO_RESULT = "no result of this call is known"
THOUGHTS = ("thinking", "redacted_thinking")
Block = dict[str, Any]
_TOOL_ID = re.compile(r"[a-zA-Z0-9_-]+")
_NOT_OF_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 128


def said_blocks(message: Message, left_out: frozenset[str] | None) -> Iterator[Block]:
    """Yield the blocks of a reply in their order, without thoughts of some signatures, or without any for None.

    A thought is signed together with everything before it. If redaction changed its text, it is left out. So is every
    thought of the reply after a changed text.
    """
    is_whole = True
    for part in message.parts:
        own = own_data(part)
        block: Block = to_data(own.get("block", {})) if own else {}
        if isinstance(part, CallPart):
            name = part.name if own is None else part.called or part.name  # a repaired name was signed unrepaired
            yield {**block, "type": "tool_use", "id": _call_id(part), "name": _name(name),
                   "input": to_data(part.arguments)}  # fmt: skip
        elif isinstance(part, Text):
            is_whole = is_whole and _is_unchanged(own, part.text) and bool(part.text.strip() or not part.text)
            if part.text.strip():  # the API refuses blank texts
                yield {**block, "type": "text", "text": part.text}
        elif isinstance(part, Reasoning) and own:
            if block.get("type") == "thinking":
                block["thinking"] = part.text
            if block.get("type") in THOUGHTS:
                is_whole = is_whole and _is_unchanged(own, part.text)
                if not is_whole or left_out is None or signature_of(block) in left_out:
                    is_whole = False
                    continue
            yield block


def result_blocks(reply: Message, results: Message | None) -> Iterator[Block]:
    """Yield a result for every call of a reply, in the calls' order.

    A result with pictures is a list of blocks (platform.claude.com, Handle tool calls, Nov 2026).
    """
    given = _results(results.parts if results is not None else ())
    for call in (part for part in reply.parts if isinstance(part, CallPart)):
        parts = given.pop(call.id, None)
        block: Block = {"type": "tool_result", "tool_use_id": _call_id(call)}
        if parts is None:
            yield {**block, "content": NO_RESULT, "is_error": True}
            continue
        result, *after = parts
        if isinstance(result, ResultPart):
            text, more = result_text(result.result), (*result.result.images, *after)
            content = [*_heard((Text(text), *more))] if more else text
            yield {**block, "content": content} | ({} if result.result.success else {"is_error": True})
    for parts in given.values():  # their calls are gone, so they cannot be results
        yield from _heard(parts)


def user_blocks(message: Message) -> Iterator[Block]:
    """Yield a person's message, or any other not from the model: only some models accept other roles."""
    return _heard(message.parts)


def own_data(part: Part) -> Mapping[str, Any] | None:
    """Return this provider's data in a part, without that of others."""
    own = (part.provider_data or {}).get(NAME)
    return own if isinstance(own, Mapping) else None


def signature_of(block: Mapping[str, Any]) -> str:
    """Return the service's identifier of a thought."""
    return str(block.get("signature") or block.get("data") or "")


def fingerprint(text: str) -> str:
    """Return a short hash of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def encoded(data: Any) -> bytes:
    """Return JSON in wire form; a lone surrogate has no UTF-8."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _results(parts: Sequence[Part]) -> dict[str, list[Part]]:
    """Return results by the id of their call, each with the parts that follow it."""
    last: list[Part] = []
    found = {"": last}
    for part in parts:
        if isinstance(part, ResultPart) and part.call_id not in found:
            last = found[part.call_id] = []
        last.append(part)
    return found


def _heard(parts: Sequence[Part]) -> Iterator[Block]:
    for part in parts:
        if isinstance(part, ResultPart):
            yield {"type": "text", "text": f"Result of {part.name}:\n{result_text(part.result)}"}
            yield from _heard(part.result.images)
        elif isinstance(part, Text) and part.text.strip():
            yield {"type": "text", "text": part.text}
        elif isinstance(part, Image):
            data = b64encode(part.data).decode("ascii")
            yield {"type": "image", "source": {"type": "base64", "media_type": part.media_type, "data": data}}


def _call_id(call: CallPart) -> str:
    """Return the service's id of its own call; ids of others may have another form, or be duplicates."""
    is_own = own_data(call) is not None and _TOOL_ID.fullmatch(call.provider_id)
    return call.provider_id if is_own else call.id


def _name(name: str) -> str:
    """Return a tool's name in the API's form: with other services, models may invent any name."""
    return _NOT_OF_NAMES.sub("_", name)[:_LONGEST_NAME] or "_"


def _is_unchanged(own: Mapping[str, Any] | None, text: str) -> bool:
    return own is None or "hash" not in own or own["hash"] == fingerprint(text)
