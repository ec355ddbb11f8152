"""Exchange as a section of the page: the prompt, the work with its timeline and tree, the answer."""

from __future__ import annotations

from decimal import Decimal

from inarch.figures import duration
from inarch.transcripts import Call, Exchange
from inarch_plugins.export.html.prose import plain, prose
from inarch_plugins.export.html.steps import step_items
from inarch_plugins.export.html.tags import Html, join, tag
from inarch_plugins.export.html.timeline import turn_timeline
from inarch_plugins.export.words import MODES, amount_of, cost, count_of, cut, left_out, local, many, tokens

PROMPT_LINES, SHOWN_LINES = 40, 20
"""Maximum lines of a prompt that is shown whole, and the unfolded lines of a longer one."""

_ENDINGS = {
    "failed": "The turn failed",
    "cancelled": "The turn was cancelled",
    "running": "No end is recorded: Inarch stopped",
}


def turn(exchange: Exchange, *, folded: bool, apart: bool = False, running: bool = False) -> Html:
    """Return an exchange as a section.

    Args:
        exchange: The exchange.
        folded: Whether its steps are collapsed; with JavaScript they are then built on opening.
        apart: Whether the list of its steps stays empty, for a page that adds them itself.
        running: Whether it is running, so that a missing end is normal.
    """
    name = f"Turn {exchange.number}" if exchange.number else "Before the first turn"
    anchor = f"t{exchange.number}"
    title = tag("h2", tag("a", name, href=f"#{anchor}"), id=f"{anchor}-title")
    head = tag("header", title, tag("p", *_figures(exchange), class_="figures"), class_="turn-head")
    parts = [head, _prompt(exchange), _work(exchange, folded, apart), _end(exchange, running)]
    return tag(
        "section", *parts, _later(exchange), class_="chapter is-running" if running else "chapter",
        id=anchor, tabindex="-1", aria_labelledby=f"{anchor}-title",
    )  # fmt: skip


def _figures(exchange: Exchange) -> list[Html]:
    told = []
    if exchange.begun is not None:
        told.append(local(exchange.begun, "%H:%M:%S"))
    if exchange.span is not None and exchange.span.seconds > 0:
        told.append(duration(exchange.span.seconds))
    told += [tokens(_sum(exchange)), _cost(exchange)]
    return [part for figure in told if figure for part in (tag("span", figure), Html(" "))]


def _sum(exchange: Exchange) -> dict[str, int]:
    rows = exchange.spent or [exchange.usage]
    names = ("input_tokens", "output_tokens", "cached_tokens")
    is_estimate = any(row.get("estimated") for row in rows)
    return {name: sum(count_of(row, name) for row in rows) for name in names} | {"estimated": int(is_estimate)}


def _cost(exchange: Exchange) -> str:
    if not exchange.spent:
        return cost(amount_of(exchange.usage.get("cost_usd"))) if tokens(exchange.usage) else ""
    known = sum((amount_of(row.get("cost_usd")) or Decimal(0) for row in exchange.spent), Decimal(0))
    return cost(known, sum(count_of(row, "unknown") for row in exchange.spent))


def _prompt(exchange: Exchange) -> Html:
    if exchange.prompt is None:
        return Html()
    shown, left = cut(exchange.prompt)
    how = f"Given {MODES[exchange.mode]}" if exchange.mode in MODES else ""
    told = [how, left, left_out(exchange.pictures)]
    notes = [tag("p", sentence, class_="left-out") for sentence in told if sentence]
    return tag("div", tag("h3", "Prompt", class_="unseen"), _prompt_text(shown), *notes, class_="prompt")


def _prompt_text(text: str) -> Html:
    """Return a prompt; of a long one, such as a paste, the rest is folded below the first lines."""
    lines = text.split("\n")
    if len(lines) <= PROMPT_LINES:
        return plain(text)
    head, rest = "\n".join(lines[:SHOWN_LINES]), "\n".join(lines[SHOWN_LINES:])
    summary = tag("summary", tag("span", f"{len(lines) - SHOWN_LINES:,} more lines", class_="label"))
    return join([plain(head), tag("details", summary, plain(rest), class_="reasoning")])


def _work(exchange: Exchange, folded: bool, apart: bool) -> Html:
    if not exchange.steps and not apart:
        return Html()
    calls = [step for step in exchange.steps if isinstance(step, Call)]
    words = [many(len(calls), "call") if calls else "no calls"]
    for status, said in (("error", "failed"), ("cancelled", "stopped")):
        count = sum(call.status == status for call in calls)
        words += [f"{count} {said}"] if count else []
    changed = len({change.path for change in exchange.changes})
    words += [f"{many(changed, 'file')} touched"] if changed else []
    summary = tag("summary", tag("span", "Work", class_="label"), " ", tag("span", " · ".join(words), class_="first"))
    items = Html() if apart else step_items(exchange.steps, exchange.answer)
    body = join([turn_timeline(exchange), tag("ol", items, class_="steps")])
    if folded:  # readable without JavaScript; with it, one text until it is opened
        body = tag("noscript", body)
    return tag("details", summary, body, class_="work", open=not folded)


def _end(exchange: Exchange, running: bool) -> Html:
    ending = _ENDINGS.get(exchange.status, "") if exchange.number and not running else ""
    if exchange.limit:
        ending = f"A limit ended the turn: {exchange.limit}"
    told = f"{ending}{': ' if ending and exchange.error else ''}{exchange.error}"
    kind = "ending stopped" if exchange.status == "cancelled" else "ending"
    note = [tag("p", told, class_=kind)] if told else []
    if not exchange.answer.strip():
        return join(note)
    return tag("div", tag("h3", "Answer", class_="unseen"), prose(exchange.answer), *note, class_="answer")


def _later(exchange: Exchange) -> Html:
    if not exchange.later:
        return Html()
    return tag("ol", step_items(exchange.later, ""), class_="steps later")
