"""Events to spans: `invoke_agent` for a turn, and in it `chat` for each request and `execute_tool` for each call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, set_span_in_context

import inarch
from inarch_otel import conventions

MOST_OPEN = 1000
"""Turns, requests and calls of a turn that wait for their end; beyond that the oldest is given up."""

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
    """Makes the spans of any number of turns at once. Times are those of the events."""

    def __init__(self, provider: TracerProvider, content: bool) -> None:
        self._tracer = provider.get_tracer("inarch-otel", "1.0")
        self._content = content
        self._turns: dict[str, _Turn] = {}
        self._prompts: dict[str, str] = {}
        self._profiles: dict[str, str] = {}

    def take(self, event: inarch.Event) -> None:
        """Begin or end spans, or note what happened in one."""
        if event.kind == "session.started":
            self._profiles[event.session_id] = event.data.get("profile", "")
        elif event.kind == "turn.started":
            self._turn_started(event, event.data["turn"])
        elif (turn := self._turns.get(event.turn_id or "")) is not None:
            self._take_of_turn(turn, event)

    def end(self) -> None:
        """End the spans of turns that did not come to an end."""
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
            if data.get("call"):  # the first one of a call, and where its arguments changed
                turn.calls.pop(data["call_id"], None)
                _bounded(turn.calls, data["call_id"], event)
        elif event.kind == "approval.given":
            _bounded(turn.approvals, data["call_id"], data)
        elif event.kind == "call.result":
            self._called(turn, event, data)
        elif event.kind == "turn.ended":
            self._turn_ended(turn, event, data)
        else:
            turn.span.add_event(f"inarch.{event.kind}", self._remark(data), conventions.nanoseconds(event.time))

    def _turn_started(self, event: inarch.Event, turn: Mapping[str, Any]) -> None:
        if turn["type"] != "agent":
            if self._content:
                _bounded(self._prompts, turn["id"], turn["content"])
            return
        provider, model = conventions.provider_and_model(turn.get("model", ""))
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
            attributes["gen_ai.input.messages"] = conventions.message("user", [{"type": "text", "text": prompt}])
        start = conventions.nanoseconds(event.time)
        # A turn is a trace of its own, whatever span is current in a program that uses Inarch as a library.
        span = self._tracer.start_span("invoke_agent inarch", Context(), attributes=attributes, start_time=start)
        _bounded(self._turns, turn["id"], _Turn(span, event.session_id, set_span_in_context(span, Context())))

    def _turn_ended(self, turn: _Turn, event: inarch.Event, data: Mapping[str, Any]) -> None:
        record, span = data["turn"], turn.span
        self._turns.pop(record["id"], None)
        span.set_attribute("inarch.turn.status", record["status"])
        if record.get("limit"):
            span.set_attribute("inarch.turn.limit", record["limit"])
        span.set_attributes(conventions.usage_attributes(record.get("usage") or {}))
        if self._content and record.get("content"):
            parts = [{"type": "text", "text": record["content"]}]
            span.set_attribute("gen_ai.output.messages", conventions.message("assistant", parts, "stop"))
        if record["status"] in ("failed", "cancelled"):
            self._fail(span, record["status"], record.get("error") or "")
        span.end(conventions.nanoseconds(event.time))

    def _replied(self, turn: _Turn, event: inarch.Event, data: Mapping[str, Any]) -> None:
        key = (data["model"], data["purpose"], data.get("plugin", ""))
        asked = turn.requests.get(key) or []
        request = asked.pop(0) if asked else event
        provider, model = conventions.provider_and_model(data["model"])
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
            "gen_ai.conversation.id": turn.session_id,
            "gen_ai.response.finish_reasons": [conventions.finish_reason(data["finish"])],
            "inarch.purpose": data["purpose"],
            "inarch.attempt": request.data.get("attempt", 1),
            **conventions.usage_attributes(data.get("usage") or {}),
        }
        if data.get("plugin"):
            attributes["inarch.plugin"] = data["plugin"]
        if self._content:
            parts = data["message"]["parts"]
            attributes["gen_ai.output.messages"] = conventions.message("assistant", parts, data["finish"])
        start = conventions.nanoseconds(request.time)
        span = self._tracer.start_span(f"chat {model}", turn.context, SpanKind.CLIENT, attributes, start_time=start)
        if data.get("error"):
            self._fail(span, data["error"], "")
        span.end(conventions.nanoseconds(event.time))

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
            attributes["gen_ai.tool.call.arguments"] = conventions.text_of(call.get("arguments", {}))
            attributes["gen_ai.tool.call.result"] = conventions.text_of(result.get("data"))
        start = conventions.nanoseconds(data.get("started") or state.time)
        name = f"execute_tool {data['name']}"
        span = self._tracer.start_span(name, turn.context, SpanKind.INTERNAL, attributes, start_time=start)
        error = result.get("error")
        if error:
            self._fail(span, error["code"], error["message"])
        span.end(conventions.nanoseconds(data.get("ended") or event.time))

    def _fail(self, span: Span, kind: str, message: str) -> None:
        span.set_attribute("error.type", kind)
        span.set_status(Status(StatusCode.ERROR, conventions.cut(message) if self._content else None))

    def _remark(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return what may be told of an event: with content all that is plain, else Inarch's own words and numbers."""
        return {
            name: conventions.cut(value) if isinstance(value, str) else value
            for name, value in data.items()
            if isinstance(value, (str, int, float)) and (self._content or name in _SAFE)
        }


def _bounded(kept: dict[Any, Any], key: Any, value: Any) -> Any:
    """Keep the first value of a key and return it; the oldest key goes where there are too many."""
    if key not in kept and len(kept) >= MOST_OPEN:
        kept.pop(next(iter(kept)))
    return kept.setdefault(key, value)
