"""Request fields that a service refuses by name: left out or renamed, and remembered for its model.

A change is a text: `name` leaves a field out, `name=value` gives it another value, `name>other` renames it,
`name~one,other` takes the nearest of some efforts, and `a.b` is a field within a field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inarch import ProviderError
from inarch_plugins.openai.responses.families import ORDER, nearest

_LIMITS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""Output limit: it limits the costs, so it is renamed and never left out."""
_NAMED = {
    "stream_options": r"stream_options|include_usage",
    "reasoning_effort": r"reasoning_effort|reasoning\.effort|effort",
    "reasoning.effort": r"reasoning[._ ]effort|effort|'reasoning'",
    "reasoning.summary": r"reasoning[._ ]summar(?:y|ies)|summary",
    "include": r"include|encrypted.content is not",
    "response_format": r"response_format|json_schema|json_object|structured outputs?",
    **dict.fromkeys(
        ("parallel_tool_calls", "temperature", "top_p", "tool_choice", "prompt_cache_key", "store", "seed"), ""
    ),
}
"""Optional fields, and how a refusal names them if not by their name alone."""
_REFUSED = (
    r"unsupported|unknown|unrecognized|unexpected|deprecated|not (be )?(supported|permitted|allowed|accepted)"
    r"|(does not|doesn't|do not|don't) (support|accept|take|allow)|extra (fields|inputs)|instead|invalid (param|arg)"
)
_VALUES = r"supported values are:?\s*([^.]*)"


def refused(error: ProviderError, options: Mapping[str, Any]) -> list[str]:
    """Return the changes that a refusal asks for; none if it does not name a field, or has another cause."""
    if error.kind != "request" or error.status not in (400, 422) or "/v1/responses" in error.message:
        return []
    return list(_refused(error.message, options))


def changed(options: Mapping[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a request with some changes."""
    found = dict(options)
    for change in changes:
        name, equals, value = change.partition("=")
        name, _, other = name.partition(">")
        name, _, words = name.partition("~")
        outer, _, inner = name.partition(".")
        if outer not in found:
            continue
        if words:
            found |= _with_nearest(found, outer, inner, words.split(","))
        elif inner:
            found[outer] = _without(found[outer], inner)
            found = found if found[outer] else _without(found, outer)
        elif equals:
            found[name] = {"type": value} if name == "response_format" else value
        else:
            member = found.pop(name)
            found |= {other: member} if other else {}
    return found


def _refused(said: str, options: Mapping[str, Any]) -> Iterator[str]:
    for name, other in _LIMITS.items():
        if name in options and other not in options and _names(said, name) and re.search(_REFUSED, said, re.I):
            yield f"{name}>{other}"
    if "strict" in str(options.get("response_format")) and _names(said, r"strict"):
        yield "response_format.strict"
        return
    for name, pattern in _NAMED.items():
        value = _member(options, name)
        if value is not None and _names(said, pattern or name):
            yield _change(name, value, said)


def _change(name: str, value: Any, said: str) -> str:
    """Return the change that omits a field, or gives it another value."""
    if name == "response_format" and isinstance(value, Mapping) and value.get("type") == "json_schema":
        return "response_format=json_object"
    if name == "tool_choice" and value not in ("auto", "none"):
        return "tool_choice=auto"
    listed = re.search(_VALUES, said, re.I) if name.endswith("effort") else None
    words = [one for one in re.findall(r"\w+", listed[1] if listed else "") if one in ORDER]
    return f"{name}~{','.join(words)}" if words and value not in words else name


def _member(options: Mapping[str, Any], name: str) -> Any:
    outer, _, inner = name.partition(".")
    value = options.get(outer)
    return value.get(inner) if inner and isinstance(value, Mapping) else None if inner else value


def _with_nearest(options: Mapping[str, Any], outer: str, inner: str, words: Sequence[str]) -> dict[str, Any]:
    """Return a field with the nearest of the allowed efforts."""
    effort = _member(options, f"{outer}.{inner}" if inner else outer)
    word = nearest(effort, words) if effort in ORDER else words[0]
    return {outer: {**options[outer], inner: word} if inner else word}


def _names(said: str, pattern: str) -> bool:
    return re.search(rf"(?<![\w-])(?:{pattern})(?![\w-])", said, re.I) is not None


def _without(value: Any, name: str) -> Any:
    """Return a field without one within it, at any depth."""
    if not isinstance(value, Mapping):
        return value
    return {key: _without(inner, name) for key, inner in value.items() if key != name}
