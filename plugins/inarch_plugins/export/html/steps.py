"""Steps of a turn: requests with their reasoning, calls with input and output, and other events."""

from __future__ import annotations

from collections.abc import Callable

from inarch.figures import answered_words, duration, failure_words, rewritten_words
from inarch.transcripts import Call, Change, Remark, Request, Step
from inarch_plugins.export.html.diffs import diff, shown_as_diff
from inarch_plugins.export.html.prose import long_text, members, prose, short, value
from inarch_plugins.export.html.tags import Html, Inside, join, tag
from inarch_plugins.export.remarks import headline_of
from inarch_plugins.export.words import OUTCOMES, PURPOSES, added_by, amount_of, answered, cost, one_line, tokens

_MARKS = {"success": ("ok", "✓", "succeeded"), "error": ("bad", "✗", "failed"), "cancelled": ("off", "⊘", "stopped")}
_STATES = {"success": "is-done", "error": "is-failed", "cancelled": "is-stopped"}
_OPEN_END = ("off", "…", "no end is known")
_GOES_ON = ("off", "…", "goes on")
_FIRST_WORDS = 90
_LONGEST_NAME, _LONGEST_TITLE = 80, 300


def step_items(steps: list[Step], answer: str, *, running: bool = False) -> Html:
    """Return steps as list items; the reply that is the turn's answer is not repeated."""
    return join(_item(step, answer, running) for step in steps)


def _item(step: Step, answer: str, running: bool) -> Html:
    if isinstance(step, Call):
        return _call(step, running)
    if isinstance(step, Request):
        return _request(step, answer, running)
    return _remark(step)


def _row(mark: Inside, name: Inside, about: Inside, *figures: str) -> tuple[Html, ...]:
    """Return the line of a step: mark, name, subject, and figures at its end."""
    told = [part for figure in figures if figure for part in (tag("span", figure), Html(" "))]
    parts = [tag("span", mark, class_="mark"), tag("span", name, class_="name"), tag("span", about, class_="about")]
    parts += [tag("span", *told, class_="figures")] if told else []
    return tuple(part for cell in parts for part in (cell, Html(" ")))  # spaces for copies and screen readers


def _mark(kind: str, sign: str, said: str) -> Html:
    return join([tag("span", sign, class_=kind, aria_hidden="true"), tag("span", f"{said} ", class_="unseen")])


def _folded(head: tuple[Html, ...], body: Html, class_: str, call: str | None = None) -> Html:
    if not body:
        return tag("li", tag("div", *head, class_="row"), class_=class_, data_call=call)
    shown = tag("details", tag("summary", *head, class_="row"), tag("div", body, class_="body"))
    return tag("li", shown, class_=class_, data_call=call)


def _call(call: Call, running: bool) -> Html:
    mark = _mark(*_MARKS.get(call.status, _GOES_ON if running else _OPEN_END))
    took = duration(call.span.seconds) if call.span is not None and call.ended is not None else ""
    chips = [tag("span", chip, class_="chip") for chip in _chips(call)]
    name = one_line(call.title or call.name, _LONGEST_NAME)
    about = [] if call.title else [tag("span", short(_unseen(call)))]
    output = Html() if running and call.result is None else _output(call)
    names = shown_as_diff(call.arguments)
    rewritten = [tag("p", rewritten_words({**one, "name": name})) for one in call.rewritten]
    added = [join([tag("p", added_by(one)), long_text(str(one.get("text") or ""))]) for one in call.added]
    told = [
        _approval(call),
        _part("Input", members(call.arguments, names), diff(call.arguments, names) if names else Html()),
        _part("Rewritten", *rewritten),
        output,
        _part("Added to the output", *added),
        _changed(call.changes),
    ]
    shown = join([*about, *(part for chip in chips for part in (" ", chip))])
    head = _row(mark, name, shown, took)
    state = f"{'titled ' * bool(call.title)}{_STATES.get(call.status, 'is-open')}"
    return _folded(head, join(told), f"step call {state}", call.id)


def _unseen(call: Call) -> dict[str, object]:
    """Return the arguments that no diff shows, for the line of a call."""
    names = shown_as_diff(call.arguments)
    return {
        name: item for name, item in call.arguments.items() if name not in (*names, *(["description"] if names else []))
    }


def _chips(call: Call) -> list[str]:
    chips = [call.origin] if call.origin in ("mention", "strategy", "slash") else []
    if call.answers:
        last = call.answers[-1]
        chips.append(OUTCOMES.get(last.outcome, last.outcome))
    chips += ["a later call did it"] if call.recovered_by else []
    return [*chips, *(f"{change.verb} {one_line(str(change), 60)}" for change in call.changes[:2])]


def _approval(call: Call) -> Html:
    asked = [tag("p", "Asked because ", "; ".join(call.reasons), ".")] if call.reasons else []
    waited = call.asking.seconds if call.asking is not None and call.answered is not None else 0.0
    told = [tag("p", answered(answer.outcome, answer.scope, answer.by, answer.reason)) for answer in call.answers]
    wait = [tag("p", f"It waited {duration(waited)}.", class_="quiet")] if waited >= 0.1 else []
    return _part("Approval", *asked, *told, *wait)


def _output(call: Call) -> Html:
    if call.result is None:
        said = tag("p", "No result is recorded: what this call did is unknown.", class_="error")
        return _part("Output", said, *([long_text(call.output)] if call.output else []))
    error = call.result.get("error")
    if isinstance(error, dict):
        told = [tag("strong", str(error.get("code") or "error")), " ", failure_words(call.name, error)]
        remedy = [tag("p", str(error["remedy"]), class_="quiet")] if error.get("remedy") else []
        data = call.result.get("data")
        title, kind = ("Stopped", "quiet") if call.status == "cancelled" else ("Error", "error")
        return _part(title, tag("p", *told, class_=kind), *remedy, *([value(data)] if data is not None else []))
    data = call.result.get("data")
    shown = [value(data)] if data is not None else []
    shown += [tag("p", f"Pictures, not exported: {call.pictures}", class_="left-out")] if call.pictures else []
    return _part("Output", *shown)


def _changed(changes: list[Change]) -> Html:
    rows = [
        tag("li", tag("span", change.verb, class_="verb"), " ",
            tag("code", str(change), data_path=change.new_path or change.path))
        for change in changes
    ]  # fmt: skip
    return _part("Files", tag("ul", *rows, class_="files")) if rows else Html()


def _part(title: str, *inside: Html) -> Html:
    return tag("section", tag("h4", title), *inside, class_="part") if any(inside) else Html()


def _request(request: Request, answer: str, running: bool) -> Html:
    usage = request.usage or {}
    price = cost(amount_of(usage.get("cost_usd"))) if request.usage else ""
    took = duration(request.span.seconds) if request.replied is not None else ""
    mark = tag("span", "◆", class_="ask", aria_hidden="true")
    if request.error:
        mark = _mark(*_MARKS["cancelled" if request.error == "cancelled" else "error"])
    about = [PURPOSES.get(request.purpose, request.purpose)] if request.purpose != "turn" else []
    about += [request.plugin] if request.plugin else []
    about += [answered_words(request.model, request.answered_by, request.company)]
    about += [f"attempt {request.attempt}"] if request.attempt > 1 else []
    is_open = request.replied is None
    about += [request.error or ("no reply is recorded" if is_open and not running else "")]
    row = tag(
        "div",
        *_row(
            mark, one_line(request.model, _LONGEST_NAME), " · ".join(filter(None, about)), tokens(usage), price, took
        ),
        class_="row",
    )
    inner = [row, _folded_text("Reasoning", prose, request.reasoning), _said(request, answer)]
    return tag("li", *inner, class_="step request is-open" if is_open and running else "step request")


def _said(request: Request, answer: str) -> Html:
    if request.purpose != "turn":
        return _folded_text("Reply", long_text, request.text)
    is_new = request.text.strip() and request.text.strip() != answer.strip()
    return tag("div", prose(request.text), class_="said") if is_new else Html()


def _folded_text(label: str, shown: Callable[[str], Html], text: str) -> Html:
    if not text.strip():
        return Html()
    first = tag("span", one_line(text, _FIRST_WORDS), class_="first")
    summary = tag("summary", tag("span", label, class_="label"), " ", first)
    return tag("details", summary, shown(text), class_="reasoning")


def _remark(remark: Remark) -> Html:
    headline = headline_of(remark)
    kind, title, text = headline.kind, headline.title, headline.text
    mark = _mark("bad", "✗", "error") if kind == "error" else tag("span", "·", aria_hidden="true")
    if kind == "wait":
        mark = tag("span", "◷", aria_hidden="true")
    source = headline.source if kind in ("note", "error") else ""
    text = f"{title}\n{text}" if len(title) > _LONGEST_TITLE else text
    body = join([long_text(text) if text else Html(), _changed(remark.changes)])
    is_short = len(text) <= _FIRST_WORDS and "\n" not in text and not remark.changes
    about = " · ".join(filter(None, (text if is_short else "", source)))
    head = _row(mark, one_line(title, _LONGEST_TITLE), about)
    return _folded(head, Html() if is_short else body, f"step remark {kind}")
