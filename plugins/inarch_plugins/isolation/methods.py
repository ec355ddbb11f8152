"""Calls across the pipe, as one table for both sides: methods of a plugin's objects, and of lent objects.

Arguments and results are encoded by `data_of`; `value_of` makes of them what the table says, and refuses anything else.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin

import inarch
from inarch import (
    Effects,
    Ending,
    Event,
    FileChange,
    FileStat,
    InarchError,
    ProviderError,
    Situation,
    SlashContext,
    Tool,
    ToolCall,
    ToolContext,
    ToolFailed,
    from_data,
    to_data,
)

ANSWER_S = 10.0
"""Seconds for a call during which the kernel is blocked."""
_SERVICE_S = 60.0  # for calls that ask a service, or have much to read
_FLAGS = ("exclusive", "programs", "removes")
_ENVELOPE = {"seq": int, "time": str, "session_id": str, "kind": str, "data": dict}


class Member(NamedTuple):
    """Member of an object: its arguments in order, and its result type; None for plain data."""

    takes: Mapping[str, Any] = {}
    gives: Any = None
    is_async: bool = False
    is_value: bool = False
    seconds: float | None = ANSWER_S


_ARGUMENTS = {"arguments": dict}
_MODEL = {"model": str}
_JUDGED = {"call": ToolCall, "tool": Tool, "context": ToolContext}
_SITUATION = {"situation": Situation}
_SESSION = {"session_id": str}
_BYTES_OF = {**_SESSION, "data": bytes}
_RECORD = Member({"name": str, "data": dict})

METHODS: Mapping[str, Mapping[str, Member]] = {
    "tools": {
        "run": Member({**_ARGUMENTS, "context": ToolContext}, seconds=None),
        "effects": Member(_ARGUMENTS, Effects),
        "shape": Member(_ARGUMENTS, str | None),
        "allowed_by": Member(_ARGUMENTS, str | None),
        "preview": Member(_ARGUMENTS, str | None),
        "offered": Member(_MODEL, bool),
    },
    "models": {
        "answer": Member({"request": inarch.ModelRequest}, is_async=True, seconds=None),
        "models": Member({}, tuple[inarch.ModelInfo, ...], is_async=True, seconds=_SERVICE_S),
        "find_default": Member({}, str, is_async=True, seconds=_SERVICE_S),
        "check_key": Member(_MODEL, str | None),
        "takes_effort": Member(_MODEL, bool),
        "limits": Member(_MODEL, inarch.Limits),
        "price": Member(_MODEL, inarch.Price | None),
        "close": Member(is_async=True),
    },
    "strategies": {"decide": Member(_SITUATION, inarch.Decision | None, is_async=True, seconds=None)},
    "context_sources": {"gather": Member(_SITUATION, inarch.Contribution | None, is_async=True, seconds=None)},
    "rewriters": {"rewrite": Member(_JUDGED, inarch.Rewrite | None, seconds=None)},
    "reviewers": {"review": Member(_JUDGED, seconds=None)},
    "end_guards": {"hold": Member({"ending": Ending}, is_async=True, seconds=None)},
    "policies": {"judge": Member({"call": ToolCall, "tool": Tool}, inarch.Verdict)},
    "tracers": {
        "saw": Member({"events": list[Event]}),
        "copied": Member({"event": Event}),
        "forked": Member({"event": Event}, bool),
        "files": Member(_SESSION, list[str]),
        "logs": Member({}, list[str]),
        "remarks": Member({}, list[str]),
        "summary": Member({"turn_id": str}, str | None),
        "close": Member(),
    },
    "slash_commands": {"start": Member({"words": str, "context": SlashContext}, str, is_async=True, seconds=None)},
    "checks": {"run": Member({}, tuple[inarch.Finding, ...])},
    "stores": {"open": Member({"path": str}, dict, seconds=_SERVICE_S)},
    "opened": {
        "append": Member({**_SESSION, "events": list[Event]}),
        "sync": Member(is_async=True),
        "load": Member({**_SESSION, "after": int}),
        "scan": Member({**_SESSION, "after": int}, dict),
        "scan_kinds": Member({**_SESSION, "kinds": list[str], "after": int}, dict),
        "fork": Member({"source_id": str, "first": Event, "last": int}),
        "put_snapshot": Member({**_SESSION, "name": str, "seq": int, "data": bytes}),
        "get_snapshot": Member({**_SESSION, "name": str}),
        "damage": Member({}, list[str], is_value=True),
        "set_aside": Member({}, list[str], is_value=True),
        "sessions": Member({"root": str | None}, tuple[inarch.SessionInfo, ...]),
        "delete": Member(_SESSION),
        "put_blob": Member(_BYTES_OF, str),
        "get_blob": Member({**_SESSION, "ref": str}, bytes),
        "close": Member(),
    },
}
"""Methods that the kernel may call, by kind of object. All methods of a store have `_SERVICE_S`."""
STORE_S = _SERVICE_S

LOOKS: Mapping[str, Member] = {
    "stat": Member({"path": str}, FileStat | None),
    "read": Member({"path": str, "offset": int, "max_bytes": int | None}, inarch.FileBytes),
    "digest": Member({"path": str}, str),
    "entries": Member({"path": str}, tuple[FileStat, ...]),
    "walk": Member({"pattern": str, "limit": int | None}, inarch.Walk),
    "search": Member(
        {"pattern": str, "path": str, "glob": str | None, "ignore_case": bool, "limit": int}, inarch.SearchHits
    ),
    "confinement": Member({}, inarch.Confinement),
}
"""Requests about the workspace that every call may make."""
ASKED: Mapping[str, Mapping[str, Member]] = {
    "workspace": {
        **LOOKS,
        "replace": Member({"path": str, "chunks": bytes, "expected_hash": str | None}, FileChange),
        "remove": Member({"path": str, "expected_hash": str}, FileChange),
        "move": Member({"path": str, "new_path": str, "expected_hash": str}, FileChange),
        "restore": Member({"path": str, "entry": FileStat, "blob": bytes}, FileChange),
        "run": Member(
            {
                "argv": list[str], "rights": inarch.Rights, "cwd": str, "stdin": bytes, "timeout_s": float,
                "merged": bool, "shows": bool, "stops": bool,
            },
            inarch.Ran,
        ),
    },
    "context": {
        "earlier": Member({}, tuple[ToolCall, ...], is_value=True),
        "seen": Member({}, dict, is_value=True),
        "emit": Member({"chunk": str}),
        "output": Member({"ref": str}, bytes),
        "record": _RECORD,
        "child": Member({"task": dict}, inarch.ChildTurn, is_async=True),
    },
    "inbox": {"say": Member({"text": str}, inarch.Input), "unsay": Member({"input_id": str}, bool)},
    "situation": {"ask": Member({"request": inarch.ModelRequest}, inarch.Reply, is_async=True), "record": _RECORD},
    "slash": {
        "call": Member({"tool": str, "arguments": dict}, inarch.ToolResult, is_async=True),
        "show": Member({"text": str}),
        "record": _RECORD,
        "ask_model": Member({"name": str}),
        "submit": Member({"prompt": str}),
    },
    "tool": {
        "input_schema": Member({}, dict, is_value=True),
        "output_schema": Member({}, dict | None, is_value=True),
        **{name: member for name, member in METHODS["tools"].items() if name != "run"},
    },
}  # fmt: skip
"""Requests that a child may make about lent objects; all others are refused."""

LENT: Mapping[Any, tuple[str, Mapping[str, Any]]] = {
    Situation: ("situation", {
        "turn": inarch.Turn, "messages": tuple[inarch.Message, ...], "tools": tuple[inarch.ToolSpec, ...],
        "decision_model": str, "effectful_calls": int, "seen": dict, "happened": tuple[Event, ...],
    }),
    ToolContext: ("context", {"turn_id": str, "call_id": str, "selection": None}),
    SlashContext: ("slash", {"session_id": str, "columns": int}),
    Tool: ("tool", dict.fromkeys((
        "name", "description", "category", "timeout_s", "max_retries", "requires_confirmation", "receives_secrets",
    ))),
}  # fmt: skip
"""Objects lent to calls: the name in `ASKED`, and the attributes that a child gets at once."""

MEMBERS: Mapping[str, tuple[str, ...]] = {
    "tools": (
        "name", "description", "category", "input_schema", "output_schema", "timeout_s", "max_retries",
        "requires_confirmation", "receives_secrets",
    ),
    "models": ("name", "default_model", "default_decision_model"),
    "slash_commands": ("name", "help", "words", "at_once", "asks"),
    "events": ("name", "help", "schema"),
}  # fmt: skip
"""Attributes sent at the start, by kind; of other kinds only the name."""
TOOL_EXTRAS = ("title", "modes", "text", "least_window", "below_window", "for_a_watcher", "known_as")

_USUAL = (ProviderError, ToolFailed)
DOORS: Mapping[str, tuple[Any, tuple[type[BaseException], ...]]] = {
    "tools": ("tool", _USUAL),
    "models": ("provider", _USUAL),
    "strategies": ("strategy", _USUAL),
    "context_sources": ("source", _USUAL),
    "rewriters": ("rewriter", ()),
    "reviewers": ("reviewer", ()),
    "end_guards": ("end guard", ()),
    "policies": ("policy", ()),
    "tracers": ("tracer", ()),
    "slash_commands": ("command", (InarchError,)),
    "checks": ("check", ()),
    "stores": ("store", (InarchError,)),
    "opened": ("store", (InarchError,)),
}
"""Purpose of each kind, and the errors that pass through unchanged."""


def data_of(value: Any) -> Any:
    """Return a value as plain data; an event as its line.

    Raises:
        TypeError: It has no JSON form.
    """
    if isinstance(value, Event):
        return value.line
    if isinstance(value, (list, tuple, Iterator)):
        return [data_of(item) for item in value]
    return to_data(value)


def value_of(cls: Any, data: Any) -> Any:
    """Return the value for plain data from the other side.

    Raises:
        ValueError, TypeError, KeyError, AttributeError: It is not a value of this class.
    """
    if cls is None:
        return data
    if isinstance(cls, UnionType):  # always with None
        return None if data is None else value_of(get_args(cls)[0], data)
    if get_origin(cls) in (list, tuple):
        (item, *_), make = get_args(cls), get_origin(cls)
        return make(value_of(item, one) for one in _checked(list, data))
    if cls is float:
        return float(data)
    if cls in (str, int, bool, dict):
        return _checked(cls, data)
    if cls is bytes:
        return base64.b64decode(data, validate=True)
    if cls is Event:
        return event_of(data)
    return _effects_of(data) if cls is Effects else from_data(cls, data)


def event_of(line: Any) -> Event:
    """Return the event that a line of JSON is.

    Raises:
        ValueError: It is not an event.
    """
    try:
        envelope = json.loads(line)
        if all(type(envelope[name]) is kind for name, kind in _ENVELOPE.items()):
            return Event(**envelope)
    except (TypeError, KeyError, RecursionError):
        pass
    raise ValueError("something that is not an event")


def _checked(kind: type, data: Any) -> Any:
    if type(data) is not kind:
        raise TypeError(f"must be {kind.__name__}, not {type(data).__name__}")
    return data


def _effects_of(data: Any) -> Effects:
    """Return effects; non-boolean values are refused, not interpreted."""
    flags = {name: _checked(bool, data[name]) for name in _FLAGS}
    reads, writes = (frozenset(value_of(list[str], data[name])) for name in ("reads", "writes"))
    return Effects(reads, writes, **flags)
