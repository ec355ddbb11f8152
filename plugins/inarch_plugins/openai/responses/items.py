"""Conversion between wire items and parts of a message: received items go back unchanged.

A part holds the text of its item, its opaque data the rest. If the text has changed since, because a secret was
redacted, the changed text goes back.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from inarch import CallPart, Image, Message, Part, Reasoning, ResultPart, Text, result_text, to_data

OPAQUE = "responses"
"""Key of this wire in a part's data; `openai-compatible` stores that of chat completions beside it."""
GAP = "\n\n"
"""Separator for the reader between two items, and between two sections of a thought."""
_WORDS = {"message": "content", "reasoning": "summary"}


@frozen
class Origin:
    """Maker of an item: what one service or company encrypted is unreadable to others."""

    address: str
    model: str
    any_model: bool

    def made(self, opaque: Mapping[str, Any]) -> bool:
        """Return whether an item may go back."""
        return opaque.get("at") == self.address and (self.any_model or opaque.get("model") == self.model)


def words_of(item: Mapping[str, Any]) -> str:
    """Return the text of a message or of reasoning for the reader."""
    texts = filter(None, map(_text, _sections(item)))
    return (GAP if item.get("type") == "reasoning" else "").join(texts)


def opaque_of(item: Mapping[str, Any], origin: Origin, lead: int = 0) -> dict[str, Any]:
    """Return the data of an item's part: the item without the text in the part."""
    rest, more = dict(item), dict[str, Any]()
    kind = item.get("type")
    if kind == "function_call":
        for name in ("name", "call_id"):
            rest.pop(name, None)
        if _is_compact(item.get("arguments")):
            del rest["arguments"]
    elif kind in _WORDS:
        member = _member(item)
        sections = _sections(item)
        more["lengths"] = [len(_text(entry)) for entry in sections]
        rest[member] = [{key: value for key, value in entry.items() if key != _key(entry)} for entry in sections]
    if lead:
        more["lead"] = lead
    return {OPAQUE: {"model": origin.model, "at": origin.address, "item": rest, **more}}


def items_of(message: Message, provider: str, origin: Origin) -> Iterator[dict[str, Any]]:
    """Yield a message's items. A message always gives the same items, whatever is before or after it."""
    if message.role == "tool":
        for part in message.parts:
            if isinstance(part, ResultPart):
                call_id = part.provider_id or part.call_id
                # A list if there are pictures: openai 3.57.0, FunctionCallOutput (Nov 2026).
                output = content_of((Text(result_text(part.result)), *part.result.images))
                yield {"type": "function_call_output", "call_id": call_id, "output": output}
    elif message.role == "assistant":
        items = [item for part in message.parts if (item := _item(part, provider, origin)) is not None]
        while items and items[-1]["type"] == "reasoning":
            items.pop()  # a thought without the item that followed it is refused (OpenAI, as of Nov 2026)
        yield from items
    else:
        yield {"type": "message", "role": message.role, "content": content_of(message.parts)}


def content_of(parts: Sequence[Part]) -> str | list[dict[str, Any]]:
    """Return the content of a user's message or of a result: a text, or a list if there are pictures."""
    if not any(isinstance(part, Image) for part in parts):
        return "\n\n".join(part.text for part in parts if isinstance(part, Text))
    content: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, Text):
            content.append({"type": "input_text", "text": part.text})
        elif isinstance(part, Image):
            url = f"data:{part.media_type};base64,{b64encode(part.data).decode('ascii')}"
            content.append({"type": "input_image", "image_url": url, "detail": "auto"})
    return content


def _item(part: Part, provider: str, origin: Origin) -> dict[str, Any] | None:
    own = (part.provider_data or {}).get(provider)
    opaque = own.get(OPAQUE) if isinstance(own, Mapping) else None
    known = opaque if isinstance(opaque, Mapping) and origin.made(opaque) else {}
    item: dict[str, Any] = dict(to_data(known.get("item", {})))
    if isinstance(part, CallPart):
        return _call(part, item)
    if not isinstance(part, (Text, Reasoning)):
        return None
    if not item:
        if isinstance(part, Reasoning) or not part.text:
            return None
        return {"type": "message", "role": "assistant", "content": part.text}
    if item.get("type") in _WORDS:
        member = _member(item)
        gap = GAP if item["type"] == "reasoning" else ""
        item[member] = _with_words(item[member], known.get("lengths", ()), part.text[known.get("lead", 0) :], gap)
    return item


def _call(part: CallPart, item: dict[str, Any]) -> dict[str, Any]:
    """Return a call; its arguments are the received text if that still says the same."""
    arguments = item.get("arguments")
    if arguments is None or json.loads(arguments) != to_data(part.arguments):
        arguments = compact(to_data(part.arguments))
    call_id = part.provider_id or part.id
    return {**item, "type": "function_call", "call_id": call_id, "name": part.name, "arguments": arguments}


def _with_words(entries: list[dict[str, Any]], lengths: Sequence[int], words: str, gap: str) -> list[dict[str, Any]]:
    """Return the sections of an item with their texts; text that no longer fits them is one section."""
    if sum(lengths) + len(gap) * max(sum(map(bool, lengths)) - 1, 0) != len(words):
        return [{**entries[0], _key(entries[0]): words}] if entries else []
    found, start = [], 0
    for entry, length in zip(entries, lengths, strict=True):
        found.append({**entry, _key(entry): words[start : start + length]})
        start += length + (len(gap) if length else 0)
    return found


def _sections(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the entries of an item that have words."""
    entries = item.get(_member(item))
    return [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []


def _member(item: Mapping[str, Any]) -> str:
    """Return the key of the text: open models send their thoughts themselves, not a summary."""
    kind = str(item.get("type"))
    return "content" if kind == "reasoning" and item.get("content") else _WORDS.get(kind, "")


def _key(entry: Mapping[str, Any]) -> str:
    return "refusal" if entry.get("type") == "refusal" else "text"


def _text(entry: Mapping[str, Any]) -> str:
    text = entry.get(_key(entry))
    return text if isinstance(text, str) else ""


def _is_compact(arguments: Any) -> bool:
    """Return whether the text of a call's arguments is the one that encoding gives again."""
    try:
        return isinstance(arguments, str) and compact(json.loads(arguments)) == arguments
    except (ValueError, RecursionError):
        return True  # the reply fails for it


def compact(data: Any) -> str:
    """Return JSON as models write it, without spaces."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
