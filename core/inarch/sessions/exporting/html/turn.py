"""A chapter as a section of the page: the prompt, the work with its timeline and tree, the answer."""

from __future__ import annotations

from decimal import Decimal

from inarch.sessions.exporting.cutting import cut
from inarch.sessions.exporting.html.prose import plain, prose
from inarch.sessions.exporting.html.steps import step_items
from inarch.sessions.exporting.html.tags import Html, join, tag
from inarch.sessions.exporting.html.timeline import turn_timeline
from inarch.sessions.exporting.story import Call, Chapter
from inarch.sessions.exporting.words import amount_of, cost, count_of, duration, local, many, tokens

PROMPT_LINES, SHOWN_LINES = 40, 20
"""Lines of a prompt that is shown whole, and of a longer one that are not folded."""

_ENDINGS = {
    "failed": "The turn failed",
    "cancelled": "The turn was cancelled",
    "running": "No end is recorded: Inarch stopped",
}


def turn(chapter: Chapter, *, folded: bool) -> Html:
    """Return a chapter as a section.

    Args:
        chapter: The chapter.
        folded: Whether its steps are left closed, and to a browser with JavaScript closed means: not built yet.
    """
    name = f"Turn {chapter.number}" if chapter.number else "Before the first turn"
    anchor = f"t{chapter.number}"
    title = tag("h2", tag("a", name, href=f"#{anchor}"), id=f"{anchor}-title")
    head = tag("header", title, tag("p", *_figures(chapter), class_="figures"), class_="turn-head")
    return tag(
        "section", head, _prompt(chapter), _work(chapter, folded), _end(chapter), _later(chapter, folded),
        class_="chapter", id=anchor, tabindex="-1", aria_labelledby=f"{anchor}-title",
    )  # fmt: skip


def _figures(chapter: Chapter) -> list[Html]:
    told = []
    if chapter.begun is not None:
        told.append(local(chapter.begun, "%H:%M:%S"))
    if chapter.span is not None and chapter.span.seconds > 0:
        told.append(duration(chapter.span.seconds))
    told += [tokens(_sum(chapter)), _cost(chapter)]
    return [part for figure in told if figure for part in (tag("span", figure), Html(" "))]


def _sum(chapter: Chapter) -> dict[str, int]:
    rows = chapter.spent or [chapter.usage]
    names = ("input_tokens", "output_tokens", "cached_tokens")
    is_estimate = any(row.get("estimated") for row in rows)
    return {name: sum(count_of(row, name) for row in rows) for name in names} | {"estimated": int(is_estimate)}


def _cost(chapter: Chapter) -> str:
    if not chapter.spent:
        return cost(amount_of(chapter.usage.get("cost_usd"))) if tokens(chapter.usage) else ""
    known = sum((amount_of(row.get("cost_usd")) or Decimal(0) for row in chapter.spent), Decimal(0))
    return cost(known, sum(count_of(row, "unknown") for row in chapter.spent))


def _prompt(chapter: Chapter) -> Html:
    if chapter.prompt is None:
        return Html()
    shown, left = cut(chapter.prompt)
    told = [left, f"{many(chapter.pictures, 'picture')}, not exported" if chapter.pictures else ""]
    notes = [tag("p", sentence, class_="left-out") for sentence in told if sentence]
    return tag("div", tag("h3", "Prompt", class_="unseen"), _prompt_text(shown), *notes, class_="prompt")


def _prompt_text(text: str) -> Html:
    """Return a prompt; of a long one, such as a paste, the first lines with the rest folded below them."""
    lines = text.split("\n")
    if len(lines) <= PROMPT_LINES:
        return plain(text)
    head, rest = "\n".join(lines[:SHOWN_LINES]), "\n".join(lines[SHOWN_LINES:])
    summary = tag("summary", tag("span", f"{len(lines) - SHOWN_LINES:,} more lines", class_="label"))
    return join([plain(head), tag("details", summary, plain(rest), class_="reasoning")])


def _work(chapter: Chapter, folded: bool) -> Html:
    if not chapter.steps:
        return Html()
    calls = [step for step in chapter.steps if isinstance(step, Call)]
    words = [many(len(calls), "call") if calls else "no calls"]
    for status, said in (("error", "failed"), ("cancelled", "stopped")):
        count = sum(call.status == status for call in calls)
        words += [f"{count} {said}"] if count else []
    changed = len({change.path for change in chapter.changes})
    words += [f"{many(changed, 'file')} touched"] if changed else []
    summary = tag("summary", tag("span", "Work", class_="label"), " ", tag("span", " · ".join(words), class_="first"))
    body = join([turn_timeline(chapter), tag("ol", step_items(chapter.steps, chapter.answer), class_="steps")])
    if folded:  # read without JavaScript as it stands; with it, one text until it is opened
        body = tag("noscript", body)
    return tag("details", summary, body, class_="work", open=not folded)


def _end(chapter: Chapter) -> Html:
    ending = _ENDINGS.get(chapter.status, "") if chapter.number else ""
    if chapter.limit:
        ending = f"A limit ended the turn: {chapter.limit}"
    told = f"{ending}{': ' if ending and chapter.error else ''}{chapter.error}"
    kind = "ending stopped" if chapter.status == "cancelled" else "ending"
    note = [tag("p", told, class_=kind)] if told else []
    if not chapter.answer.strip():
        return join(note)
    return tag("div", tag("h3", "Answer", class_="unseen"), prose(chapter.answer), *note, class_="answer")


def _later(chapter: Chapter, folded: bool) -> Html:
    if not chapter.later:
        return Html()
    return tag("ol", step_items(chapter.later, ""), class_="steps later")
