"""Conversion of events to spans: `invoke_agent` for a turn, with `chat` and `execute_tool` inside."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from attrs import define, field
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, set_span_in_context

import inarch

LONGEST_TEXT = 20_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PROVIDERS = {
    "gemini": "gcp.gemini", "vertex_ai": "gcp.vertex_ai", "bedrock": "aws.bedrock", "azure": "azure.ai.openai",
    "mistral": "mistral_ai", "xai": "x_ai", "watsonx": "ibm.watsonx.ai", "moonshot": "moonshot_ai",
}  # fmt: skip
_FINISHES = {"calls": "tool_call", "filtered": "content_filter"}


def nanoseconds(time: str) -> int:
    """Convert an event's time to OpenTelemetry's nanoseconds."""
    return (datetime.fromisoformat(time) - _EPOCH) // timedelta(microseconds=1) * 1000


def provider_and_model(full_name: str) -> tuple[str, str]:
    """Split `PROVIDER/NAME`; for LiteLLM's names the provider is the service."""
    provider, _, model = full_name.partition("/")
    if provider == "litellm" and "/" in model:
        provider, _, model = model.partition("/")
    return _PROVIDERS.get(provider, provider or "unknown"), model or provider


def finish_reason(finish: str) -> str:
    """Return the finish reason in the terms of OpenTelemetry's conventions."""
    return _FINISHES.get(finish, finish)


def usage_attributes(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return the usage as attributes; omit unknown values."""
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
    """Return arguments or a result as JSON text, cut to the size that viewers accept."""
    return cut(json.dumps(value))


def cut(text: str) -> str:
    """Return the text, cut if it is too long."""
    whole = text.encode("utf-8", "replace").decode()  # half of a surrogate pair cannot be sent
    return whole if len(whole) <= LONGEST_TEXT else whole[: LONGEST_TEXT - 1] + "…"


MOST_OPEN = 1000
"""Maximum open turns, requests and calls; beyond that the oldest is dropped."""

_SAFE = frozenset(
    {
        "strategy", "decision", "confidence", "cached", "old", "new", "model", "seconds", "plugin", "door", "call_id",
    }
)  # fmt: skip


@define(eq=False)
class _Turn:
    span: Span
    session_id: str
    context: Context
    requests: dict[tuple[str, str, str], list[inarch.Event]] = field(factory=dict)
    calls: dict[str, inarch.Event] = field(factory=dict)
    approvals: dict[str, Mapping[str, Any]] = field(factory=dict)


class Spans:
    """Builder of spans for any number of concurrent turns. Times are those of the events."""

    def __init__(self, provider: TracerProvider, content: bool) -> None:
        self._tracer = provider.get_tracer("inarch-otel", "1.0")
        self._content = content
        self._turns: dict[str, _Turn] = {}
        self._prompts: dict[str, str] = {}
        self._profiles: dict[str, str] = {}

    def take(self, event: inarch.Event) -> None:
        """Start or end spans, or record an event in one."""
        if event.kind == "session.started":
            self._profiles[event.session_id] = event.data.get("profile", "")
        elif event.kind == "turn.started":
            self._turn_started(event, event.data["turn"])
        elif (turn := self._turns.get(event.turn_id or "")) is not None:
            self._take_of_turn(turn, event)

    def end(self) -> None:
        """End the spans of unfinished turns."""
        for turn in self._turns.values():
            turn.span.set_status(Status(StatusCode.ERROR, "interrupted"))
            turn.span.end()
        self._turns.clear()

    def _take_of_turn(self, turn: _Turn, event: inarch.Event) -> None:
        data = event.data
        if event.kind == "model.requested":
            _bounded(turn.requests, (data["model"], data["purpose"], data.get("plugin", "")), []).append(event)
        elif event.kind == "model.replied":
            self._replied(turn, event, data)
        elif event.kind == "call.state":
            if data.get("call"):  # the first event of a call, and one when its arguments changed
                turn.calls.pop(data["call_id"], None)
                _bounded(turn.calls, data["call_id"], event)
        elif event.kind == "approval.given":
            _bounded(turn.approvals, data["call_id"], data)
        elif event.kind == "call.result":
            self._called(turn, event, data)
        elif event.kind == "turn.ended":
            self._turn_ended(turn, event, data)
        else:
            turn.span.add_event(f"inarch.{event.kind}", self._remark(data), nanoseconds(event.time))

    def _turn_started(self, event: inarch.Event, turn: Mapping[str, Any]) -> None:
        if turn["type"] != "agent":
            if self._content:
                _bounded(self._prompts, turn["id"], turn["content"])
            return
        provider, model = provider_and_model(turn.get("model", ""))
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": provider,
            "gen_ai.agent.name": "inarch",
            "gen_ai.agent.version": inarch.__version__,
            "gen_ai.conversation.id": event.session_id,
            "gen_ai.request.model": model,
            "inarch.turn.id": turn["id"],
            "inarch.turn.parent_id": turn.get("parent_id") or "",
            "inarch.profile": self._profiles.get(event.session_id, ""),
        }
        prompt = self._prompts.pop(turn.get("parent_id") or "", None)
        if prompt is not None:
            attributes["gen_ai.input.messages"] = message("user", [{"type": "text", "text": prompt}])
        start = nanoseconds(event.time)
        # A turn is its own trace, even if a program that uses Inarch as a library has a current span.
        span = self._tracer.start_span("invoke_agent inarch", Context(), attributes=attributes, start_time=start)
        _bounded(self._turns, turn["id"], _Turn(span, event.session_id, set_span_in_context(span, Context())))

    def _turn_ended(self, turn: _Turn, event: inarch.Event, data: Mapping[str, Any]) -> None:
        record, span = data["turn"], turn.span
        self._turns.pop(record["id"], None)
        span.set_attribute("inarch.turn.status", record["status"])
        if record.get("limit"):
            span.set_attribute("inarch.turn.limit", record["limit"])
        span.set_attributes(usage_attributes(record.get("usage") or {}))
        if self._content and record.get("content"):
            parts = [{"type": "text", "text": record["content"]}]
            span.set_attribute("gen_ai.output.messages", message("assistant", parts, "stop"))
        if record["status"] in ("failed", "cancelled"):
            self._fail(span, record["status"], record.get("error") or "")
        span.end(nanoseconds(event.time))

    def _replied(self, turn: _Turn, event: inarch.Event, data: Mapping[str, Any]) -> None:
        key = (data["model"], data["purpose"], data.get("plugin", ""))
        asked = turn.requests.get(key) or []
        request = asked.pop(0) if asked else event
        provider, model = provider_and_model(data["model"])
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
            "gen_ai.conversation.id": turn.session_id,
            "gen_ai.response.finish_reasons": [finish_reason(data["finish"])],
            "inarch.purpose": data["purpose"],
            "inarch.attempt": request.data.get("attempt", 1),
            **usage_attributes(data.get("usage") or {}),
        }
        if data.get("plugin"):
            attributes["inarch.plugin"] = data["plugin"]
        if self._content:
            parts = data["message"]["parts"]
            attributes["gen_ai.output.messages"] = message("assistant", parts, data["finish"])
        start = nanoseconds(request.time)
        span = self._tracer.start_span(f"chat {model}", turn.context, SpanKind.CLIENT, attributes, start_time=start)
        if data.get("error"):
            self._fail(span, data["error"], "")
        span.end(nanoseconds(event.time))

    def _called(self, turn: _Turn, event: inarch.Event, data: Mapping[str, Any]) -> None:
        state = turn.calls.pop(data["call_id"], event)
        approval = turn.approvals.pop(data["call_id"], {})
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": data["name"],
            "gen_ai.tool.call.id": data["call_id"],
            "gen_ai.tool.type": "function",
            "gen_ai.conversation.id": turn.session_id,
            "inarch.call.status": data["status"],
            **{f"inarch.approval.{name}": approval[name] for name in ("outcome", "scope", "by") if name in approval},
        }
        result, call = data["result"], state.data.get("call") or {}
        if self._content:
            attributes["gen_ai.tool.call.arguments"] = text_of(call.get("arguments", {}))
            attributes["gen_ai.tool.call.result"] = text_of(result.get("data"))
        start = nanoseconds(data.get("started") or state.time)
        name = f"execute_tool {data['name']}"
        span = self._tracer.start_span(name, turn.context, SpanKind.INTERNAL, attributes, start_time=start)
        error = result.get("error")
        if error:
            self._fail(span, error["code"], error["message"])
        span.end(nanoseconds(data.get("ended") or event.time))

    def _fail(self, span: Span, kind: str, message: str) -> None:
        span.set_attribute("error.type", kind)
        span.set_status(Status(StatusCode.ERROR, cut(message) if self._content else None))

    def _remark(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the event data that may be sent: all plain values with `content`, else only Inarch's own values."""
        return {
            name: cut(value) if isinstance(value, str) else value
            for name, value in data.items()
            if isinstance(value, (str, int, float)) and (self._content or name in _SAFE)
        }


def _bounded(kept: dict[Any, Any], key: Any, value: Any) -> Any:
    """Store the first value of a key and return it; drop the oldest key if there are too many."""
    if key not in kept and len(kept) >= MOST_OPEN:
        kept.pop(next(iter(kept)))
    return kept.setdefault(key, value)
