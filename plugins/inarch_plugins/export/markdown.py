"""Session as a Markdown text: prompts, answers, calls with input and output, approvals, costs, files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inarch.figures import answered_words, duration, rewritten_words
from inarch.transcripts import Call, Exchange, Remark, Request, Step, Transcript
from inarch_plugins.export.fences import code, fenced, quoted, words
from inarch_plugins.export.overview import Overview, overview_of
from inarch_plugins.export.remarks import exchanges_of, headline_of
from inarch_plugins.export.words import (
    MODES,
    PURPOSES,
    added_by,
    amount_of,
    answered,
    as_json,
    cost,
    cut,
    left_out,
    local,
    many,
    tokens,
)  # fmt: skip

LONGEST = 4_000
"""Maximum characters of an argument or a result; JSON lines have all of it."""
LONGEST_WORD = 400
_STATUS = {"success": "succeeded", "error": "failed", "cancelled": "stopped"}


def document(session: Transcript) -> Iterator[str]:
    """Yield the text piece by piece; takes two passes over the session."""
    overview = overview_of(session)
    yield from _head(overview)
    for exchange in exchanges_of(session):
        yield from _exchange(exchange)


def _head(overview: Overview) -> Iterator[str]:
    yield f"# {words(overview.title)}\n\n"
    total = overview.total
    began = local(overview.first, "%Y-%m-%d %H:%M %Z") if overview.first is not None else "unknown"
    yield f"- Session: {code(overview.session_id)}\n- Date: {began}\n- Folder: {code(overview.root)}\n"
    yield f"- Profile: {code(overview.profile)}\n" if overview.profile else ""
    yield f"- Models: {', '.join(map(code, overview.models))}\n" if overview.models else ""
    if overview.forked_from:
        yield f"- Forked from: {code(overview.forked_from)} after turn {overview.forked_at}\n"
    yield f"- Child: {words(overview.child_of)}\n" if overview.child_of else ""
    failed = f", {overview.failed:,} failed" if overview.failed else ""
    counted = f"{many(overview.turns, 'turn')}, {many(overview.calls, 'call')}{failed}"
    yield f"- {counted}, {duration(overview.working)} at work\n"
    if not overview.spent:
        return
    yield f"- {total.input_tokens:,} tokens in, {total.output_tokens:,} out · {cost(total.cost_usd, total.unknown)}\n"
    yield "\n| purpose | plugin | model | requests | in | out | cost |\n|---|---|---|--:|--:|--:|---|\n"
    for row in overview.spent:
        cells = [PURPOSES.get(row.purpose, words(row.purpose)), words(row.plugin) or "—", words(row.model)]
        cells += [
            f"{row.requests:,}",
            f"{row.input_tokens:,}",
            f"{row.output_tokens:,}",
            cost(row.cost_usd, row.unknown),
        ]
        yield f"| {' | '.join(cells)} |\n"


def _exchange(exchange: Exchange) -> Iterator[str]:
    figures = [local(exchange.begun, "%H:%M:%S")] if exchange.begun is not None else []
    figures += [duration(exchange.span.seconds)] if exchange.span is not None and exchange.span.seconds else []
    yield f"\n## {' · '.join([f'Turn {exchange.number}' if exchange.number else 'Before the first turn', *figures])}\n"
    if exchange.prompt is not None:
        how = f" {MODES[exchange.mode]}" if exchange.mode in MODES else ""
        yield f"\n**Prompt**{how}\n\n{_block(exchange.prompt, 'text', 60_000)}"
        yield f"\n{left_out(exchange.pictures)}.\n" if exchange.pictures else ""
    for step in exchange.steps:
        yield from _step(step, exchange.answer)
    if exchange.answer.strip():
        yield f"\n**Answer**\n\n{quoted(exchange.answer)}"
    ending = " · ".join(
        filter(None, (exchange.status if exchange.status != "done" else "", exchange.limit, exchange.error))
    )
    yield f"\n**Ended:** {words(ending, 1_000)}\n" if ending and exchange.number else ""
    for step in exchange.later:
        yield from _step(step, "")
    if exchange.changes:
        yield "\n**Files touched**\n\n"
        yield from (f"- {change.verb} {code(str(change))}\n" for change in exchange.changes)


def _step(step: Step, answer: str) -> Iterator[str]:
    if isinstance(step, Call):
        yield from _call(step)
    elif isinstance(step, Request):
        yield from _request(step, answer)
    else:
        yield from _remark(step)


def _request(request: Request, answer: str) -> Iterator[str]:
    usage = request.usage or {}
    told = [PURPOSES.get(request.purpose, request.purpose) if request.purpose != "turn" else "", request.plugin]
    told += [tokens(usage), cost(amount_of(usage.get("cost_usd"))) if request.usage else "no reply is recorded"]
    told += [duration(request.span.seconds) if request.replied is not None else "", request.error]
    told.insert(0, answered_words(request.model, request.answered_by, request.company))
    yield f"\n*{words(request.model)}* — {words(' · '.join(filter(None, told)), 1_000)}\n"
    if request.reasoning.strip():
        yield f"\nReasoning:\n\n{_block(request.reasoning)}"
    if request.text.strip() and request.text.strip() != answer.strip():
        yield f"\n{quoted(request.text)}"


def _call(call: Call) -> Iterator[str]:
    took = f", {duration(call.span.seconds)}" if call.span is not None and call.ended is not None else ""
    yield f"\n### {code(call.name)} {_STATUS.get(call.status, 'has no known end')}{took}\n"
    for answer in call.answers:
        yield f"\n- {words(answered(answer.outcome, answer.scope, answer.by, answer.reason), 1_000)}\n"
    if call.arguments:
        yield f"\nInput:\n\n{_value(call.arguments)}"
    for one in call.rewritten:
        yield f"\n- {words(rewritten_words(one), 1_000)}\n"
    if call.result is None:
        yield "\nNo result is recorded: what this call did is unknown.\n"
        yield f"\n{_block(call.output)}" if call.output else ""
        return
    error, data = call.result.get("error"), call.result.get("data")
    if isinstance(error, dict):
        said = (str(error.get("message") or ""), str(error.get("remedy") or ""))
        yield f"\nError {code(str(error.get('code') or 'error'))}:\n\n{_block(chr(10).join(filter(None, said)))}"
    if call.recovered_by:
        yield "\nA later call of this turn did it.\n"
    if data is not None:
        yield f"\nOutput:\n\n{_value(data)}"
    yield f"\n{left_out(call.pictures)}.\n" if call.pictures else ""
    for one in call.added:
        yield f"\n{words(added_by(one))}\n\n{_block(str(one.get('text') or ''))}"


def _remark(remark: Remark) -> Iterator[str]:
    head = headline_of(remark)
    source = f" ({words(head.source)})" if head.source and head.kind in ("note", "error", "context") else ""
    yield f"\n*{words(head.title, 1_000)}*{source}\n"
    if head.text:
        yield f"\n{_block(head.text)}"
    yield from (f"\n- {change.verb} {code(str(change))}\n" for change in remark.changes)


def _value(value: Any) -> str:
    """Return plain data: a mapping with a long text as its entries, anything else as JSON."""
    if isinstance(value, str):
        return _block(value)
    if not isinstance(value, dict) or not any(map(_is_long, value.values())):
        return _block(as_json(value, 1), "json")
    short = {name: item for name, item in value.items() if not _is_long(item)}
    parts = [_block(as_json(short, 1), "json")] if short else []
    parts += [f"{code(str(name))}:\n\n{_block(item)}" for name, item in value.items() if name not in short]
    return "\n".join(parts)


def _is_long(item: Any) -> bool:
    return isinstance(item, str) and ("\n" in item or len(item) > LONGEST_WORD)


def _block(content: str, language: str = "text", longest: int = LONGEST) -> str:
    shown, left = cut(content, longest)
    return fenced(shown, language) + (f"\n*{left}.*\n" if left else "")
