"""Folding what is damaged or cut off, event by event, and what a history knows beside turns and messages."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from inarch import Event, ToolResult
from inarch.contract.errors import StoreError
from inarch.journal.fold import History, fold, is_readable_drop
from inarch.journal.interrupted_calls import OpenCalls, Settled
from inarch.journal.resume_state import resume_kept
from inarch_sdk.memory_store import MemoryStore

TIME = "2026-01-01T00:00:00.000000Z"
CALL = {"id": "c1", "provider_id": "p1", "turn_id": "a", "name": "read_file", "arguments": {"path": "x"}}


def event(kind: str, of: str | None = "a", **data: Any) -> Event:
    return Event(1, TIME, "s", of, kind, data)


def began(turn_id: str = "a", **more: Any) -> Event:
    turn = {"id": turn_id, "type": "agent", "parent_id": None, "session_id": "s", "started": TIME, **more}
    return event("turn.started", turn_id, turn=turn)


def replied(*parts: dict[str, Any]) -> Event:
    return event("model.replied", message={"role": "assistant", "parts": [*parts]})


def said(history: History) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in history.messages]


def result(call_id: str, files: Any = None, **more: Any) -> Event:
    done = {"success": True, "metadata": {"files": files or {}}}
    return event("call.result", call_id=call_id, name="run", status="success", result=done, **more)


def test_a_turn_whose_beginning_is_lost_is_the_agents() -> None:
    (turn,) = fold([event("context.added", source="s", text="seen")]).turns
    assert (turn.id, turn.type, turn.parent_id, turn.session_id, turn.started) == ("a", "agent", None, "s", TIME)


def test_a_resume_knows_the_files_that_the_model_has_seen() -> None:
    files = {"a": "1", "b": "2", "c": "3", "d": "4", "e": "5"}
    events = [
        event("session.started", None, root="/root", version="1"),
        began("u", type="user", content="first\nprompt", status="done"),
        result("c", files=files),
        result("c", files={"e": None}),
        event("file.changed", None, call_id="u", path="a", new_path="b"),
        event("file.changed", "a", call_id="c", path="c", new_path="d"),
        event("note", None, path="c"),
        event("call.result", result=7),
    ]
    store = MemoryStore()
    store.append("s", [evolve(one, seq=number) for number, one in enumerate(events, 1)])
    history, _ = resume_kept(store, "s", OpenCalls)
    assert history.seen == {"c": "3", "d": "4"}
    assert (history.root, history.title, history.seq) == ("/root", "first prompt", 8)


@pytest.mark.parametrize(
    ("data", "is_readable"),
    [
        ({}, True),
        ({"shortened": ["t1"], "turns": ["t2"], "tokens": 1, "steps": 2, "added": 3, "results": {"c": "x"}}, True),
        ({"shortened": None, "turns": None, "results": None}, True),
        ({"shortened": [1]}, False),
        ({"shortened": "t1"}, False),
        ({"turns": [["t"]]}, False),
        ({"tokens": "many"}, False),
        ({"steps": None}, False),
        ({"added": "1"}, False),
        ({"results": ["c"]}, False),
    ],
)
def test_what_was_left_out_is_told_where_it_can_be_read(data: dict[str, Any], is_readable: bool) -> None:
    assert is_readable_drop(data) is is_readable
    assert fold([event("context.dropped", **data), event("note", **data)]).left_out == ((data,) if is_readable else ())


def test_pictures_that_are_gone_are_left_out_and_the_others_stay() -> None:
    def blob(ref: str) -> bytes:
        if ref == "gone":
            raise StoreError("missing", "no such")
        return ref.encode()

    images = [{"media_type": "image/png", "ref": ref} for ref in ("gone", "kept")]
    events = [event("context.added", source="s", text="see", images=images)]
    (message,) = fold(events, blob).messages
    assert [(one.media_type, one.data) for one in message.parts[1:]] == [("image/png", b"kept")]  # type: ignore[union-attr]
    assert len(fold(events).messages[0].parts) == 1  # nothing is kept beside them
    (message,) = fold([event("context.added", source="s", text="see", images=None)]).messages
    assert message.text == "see"


def test_a_call_that_only_its_state_tells_of_gets_a_result() -> None:
    state = event("call.state", call_id="c1", name="run", status="executing")
    (call,) = fold([state]).turns[0].calls
    assert (call.name, call.status, call.result and call.result.error and call.result.error.code) == (
        "run", "error", "unknown_outcome",
    )  # fmt: skip
    history = fold([state])
    assert [message.role for message in history.messages] == ["assistant", "tool"]
    assert (history.cut_off, history.unknown) == (("c1",), ("c1",))


def test_a_state_neither_takes_a_calls_arguments_nor_opens_it_again() -> None:
    known = event("call.state", call_id="c1", name="read_file", status="scheduled", call=CALL, after=["c0"])
    again = event("call.state", call_id="c1", name="read_file", status="executing")
    ended = result("c1", started="then", ended="now")
    (call,) = fold([known, again, ended, again]).turns[0].calls
    assert (call.arguments, call.after, call.status) == ({"path": "x"}, ("c0",), "success")
    assert (call.started, call.ended) == ("then", "now")
    assert fold([known, again, ended]).cut_off == ()


@pytest.mark.parametrize(
    ("status", "settled", "wanted"),
    [
        ("executing", ToolResult(True, "done"), "success"),
        ("executing", ToolResult(False), "cancelled"),
        ("executing", None, "error"),
        ("scheduled", ToolResult(True, "done"), "cancelled"),
    ],
)
def test_what_the_files_say_of_a_call_counts_if_it_had_begun(
    status: str, settled: ToolResult | None, wanted: str
) -> None:
    state = event("call.state", call_id="c1", name="run", status=status)
    (call,) = fold([state], settled={"c1": Settled(result=settled)}).turns[0].calls
    assert call.status == wanted
    if status == "executing" and settled:
        assert call.result is settled


@pytest.mark.parametrize(
    ("effects", "is_unknown"),
    [
        ({"reads": ["a"]}, False), ({"writes": ["a"]}, True), ({"exclusive": True}, True), ({"programs": True}, True),
        (None, True),
    ],
)  # fmt: skip
def test_only_a_call_that_changes_nothing_is_called_again_without_a_look(effects: Any, is_unknown: bool) -> None:
    state = event("call.state", call_id="c1", name="run", status="executing", effects=effects)
    (call,) = fold([state]).turns[0].calls
    assert call.result is not None and call.result.error is not None and not call.result.success
    assert call.result.error.code == ("unknown_outcome" if is_unknown else "cancelled")


def test_what_was_added_belongs_to_the_prompt_and_not_to_another_agents_turn() -> None:
    def added(turn: str, text: str) -> Event:
        return event("context.added", turn, source="s", text=text)

    user = began("u", type="user", content="prompt", status="done")
    events = [user, began(parent_id="u"), added("a", "second"), added("u", "first"), replied(TEXT)]
    (prompt, answer) = fold(events).messages
    assert [part.text for part in prompt.parts] == ["prompt", "first", "second"]  # type: ignore[union-attr]
    assert answer.text == "text"
    inner = [began(), replied(TEXT), began("b", parent_id="a"), added("b", "for the inner one")]
    assert said(fold(inner)) == [("assistant", "text"), ("user", "for the inner one")]


TEXT = {"type": "text", "text": "text"}
