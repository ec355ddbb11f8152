"""Exchanges in an export, and the headline of each kind of event that is neither a request nor a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from attrs import frozen

import inarch
from inarch.figures import child_words, duration
from inarch.transcripts import Data, Exchange, Remark, Step, Transcript
from inarch_plugins.export.words import as_json, left_out, many

Kind = Literal["context", "decision", "note", "error", "wait", "switched", "dropped", "command", "undone", "said",
               "other"]  # fmt: skip
_DROPPED = {"window": "it would not fit", "refused": "the service found it too long", "turns": "the profile's limit",
            "asked": "you asked for it"}  # fmt: skip

_BOOKKEEPING = frozenset({"calls.done", "file.changing", "input.waiting"})


@frozen
class Headline:
    """Line of a remark, and the text below it."""

    kind: Kind
    title: str
    text: str = ""
    source: str = ""


def exchanges_of(session: Transcript) -> Iterator[Exchange]:
    """Yield the exchanges of a session without mere bookkeeping steps."""
    for exchange in session.exchanges():
        exchange.steps = [step for step in exchange.steps if not says_nothing(step)]
        exchange.later = [remark for remark in exchange.later if not says_nothing(remark)]
        yield exchange


def says_nothing(step: Step) -> bool:
    """Return whether a step is bookkeeping, or a decision of the strategy that always asks the model."""
    if not isinstance(step, Remark):
        return False
    if step.kind == "input.ended":
        return step.data.get("outcome") == "prompt"  # the prompt has the text
    if step.kind == "note":
        return step.data.get("source") == "repair"
    return step.kind in _BOOKKEEPING or (step.kind == "decision.made" and step.data.get("strategy") == "native")


def headline_of(remark: Remark) -> Headline:
    """Return the headline of a remark; for an unknown one its kind, with its data below."""
    try:
        maker = _MAKERS.get(remark.kind)
        return maker(remark.data) if maker is not None else _other(remark)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return _other(remark)


def _said(data: Data, name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else "" if value is None else str(value)


def _context(data: Data) -> Headline:
    source, text = _said(data, "source"), _said(data, "text")
    head, _, rest = text.partition("\n")
    title = f"Added to the prompt by {source}"
    if head.startswith("# "):  # the text has a title of its own
        title, text = head.removeprefix("# "), rest.lstrip("\n")
    images = data.get("images")
    pictures = f" · {left_out(len(images))}" if isinstance(images, list) and images else ""
    return Headline("context", title + pictures, text, source)


def _decision(data: Data) -> Headline:
    strategy = _said(data, "strategy")
    wanted = {"call_tools": "calls tools first", "ask_model": "asks the model", "answer": "answers by itself"}
    decision = wanted.get(_said(data, "decision"), _said(data, "decision"))
    cached = " (decided before)" if data.get("cached") else ""
    reason, text = _said(data, "reason"), _said(data, "text")
    return Headline("decision", f"{strategy} {decision}{cached}", "\n\n".join(filter(None, (reason, text))), strategy)


def _wait(data: Data) -> Headline:
    seconds = data.get("seconds")
    long = float(seconds) if isinstance(seconds, (int, float)) else 0.0
    title = f"Waited {duration(long)} for {_said(data, 'model')}"
    return Headline("wait", title, _said(data, "reason").replace("_", " "))


def _dropped(data: Data) -> Headline:
    count = data.get("tokens")
    about = f"about {count:,} tokens" if type(count) is int else "something"
    reason = _said(data, "reason")
    return Headline("dropped", f"Left out of the model's input: {about}", _DROPPED.get(reason, reason))


def _undone(data: Data) -> Headline:
    calls = data.get("calls")
    count = many(len(calls), "call") if isinstance(calls, list) else "calls"
    action = "Changes reapplied" if data.get("action") == "redo" else "Changes taken back"
    return Headline("undone", f"{action}: {count}")


def _other(remark: Remark) -> Headline:
    """Return the headline of an unknown event: a plugin's, or one of another version."""
    data = remark.data
    notice = data.get("notice")
    if isinstance(notice, str) and notice and remark.kind not in inarch.EVENT_KINDS:
        return Headline("note", notice, as_json(data, 1), remark.kind)
    said = data.get("text") if remark.kind not in inarch.EVENT_KINDS else None
    if not isinstance(said, str) or not (line := " ".join(said.split())):
        return Headline("other", remark.kind or "event", as_json(data, 1) if data else "")
    rest = {key: value for key, value in data.items() if key != "text" or line != said}
    return Headline("other", f"{remark.kind}: {line}", as_json(rest, 1) if rest else "")


_MAKERS: dict[str, Callable[[Data], Headline]] = {
    "context.added": _context,
    "decision.made": _decision,
    "note": lambda data: Headline("note", *_said(data, "text").partition("\n")[::2], _said(data, "source")),
    "error": lambda data: Headline(
        "error", _said(data, "message"), _said(data, "remedy"),
        " · ".join(filter(None, (_said(data, "plugin"), _said(data, "door")))),
    ),
    "limit.wait": _wait,
    "model.switched": lambda data: Headline(
        "switched", f"{_said(data, 'new')} takes over from {_said(data, 'old')}", _said(data, "reason")
    ),
    "context.dropped": _dropped,
    "command.ran": lambda data: Headline(
        "command",
        f"!{data.get('arguments')}" if data.get("name") == "!"
        else f"/{_said(data, 'name').removeprefix('/')} {_said(data, 'arguments')}".rstrip(),
        _said(data, "result"),
    ),
    "turn.held": lambda data: Headline(
        "switched",
        f"{data['plugin']} holds back the end of the turn" if data.get("plugin")
        else "The answer does not match the requested form",
        _said(data, "reason"),
        _said(data, "plugin"),
    ),
    "changes.undone": _undone,
    "input.ended": lambda data: Headline(
        "said",
        f"{'The plugin ' + data['by'] if data.get('by') else 'You'} "
        f"{'took back' if data.get('outcome') == 'taken_back' else 'said'}",
        _said(data, "text"),
        _said(data, "by"),
    ),
    "child.started": lambda data: Headline("other", child_words(data)),
    "child.ended": lambda data: Headline("other", child_words(data)),
}  # fmt: skip
