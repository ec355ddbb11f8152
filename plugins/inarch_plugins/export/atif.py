"""Session as a trajectory in ATIF 1.8, the format of Harbor and of training on its runs.

A step of the agent is a request with the calls of its reply, and their results. A strategy's call or answer without a
model is a step without a request. Harbor's models of the format are its specification:
https://github.com/laude-institute/harbor (`harbor.models.trajectories`), version 0.25.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from attrs import define, field

from inarch.transcripts import Call, Data, Exchange, Remark, Request, Step, Transcript
from inarch_plugins.export.overview import Overview, overview_of
from inarch_plugins.export.remarks import exchanges_of, headline_of
from inarch_plugins.export.words import amount_of, as_json, count_of, left_out

VERSION = "ATIF-v1.8"
SUFFIX = ".atif.json"
_BY_A_PERSON = frozenset({"user", "slash", "mention"})


def document(session: Transcript) -> Iterator[str]:
    """Yield the JSON piece by piece; takes two passes over the session."""
    overview = overview_of(session)
    head = {"schema_version": VERSION, "session_id": overview.session_id, "trajectory_id": overview.session_id,
            "agent": _agent(overview)}  # fmt: skip
    yield f'{as_step(head)[:-1]}, "steps": ['
    number = 0
    for exchange in exchanges_of(session):
        copied = {"is_copied_context": True} if exchange.number <= overview.forked_at and overview.forked_at else {}
        for step in Steps(exchange).all():
            number += 1
            yield f"{',' if number > 1 else ''}\n{as_step({'step_id': number, **step, **copied})}"
    if not number:  # the format requires at least one
        number = 1
        yield f"\n{as_step({'step_id': 1, 'source': 'system', 'message': 'Nothing has happened in this session yet.'})}"
    tail: dict[str, Any] = {"final_metrics": _totals(overview, number)}
    if overview.forked_from:
        tail["extra"] = {"forked_from": overview.forked_from, "forked_at": overview.forked_at}
    yield f"\n], {as_step(tail)[1:]}\n"


@define(eq=False)
class Steps:
    """Steps of an exchange. `open` is the agent's step that may get more calls; `held` come after it."""

    exchange: Exchange
    open: dict[str, Any] | None = None
    held: list[dict[str, Any]] = field(factory=list)
    children: dict[str, list[str]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.children = {}
        for step in (*self.exchange.steps, *self.exchange.later):
            if isinstance(step, Remark) and step.kind == "child.started":
                child = str(step.data.get("session_id") or "")
                self.children.setdefault(str(step.data.get("call_id")), []).append(child)

    def all(self) -> Iterator[dict[str, Any]]:
        """Yield the steps in their order."""
        exchange = self.exchange
        if exchange.prompt is not None:
            told = {"pictures": exchange.pictures, "mode": exchange.mode if exchange.mode != "text" else ""}
            extra = {name: value for name, value in told.items() if value}
            more = {"extra": extra} if extra else {}
            yield {**_at(exchange.prompted), "source": "user", "message": exchange.prompt, **more}
        for step in exchange.steps:
            yield from self._taken(step)
        yield from self._closed()
        yield from _ending(exchange)
        for step in exchange.later:
            yield from self._taken(step)
        yield from self._closed()

    def _taken(self, step: Step) -> Iterator[dict[str, Any]]:
        if isinstance(step, Call):
            yield from self._called(step)
        elif isinstance(step, Request) and step.purpose == "turn":
            yield from self._closed()
            self.open = _request(step)
        else:
            one = _request(step) if isinstance(step, Request) else _remark(step)
            if self.open is None:
                yield one
            else:  # a check between two calls of a reply: the calls stay in one step
                self.held.append(one)

    def _called(self, call: Call) -> Iterator[dict[str, Any]]:
        if call.origin in _BY_A_PERSON:  # a person's command is not an action of the agent
            yield from self._closed()
            said = f"{call.name} {as_json(dict(call.arguments))}"
            result = {"results": [_result(call)]}
            yield {**_at(call.seen), "source": "user", "message": said, "observation": result}
            return
        asked = self.open is not None and "model_name" in self.open
        if self.open is None or asked != (call.origin == "model"):
            yield from self._closed()
            self.open = {**_at(call.seen), "source": "agent", "message": "", "llm_call_count": 0}
        self.open.setdefault("tool_calls", []).append(_call(call))
        results = self.open.setdefault("observation", {"results": []})["results"]
        refs = [{"trajectory_path": f"session-{child[:13]}{SUFFIX}", "session_id": child}
                for child in self.children.get(call.id, ())]  # fmt: skip
        found = {"subagent_trajectory_ref": refs} if refs else {}
        results.append({"source_call_id": call.id, **_result(call), **found})

    def _closed(self) -> Iterator[dict[str, Any]]:
        if self.open is not None:
            yield self.open
        yield from self.held
        self.open, self.held = None, []


def _request(request: Request) -> dict[str, Any]:
    is_another = bool(request.answered_by) and not f"/{request.model}".endswith(f"/{request.answered_by}")
    # The format wants the used model here, and the usual model in the agent (RFC 0001, Oct 2025).
    used = f"{request.model.partition('/')[0]}/{request.answered_by}" if is_another else request.model
    step: dict[str, Any] = {**_at(request.asked), "source": "agent", "model_name": used,
                            "message": request.text, "llm_call_count": 1}  # fmt: skip
    if request.usage and not (count_of(request.usage, "input_tokens") or count_of(request.usage, "output_tokens")):
        step["llm_call_count"] = 0  # the offline planner's, which is not a language model
    else:
        step |= {"reasoning_content": request.reasoning} if request.reasoning else {}
        step |= {"metrics": _metrics(request.usage)} if request.usage else {}
    told = {
        "asked": request.model if is_another else "",
        "company": request.company,
        "purpose": request.purpose if request.purpose != "turn" else "",
        "plugin": request.plugin,
        "finish": request.finish,
        "error": request.error,
        "attempt": request.attempt if request.attempt > 1 else 0,
    }
    extra = {name: value for name, value in told.items() if value}
    return {**step, "extra": extra} if extra else step


def _metrics(usage: Data) -> dict[str, Any]:
    metrics: dict[str, Any] = {
        f"{name}_tokens": count_of(usage, f"{mine}_tokens")
        for name, mine in (("prompt", "input"), ("completion", "output"), ("cached", "cached"))
    }
    known = amount_of(usage.get("cost_usd"))
    if known is not None and known.is_finite():
        metrics["cost_usd"] = float(known)
    if usage.get("estimated"):
        metrics["extra"] = {"estimated": True}
    return metrics


def _call(call: Call) -> dict[str, Any]:
    told = {
        "status": call.status,
        "origin": call.origin if call.origin != "model" else "",
        "reasons": call.reasons,
        "answers": [{"outcome": one.outcome, "scope": one.scope, "by": one.by, "reason": one.reason}
                    for one in call.answers],
        "rewritten": [dict(one) for one in call.rewritten],
        "seconds": round(call.span.seconds, 3) if call.span is not None else 0,
        "files": [f"{change.verb} {change}" for change in call.changes],
        "recovered_by": call.recovered_by,
    }  # fmt: skip
    extra = {name: value for name, value in told.items() if value}
    return {"tool_call_id": call.id, "function_name": call.name, "arguments": dict(call.arguments), "extra": extra}


def _result(call: Call) -> dict[str, Any]:
    """Return the data or the error, and what plugins added to it."""
    if call.result is None:
        return {"content": call.output, "extra": {"result": "none is recorded: what this call did is unknown"}}
    error, data = call.result.get("error"), call.result.get("data")
    said = []
    if isinstance(error, dict):
        said += [f"{error.get('code') or 'error'}: {error.get('message') or ''}", str(error.get("remedy") or "")]
    if data is not None:
        said.append(data if isinstance(data, str) else as_json(data))
    said += [*(str(one.get("text") or "") for one in call.added), left_out(call.pictures)]
    return {"content": "\n".join(filter(None, said))}


def _remark(remark: Remark) -> dict[str, Any]:
    head = headline_of(remark)
    if head.kind == "said" and not head.source and remark.data.get("outcome") != "taken_back":
        return {**_at(remark.at), "source": "user", "message": head.text}
    message = "\n\n".join(filter(None, (head.title, head.text)))
    return {**_at(remark.at), "source": "system", "message": message, "extra": {"kind": remark.kind}}


def _ending(exchange: Exchange) -> Iterator[dict[str, Any]]:
    """Yield the answer of a turn that is not from a model's reply, and its end if it is not done."""
    replies = [step.text for step in exchange.steps if isinstance(step, Request) and step.purpose == "turn"]
    if exchange.answer.strip() and (not replies or replies[-1].strip() != exchange.answer.strip()):
        yield {**_at(exchange.ended), "source": "agent", "message": exchange.answer, "llm_call_count": 0}
    ended = filter(None, (exchange.status if exchange.status != "done" else "", exchange.limit, exchange.error))
    if exchange.number and (told := " · ".join(ended)):
        yield {**_at(exchange.ended), "source": "system", "message": f"The turn ended: {told}"}


def _agent(overview: Overview) -> dict[str, Any]:
    told = {"profile": overview.profile, "root": overview.root, "child_of": overview.child_of}
    agent: dict[str, Any] = {"name": "inarch", "version": overview.version or "unknown"}
    if overview.models:
        agent["model_name"] = overview.models.most_common(1)[0][0]
    return {**agent, "extra": {name: value for name, value in told.items() if value}}


def _totals(overview: Overview, steps: int) -> dict[str, Any]:
    total = overview.total
    cached = sum(row.cached_tokens for row in overview.spent)
    extra = {"extra": {"requests_of_unknown_cost": total.unknown}} if total.unknown else {}
    return {"total_prompt_tokens": total.input_tokens, "total_completion_tokens": total.output_tokens,
            "total_cached_tokens": cached, "total_cost_usd": float(total.cost_usd), "total_steps": steps,
            **extra}  # fmt: skip


def _at(seconds: float | None) -> dict[str, Any]:
    """Return the time of a step, empty if it is unknown."""
    try:
        return {"timestamp": datetime.fromtimestamp(seconds, UTC).isoformat()} if seconds else {}
    except (ValueError, OverflowError, OSError):
        return {}


def as_step(value: dict[str, Any]) -> str:
    """Return JSON that every reader accepts, without lone surrogates; data nested too deeply is left out."""
    try:
        made = json.dumps(value, ensure_ascii=False, default=repr)
    except RecursionError:
        rest = {name: part for name, part in value.items() if not isinstance(part, (dict, list))}
        made = json.dumps({**rest, "extra": {"left_out": "data nested too deeply"}}, ensure_ascii=False)
    return made.encode("utf-8", "replace").decode()
