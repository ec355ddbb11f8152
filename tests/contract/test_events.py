from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import attrs
import pytest

from inarch.contract import approval_records, call_events, events, other_events
from inarch.contract.codec import from_data
from inarch.contract.event_kinds import EVENT_CLASSES, EVENT_KINDS
from inarch.contract.event_parts import Branch, KeptImage, Spent
from inarch.contract.events import Event, EventData, event_data
from inarch.contract.records import CallPart, Effects, Message, Text, ToolCall, ToolError, ToolResult, Turn, Usage

HOMES = (events, call_events, approval_records, other_events)
RESULT = ToolResult(False, None, ToolError("timeout", "too slow", "wait"), {"duration_s": 1.5})
CALL = ToolCall("c", "p", "t", "read_file", {"file_path": "a.py"}, "error", RESULT, after=("b",))
TURN = Turn("t", "agent", "u", "s", "now", calls=(CALL,), usage=Usage(1, 2, cost_usd=Decimal("0.01")))
SAMPLES: dict[str, dict[str, Any]] = {
    "session.started": {"root": "/r", "version": "1", "plugins": ("a", "b"), "profile": "default",
                        "branch": Branch("s0", "t", "c", "reviewer", tools=("read_file",))},
    "turn.started": {"turn": TURN},
    "input.waiting": {"id": "i", "text": "and the tests", "by": "processes"},
    "input.ended": {"id": "i", "outcome": "added", "text": "and the tests"},
    "context.added": {"source": "mentions", "text": "…", "images": (KeptImage("image/png", "ab"),)},
    "context.dropped": {"reason": "window", "tokens": 9, "shortened": ("t",), "turns": ("u",), "results": {"c": "ref"},
                        "steps": 2, "structure": True},
    "decision.made": {"strategy": "s", "decision": "ask_model", "confidence": 0.5, "calls": ("list_files",)},
    "model.requested": {"model": "p/m", "purpose": "turn", "messages": 3, "tools": 2},
    "model.delta": {"text": "a"},
    "model.replied": {
        "model": "p/m",
        "message": Message("assistant", (Text("hi"), CallPart("c", "p", "n", {"a": [1]}, {"p": {"sig": "x"}}))),
        "usage": Usage(cost_usd=Decimal("1")),
        "finish": "stop",
    },
    "context.fixed": {"service": "a", "system": "ref", "tools": "ref", "instructions": "digest", "late": ("t",)},
    "context.broken": {"reason": "secret", "model": "a/b", "messages": 3},
    "model.switched": {"old": "a/b", "new": "c/d", "reason": "quota"},
    "call.state": {"call_id": "c", "name": "n", "status": "validating", "call": CALL,
                   "effects": Effects(frozenset({"b", "a"}), frozenset({"x/"}))},
    "call.output": {"call_id": "c", "text": "line\n"},
    "call.result": {"call_id": "c", "name": "n", "status": "error", "result": RESULT, "started": "now"},
    "call.rewritten": {"call_id": "c", "name": "n", "plugin": "p", "rewriter": "r", "arguments": {"a": [1]},
                       "decision": "ask", "reason": "why"},
    "call.reviewed": {"call_id": "c", "name": "n", "plugin": "p", "reviewer": "r", "text": "more"},
    "turn.held": {"plugin": "p", "guard": "g", "reason": "why"},
    "calls.done": {"call_ids": ("c",), "origin": "model", "refused": True},
    "approval.asked": {"call_ids": ("c",), "digests": ("d",), "reasons": ("r",)},
    "approval.given": {"call_id": "c", "outcome": "deny"},
    "file.changing": {"call_id": "c", "path": "a", "before": None, "after": "h"},
    "file.changed": {"call_id": "c", "path": "a", "before": None, "after": "h"},
    "changes.undoing": {"id": "u", "action": "undo", "calls": ("c",),
                        "changes": (call_events.FileChanged("u", "a", "h", None),)},
    "changes.undone": {"id": "u", "action": "undo", "calls": ("c",), "turns": ("t",)},
    "child.started": {"call_id": "c", "session_id": "s2", "name": "reviewer"},
    "child.ended": {"call_id": "c", "session_id": "s2", "name": "reviewer", "status": "done",
                    "spent": (Spent("turn", "", "p/m", 1, cost_usd=Decimal("0.5")),)},
    "limit.wait": {"model": "p/m", "seconds": 1.5, "reason": "429"},
    "command.ran": {"name": "help"},
    "error": {"message": "m", "plugin": "p", "door": "tool"},
    "note": {"text": "n"},
    "turn.ended": {"turn": TURN},
}  # fmt: skip


@pytest.mark.parametrize("cls", EVENT_CLASSES, ids=lambda cls: cls.kind)
def test_every_event_comes_back_from_its_line(cls: type[EventData]) -> None:
    payload = cls(**SAMPLES[cls.kind])
    event = Event(7, "2026-01-02T03:04:05.000006Z", "s", "t", cls.kind, event_data(payload))
    line = event.line
    assert "\n" not in line
    back = json.loads(line)
    assert from_data(Event, back) == event
    assert from_data(EVENT_KINDS[back["kind"]], back["data"]) == payload


def test_every_kind_has_a_sample_a_class_and_a_docstring() -> None:
    assert set(SAMPLES) == set(EVENT_KINDS)
    for cls in EVENT_CLASSES:
        assert attrs.has(cls) and cls.__doc__
    own = [
        value for home in HOMES for value in vars(home).values() if getattr(value, "__module__", "") == home.__name__
    ]
    declared = [value for value in own if isinstance(value, type) and "kind" in vars(value)]
    assert set(declared) - {Event} == set(EVENT_CLASSES)


def test_the_kinds_are_those_of_the_contract() -> None:
    source = "".join(Path(module.__file__).read_text("utf-8") for module in HOMES)
    assert sorted(re.findall(r'kind: ClassVar\[str\] = "([a-z.]+)"', source)) == sorted(EVENT_KINDS)


def test_no_plugin_has_the_first_word_of_a_kind_of_the_kernels() -> None:
    from inarch.contract.event_parts import RESERVED

    assert {kind.partition(".")[0] for kind in EVENT_KINDS} == RESERVED
