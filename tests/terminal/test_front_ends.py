"""What the front ends make of events, without a terminal."""

from __future__ import annotations

import io
import json
from decimal import Decimal

import pytest

from inarch.contract.call_events import CallResult, CallState
from inarch.contract.events import ErrorHappened, Event, EventData, ModelDelta, Note, TurnEnded, TurnStarted, event_data
from inarch.contract.other_events import CallRewritten
from inarch.contract.records import ToolCall, ToolError, ToolResult, Turn, TurnStatus, Usage
from inarch_plugins.terminal.front_ends.json import JsonFrontEnd, JsonLinesFrontEnd
from inarch_plugins.terminal.front_ends.text import TextFrontEnd

START, END = "2026-01-01T00:00:00.000000Z", "2026-01-01T00:00:02.500000Z"


def turn(status: TurnStatus = "done", content: str = "", **extra: str | None) -> Turn:
    return Turn("t", "agent", "u", "s", START, END, content, "offline/extractive", usage=Usage(cost_usd=Decimal(0)),
                status=status, **extra)  # type: ignore[arg-type]  # fmt: skip


def events(*payloads: EventData) -> list[Event]:
    return [Event(seq, START, "s", "t", payload.kind, event_data(payload)) for seq, payload in enumerate(payloads, 1)]


CALL = ToolCall("c", "", "t", "read_file", {"file_path": "a.py"})
WORK = events(
    TurnStarted(turn("running")),
    CallState("c", "read_file", "validating", CALL),
    CallState("c", "read_file", "executing", after=("b",)),
    CallResult("c", "read_file", "error", ToolResult(False, error=ToolError("not_found", "no a.py")), START, END),
    Note("mind the gap"),
    ModelDelta("The ans"),
    ModelDelta("wer"),
    TurnEnded(turn("done", "The answer")),
)


def test_json_is_one_object_with_the_calls(capsys: pytest.CaptureFixture[str]) -> None:
    out = io.StringIO()
    front_end = JsonFrontEnd(out)
    for event in WORK:
        front_end.show(event)
    front_end.close()
    record = json.loads(out.getvalue())
    assert list(record) == ["session_id", "turn", "answer", "usage", "denied", "exit"]
    assert (record["session_id"], record["answer"], record["exit"]) == ("s", "The answer", 0)
    (call,) = record["turn"]["calls"]
    assert call["status"] == "error" and call["result"]["error"]["code"] == "not_found"
    assert call["arguments"] == {"file_path": "a.py"} and call["after"] == ["b"]
    assert "mind the gap" in capsys.readouterr().err


@pytest.mark.parametrize(("status", "code"), [("failed", 1), ("limited", 3), ("cancelled", 130)])
def test_json_carries_the_exit_code(status: TurnStatus, code: int) -> None:
    out = io.StringIO()
    front_end = JsonFrontEnd(out)
    for event in events(TurnStarted(turn("running")), TurnEnded(turn(status))):
        front_end.show(event)
    assert json.loads(out.getvalue())["exit"] == code


def test_json_of_a_turn_that_never_ended_is_still_an_object() -> None:
    out = io.StringIO()
    front_end = JsonFrontEnd(out)
    for event in WORK[:3]:
        front_end.show(event)
    front_end.close()
    front_end.close()
    assert json.loads(out.getvalue())["turn"]["calls"][0]["status"] == "executing"


def test_jsonl_is_every_stored_event() -> None:
    out = io.StringIO()
    front_end = JsonLinesFrontEnd(out)
    for event in WORK:
        front_end.show(event)
    kinds = [json.loads(line)["kind"] for line in out.getvalue().splitlines()]
    assert kinds == [event.kind for event in WORK if event.kind != "model.delta"]


def test_text_writes_the_answer_once_and_notes_once(capsys: pytest.CaptureFixture[str]) -> None:
    out, err = io.StringIO(), io.StringIO()
    front_end = TextFrontEnd(out, err)
    for event in [*WORK[:5], WORK[4], *WORK[5:]]:
        front_end.show(event)
    assert out.getvalue() == "The answer\n"
    assert err.getvalue() == ""
    assert capsys.readouterr().err.splitlines() == [
        "inarch: call: read_file a.py · 2.5 s · error: not_found: no a.py",
        "inarch: note: mind the gap",
        "inarch: turn: no tokens · $0 · 2.5 s",
    ]


def test_a_rewritten_call_goes_on_under_its_new_title_cut_where_it_is_long(capsys: pytest.CaptureFixture[str]) -> None:
    front_end = TextFrontEnd(io.StringIO(), io.StringIO())
    front_end.name_calls(lambda name, arguments: f"Read {arguments['file_path']}")
    done = CallResult("c", "read_file", "success", ToolResult(True, ""), None, END)
    for event in events(
        CallState("c", "read_file", "validating", CALL),
        CallRewritten("c", "read_file", "p", "r", {"file_path": "b" * 999}),
        done,
    ):
        front_end.show(event)
    note, call = capsys.readouterr().err.splitlines()
    assert note.startswith("inarch: note: Read a.py: p rewrites it to ")
    assert call == f"inarch: call: Read {'b' * 154}…"


def test_a_script_is_told_what_was_denied_and_what_would_allow_it(capsys: pytest.CaptureFixture[str]) -> None:
    denied = ToolError("denied", "write_file needs approval", "run with --approve edits, or:\n[[rules]]\ntool = 'x'")
    twice = [CallResult(id, "write_file", "error", ToolResult(False, error=denied), None, END) for id in "ab"]
    for quiet in (False, True):
        front_end = TextFrontEnd(io.StringIO(), io.StringIO(), quiet=quiet)
        for event in events(TurnStarted(turn("running")), *twice):
            front_end.show(event)
        said = capsys.readouterr().err
        call = "inarch: call: write_file · denied\n"
        told = "inarch: note: it needs approval\n  run with --approve edits, or:\n  [[rules]]\n  tool = 'x'\n"
        assert said == ("" if quiet else f"{call}{told}{call}")


def test_quiet_is_the_answer_only_but_errors_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    out = io.StringIO()
    front_end = TextFrontEnd(out, io.StringIO(), quiet=True)
    failed = events(ErrorHappened("no luck", "try again"), TurnEnded(turn("failed", error="no luck (try again)")))
    for event in [*WORK[:5], *failed]:
        front_end.show(event)
    assert out.getvalue() == ""
    assert capsys.readouterr().err == "inarch: error: no luck (try again)\n"


def test_json_stays_one_line_and_whole_with_odd_text() -> None:
    out = io.StringIO()
    front_end = JsonFrontEnd(out)
    for event in events(TurnStarted(turn("running")), TurnEnded(turn("done", "one\ntwo\u202e\x1b"))):
        front_end.show(event)
    (line,) = out.getvalue().splitlines()
    assert json.loads(line)["answer"] == "one\ntwo\u202e\x1b"
