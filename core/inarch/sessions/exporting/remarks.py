"""The headline of each kind of event that is neither a request nor a call."""

from __future__ import annotations

from collections.abc import Callable

from inarch.contract.plugin_events import is_plugins
from inarch.sessions.exporting.story import Data, Remark
from inarch.sessions.exporting.words import as_json, duration, many

TRACER = "brief-tracer"
_SOURCES = {"mentions": "Mentioned files", "structure": "Project structure", TRACER: "Execution paths"}
_DROPPED = {"window": "it would not fit", "refused": "the service said it was too much", "turns": "the profile's limit",
            "asked": "you asked for it"}  # fmt: skip


def remark_of(kind: str, data: Data, at: float) -> Remark | None:
    """Return the remark that an event comes to; None where it says nothing that a reader would miss."""
    maker = _MAKERS.get(kind)
    return as_it_stands(kind, data, at) if maker is None else maker(data, at)


def _said(data: Data, name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else "" if value is None else str(value)


def _context(data: Data, at: float) -> Remark:
    source = _said(data, "source")
    title = _SOURCES.get(source, f"Added to the prompt by {source}")
    images = data.get("images")
    pictures = f" · {many(len(images), 'picture')}, not exported" if isinstance(images, list) and images else ""
    return Remark("context", at, title + pictures, _said(data, "text"), source)


def _decision(data: Data, at: float) -> Remark | None:
    strategy = _said(data, "strategy")
    if strategy == "native":
        return None  # asks the model, always
    wanted = {"call_tools": "calls tools first", "ask_model": "asks the model", "answer": "answers by itself"}
    decision = wanted.get(_said(data, "decision"), _said(data, "decision"))
    cached = " (decided before)" if data.get("cached") else ""
    reason, text = _said(data, "reason"), _said(data, "text")
    return Remark("decision", at, f"{strategy} {decision}{cached}", "\n\n".join(filter(None, (reason, text))), strategy)


def _note(data: Data, at: float) -> Remark:
    source, text = _said(data, "source"), _said(data, "text")
    head, _, rest = text.partition("\n")
    if source == TRACER:
        return Remark("note", at, "Execution paths touched", text, source)
    return Remark("note", at, head, rest, source)


def _error(data: Data, at: float) -> Remark:
    where = " · ".join(filter(None, (_said(data, "plugin"), _said(data, "door"))))
    return Remark("error", at, _said(data, "message"), _said(data, "remedy"), where)


def _wait(data: Data, at: float) -> Remark:
    seconds = data.get("seconds")
    long = float(seconds) if isinstance(seconds, (int, float)) else 0.0
    title = f"Waited {duration(long)} for {_said(data, 'model')}"
    return Remark("wait", at, title, _said(data, "reason").replace("_", " "), seconds=long)


def _switched(data: Data, at: float) -> Remark:
    return Remark("switched", at, f"{_said(data, 'new')} takes over from {_said(data, 'old')}", _said(data, "reason"))


def _dropped(data: Data, at: float) -> Remark:
    count = data.get("tokens")
    about = f"about {count:,} tokens" if type(count) is int else "something"
    reason = _said(data, "reason")
    return Remark("dropped", at, f"Left out of what the model sees: {about}", _DROPPED.get(reason, reason))


def _command(data: Data, at: float) -> Remark:
    name, arguments = _said(data, "name"), _said(data, "arguments")
    title = f"!{arguments}" if name == "!" else f"/{name.removeprefix('/')} {arguments}".rstrip()
    return Remark("command", at, title, _said(data, "result"))


def _undone(data: Data, at: float) -> Remark:
    calls = data.get("calls")
    count = many(len(calls), "call") if isinstance(calls, list) else "calls"
    action = "Changes put on again" if data.get("action") == "redo" else "Changes taken back"
    return Remark("undone", at, f"{action}: {count}")


def as_it_stands(kind: str, data: Data, at: float) -> Remark:
    """Return the remark of an event that nobody here knows more of: a plugin's, or one of another version."""
    said = data.get("text") if is_plugins(kind) else None
    if not isinstance(said, str) or not (line := " ".join(said.split())):
        return Remark("other", at, kind or "event", as_json(data, 1) if data else "")
    rest = {key: value for key, value in data.items() if key != "text" or line != said}
    return Remark("other", at, f"{kind}: {line}", as_json(rest, 1) if rest else "")


_MAKERS: dict[str, Callable[[Data, float], Remark | None]] = {
    "context.added": _context,
    "decision.made": _decision,
    "note": _note,
    "error": _error,
    "limit.wait": _wait,
    "model.switched": _switched,
    "context.dropped": _dropped,
    "command.ran": _command,
    "changes.undone": _undone,
}
