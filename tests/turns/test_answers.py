"""Answers that have to keep a schema: asked for, tried a few times, told where none does, and nothing else changed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.testing import ScriptedModel, calls, says, scripted_app
from inarch_lib.schemas.answers import Unkept, read_answer, schema_fault

SCHEMA = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "lines": {"type": "integer"}},
    "additionalProperties": False,
}
GOOD = '{"name": "basket"}'


def had(root: Path, *script: Any, schema: Any = SCHEMA, **flags: Any) -> tuple[inarch.Turn, ScriptedModel, list[Any]]:
    app, model = scripted_app(ScriptedModel(script), root, flags={"output_schema": schema, **flags}, journal=True)
    events: list[inarch.Event] = []

    async def go() -> inarch.Turn:
        async with app:
            session = app.session()
            session.state.journal.listeners.append(events.append)
            turn = await session.run("go")
            kept = app.session(session.id)
            assert kept.state.earlier_messages() == session.state.earlier_messages()
            return turn

    return asyncio.run(go()), model, events


def test_a_valid_answer_ends_the_turn_and_requests_carry_the_schema(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    turn, model, _ = had(tmp_path, calls(("read_file", {"file_path": "a.txt"})), says(GOOD))
    assert (turn.status, turn.content, len(model.requests)) == ("done", GOOD, 2)
    schema = json.dumps(SCHEMA, separators=(",", ":"))
    assert all(schema in request.messages[0].text and schema not in request.system for request in model.requests)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("The name is basket.", "not one JSON value"),
        (f"Here it is:\n{GOOD}", "not one JSON value"),
        ("```json\n```", "empty"),
        ('{"name": 3}', "is not a string"),
        ('{"lines": 1}', "'name' is missing"),
        ('{"name": "a", "lines": NaN}', "NaN is no JSON"),
        ("[" * 100_000, "not one JSON value"),
    ],
)
def test_one_that_does_not_is_held_back_with_the_reason(tmp_path: Path, bad: str, why: str) -> None:
    turn, model, events = had(tmp_path, says(bad), says(GOOD))
    assert (turn.status, turn.content) == ("done", GOOD)
    assert why in model.requests[1].messages[-1].text
    (held,) = [event.data for event in events if event.kind == "turn.held"]
    assert why in held["reason"] and held["guard"] == "output_schema"


def test_after_three_the_turn_fails_and_keeps_the_last(tmp_path: Path) -> None:
    turn, model, events = had(tmp_path, *(says(f"no {n}") for n in range(1, 9)))
    assert (turn.status, turn.content, len(model.requests)) == ("failed", "no 3", 3)
    assert turn.error is not None and "answered 3 times" in turn.error
    assert [event.data["turn"]["content"] for event in events if event.kind == "turn.ended"][-1] == "no 3"


def test_a_session_and_its_turns_may_have_each_their_own(tmp_path: Path) -> None:
    app, model = scripted_app(ScriptedModel([says("words"), says("4"), says("more words")]), tmp_path)

    async def go() -> list[str]:
        async with app:
            session = app.session()
            said = [(await session.run("one")).content]
            session.change({"output_schema": {"type": "integer"}})
            said.append((await session.run("two")).content)
            session.change({"output_schema": None})
            said.append((await session.run("three")).content)
            with pytest.raises(inarch.UsageError, match="output_schema"):
                session.change({"output_schema": {"type": "integre"}})
            return said

    assert asyncio.run(go()) == ["words", "4", "more words"]
    wanted = [['"integer"' in message.text for message in request.messages] for request in model.requests]
    assert wanted == [[False], [False, False, True], [False, False, True, False, False]]


def test_a_profile_with_a_broken_one_is_refused_before_anything(tmp_path: Path) -> None:
    with pytest.raises(inarch.ConfigError, match="output-schema: must be a JSON Schema"):
        scripted_app(ScriptedModel([]), tmp_path, flags={"output_schema": {"type": 3}})


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ([], "no object"),
        ({"type": "strin"}, "not a JSON Schema"),
        ({"$ref": "other.json"}, "outside"),
        ({"$ref": "#/$defs/x"}, "not in it"),
        ({"description": "x" * 70_000}, "longer"),
    ],
)
def test_what_can_not_be_asked_for_is_said(schema: Any, why: str) -> None:
    assert why in schema_fault(schema)


def test_a_schema_that_only_contradicts_itself_deep_down_ends_all_the_same(tmp_path: Path) -> None:
    schema = {"allOf": [{"type": "integer"}, {"type": "string"}]}
    turn, model, _ = had(tmp_path, *(says("1"),) * 9, schema=schema)
    assert (turn.status, turn.content, len(model.requests)) == ("failed", "1", 3)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(value=JSON, fenced=st.booleans(), around=st.sampled_from(["", " ", "\n\n"]), indent=st.sampled_from([None, 2]))
def test_any_value_that_is_written_as_json_is_read_again(value: Any, fenced: bool, around: str, indent: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    said = f"```json\n{text}\n```" if fenced else text
    assert json.loads(read_answer(around + said + around, {"const": value} if value is not None else {})) == value


@given(text=st.text(max_size=30))
def test_what_is_no_json_is_never_an_answer(text: str) -> None:
    try:
        json.loads(text.strip())
    except ValueError:
        with pytest.raises(Unkept):
            read_answer(text, {})
