"""Items of a response as the events that stream them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def response(number: int, model: str, items: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return a response object."""
    return {
        "id": f"resp_{number}", "object": "response", "created_at": 1, "status": "completed", "model": model,
        "output": items, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None,
        "incomplete_details": None, "instructions": None, "metadata": {}, "temperature": 1.0, "top_p": 1.0, **more,
    }  # fmt: skip


def stream(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of a response, numbered."""
    begun = {**whole, "output": [], "status": "in_progress", "usage": None, "error": None, "incomplete_details": None}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(whole["output"]):
        events += ({**event, "output_index": index} for event in _events(item))
    events.append({"type": f"response.{whole['status']}", "response": whole})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _events(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    name, kind = {"item_id": item["id"]}, item["type"]
    empty: dict[str, dict[str, Any]] = {
        "message": {"content": []},
        "function_call": {"arguments": ""},
        "reasoning": {"summary": []},
    }
    busy = {"status": "in_progress"} if "status" in item else {}
    yield {"type": "response.output_item.added", "item": {**item, **empty.get(kind, {}), **busy}}
    if kind == "message":
        for at, part in enumerate(item["content"]):
            yield from _content({**name, "content_index": at}, part)
    elif kind == "reasoning":
        for at, part in enumerate(item["summary"]):
            place = {**name, "summary_index": at}
            yield {"type": "response.reasoning_summary_part.added", **place, "part": {**part, "text": ""}}
            for piece in _pieces(part["text"]):
                yield {"type": "response.reasoning_summary_text.delta", **place, "delta": piece}
            yield {"type": "response.reasoning_summary_text.done", **place, "text": part["text"]}
            yield {"type": "response.reasoning_summary_part.done", **place, "part": part}
    elif kind == "function_call":
        for piece in _pieces(item["arguments"]):
            yield {"type": "response.function_call_arguments.delta", **name, "delta": piece}
        done = {"arguments": item["arguments"], "name": item["name"]}
        yield {"type": "response.function_call_arguments.done", **name, **done}
    yield {"type": "response.output_item.done", "item": item}


def _content(place: dict[str, Any], part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    is_refusal = part["type"] == "refusal"
    key, kind = ("refusal", "response.refusal") if is_refusal else ("text", "response.output_text")
    more: dict[str, Any] = {} if is_refusal else {"logprobs": []}
    yield {"type": "response.content_part.added", **place, "part": {**part, key: ""}}
    for piece in _pieces(part[key]):
        yield {"type": f"{kind}.delta", **place, "delta": piece, **more}
    yield {"type": f"{kind}.done", **place, key: part[key], **more}
    yield {"type": "response.content_part.done", **place, "part": part}


def _pieces(text: str) -> list[str]:
    return [text[start : start + 7] for start in range(0, len(text), 7)]
