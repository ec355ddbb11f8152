"""A tool's result as the protocol has it, as Inarch's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import inarch

LONGEST_ERROR = 4_000


def data_of(result: Mapping[str, Any]) -> Any:
    """Return the data of a result: the structured content if there is any, else its texts.

    A text that is one JSON object or list becomes it. Pictures, sounds and files are told, not shown.

    Raises:
        inarch.ToolFailed: The tool failed.
    """
    texts = list(_texts(result.get("content") or ()))
    text = "\n".join(texts)
    if result.get("isError"):
        said = text[:LONGEST_ERROR].strip() or "it failed without saying why"
        raise inarch.ToolFailed("execution", said, "this is the server's own error: see what it asks for")
    if "structuredContent" in result:
        return result["structuredContent"]
    if len(texts) == 1 and text[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _texts(content: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for item in content:
        kind = item.get("type")
        if kind == "text":
            yield str(item.get("text", ""))
        elif kind in ("image", "audio"):
            size = len(str(item.get("data", ""))) * 3 // 4
            yield f"[{kind} {item.get('mimeType', '')}, {size:,} bytes, not shown]"
        elif kind == "resource":
            yield _resource(item.get("resource") or {})
        elif kind == "resource_link":
            said = ": ".join(str(item[key]) for key in ("name", "description") if item.get(key))
            yield f"[resource {item.get('uri', '')} {said}]"
        else:
            yield f"[content of type {kind}, not shown]"


def _resource(resource: Mapping[str, Any]) -> str:
    if isinstance(resource.get("text"), str):
        return f"[resource {resource.get('uri', '')}]\n{resource['text']}"
    size = len(str(resource.get("blob", ""))) * 3 // 4
    return f"[resource {resource.get('uri', '')} {resource.get('mimeType', '')}, {size:,} bytes, not shown]"
