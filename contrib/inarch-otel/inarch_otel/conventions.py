"""The words of the semantic conventions for generative AI (1.41), and what of Inarch they stand for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

LONGEST_TEXT = 20_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PROVIDERS = {
    "gemini": "gcp.gemini", "vertex_ai": "gcp.vertex_ai", "bedrock": "aws.bedrock", "azure": "azure.ai.openai",
    "mistral": "mistral_ai", "xai": "x_ai", "watsonx": "ibm.watsonx.ai", "moonshot": "moonshot_ai",
}  # fmt: skip
_FINISHES = {"calls": "tool_call", "filtered": "content_filter"}


def nanoseconds(time: str) -> int:
    """Return an event's time as OpenTelemetry counts it."""
    return (datetime.fromisoformat(time) - _EPOCH) // timedelta(microseconds=1) * 1000


def provider_and_model(full_name: str) -> tuple[str, str]:
    """Split `PROVIDER/NAME`; of LiteLLM's names the service is the provider."""
    provider, _, model = full_name.partition("/")
    if provider == "litellm" and "/" in model:
        provider, _, model = model.partition("/")
    return _PROVIDERS.get(provider, provider or "unknown"), model or provider


def finish_reason(finish: str) -> str:
    """Return the conventions' word for how a reply ended."""
    return _FINISHES.get(finish, finish)


def usage_attributes(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was used; what is unknown is left out."""
    cost = usage.get("cost_usd")
    found = {
        "gen_ai.usage.input_tokens": usage.get("input_tokens"),
        "gen_ai.usage.output_tokens": usage.get("output_tokens"),
        "gen_ai.usage.cache_read.input_tokens": usage.get("cached_tokens") or None,
        "gen_ai.usage.reasoning.output_tokens": usage.get("reasoning_tokens") or None,
        "inarch.cost_usd": None if cost is None else float(cost),
        "inarch.usage_estimated": usage.get("estimated") or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def message(role: str, parts: Sequence[Mapping[str, Any]], finish: str | None = None) -> str:
    """Return one message as the JSON text of the conventions."""
    said: dict[str, Any] = {"role": role, "parts": [_part(part) for part in parts]}
    if finish is not None:
        said["finish_reason"] = finish_reason(finish)
    return json.dumps([said])


def _part(part: Mapping[str, Any]) -> dict[str, Any]:
    if part.get("type") == "call":
        return {"type": "tool_call", "id": part["id"], "name": part["name"], "arguments": part["arguments"]}
    return {"type": part.get("type", "text"), "content": cut(str(part.get("text", "")))}


def text_of(value: Any) -> str:
    """Return arguments or a result as JSON text, cut to what a viewer can take."""
    return cut(json.dumps(value))


def cut(text: str) -> str:
    """Return the text, or its beginning if it is too long."""
    whole = text.encode("utf-8", "replace").decode()  # half characters can't be sent
    return whole if len(whole) <= LONGEST_TEXT else whole[: LONGEST_TEXT - 1] + "…"
