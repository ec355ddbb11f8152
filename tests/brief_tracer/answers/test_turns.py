"""The tracer in whole turns: the flow as context, what a model is given, what the end of a turn says of its edits."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import inarch
from inarch.testing import ScriptedModel, calls, says, scripted_app

GENEROUS: Mapping[str, Any] = {"plugins": {"brief-tracer": {"context_seconds": 60.0, "link_seconds": 60.0}}}


def run(acme: Any, replies: list[Any], *prompts: str, config: Mapping[str, Any] = GENEROUS, **flags: Any) -> Any:
    app, model = scripted_app(replies, acme.root, config=config, flags=flags)
    events: list[inarch.Event] = []

    async def turns() -> None:
        session = app.session()
        for prompt in prompts:
            events.extend([event async for event in session.stream(prompt)])

    with app:
        asyncio.run(turns())
    return model, events


def told(model: ScriptedModel, request: int = 0) -> list[str]:
    parts = [part for message in model.requests[request].messages for part in message.parts]
    return [part.text for part in parts if isinstance(part, inarch.Text) and part.text.startswith("# Execution flow")]


def notes(events: list[inarch.Event]) -> list[str]:
    return [event.data["text"] for event in events if event.kind == "note" and "this change" in event.data["text"]]


@pytest.mark.parametrize(
    "prompt",
    [
        "fix validate_table please",
        "I am working on table validation",
        "acme/validation/table.py:3 is wrong",
        "add a check for duplicate columns to the table validation",
    ],
)
def test_a_prompt_that_names_a_function_brings_its_flow(acme: Any, prompt: str) -> None:
    model, events = run(acme, [says("done")], prompt)
    (text,) = told(model)
    assert "Entry: Acme.execute()" in text
    assert "validate_table() ← YOUR TARGET" in text
    assert [event.data.get("source") for event in events if event.kind == "context.added"].count("brief-tracer") == 1


@pytest.mark.parametrize("prompt", ["hello there", "make it better", "a websocket for push messages of the calendar"])
def test_a_prompt_that_names_nothing_brings_nothing(acme: Any, prompt: str) -> None:
    model, _ = run(acme, [says("done")], prompt)
    assert told(model) == []


def test_the_same_flow_is_described_once_a_conversation(acme: Any) -> None:
    model, _ = run(acme, [says("done"), says("done")], "fix validate_table", "fix validate_table again")
    assert len(told(model, 1)) == 1


def test_a_source_without_time_is_left_out(acme: Any) -> None:
    config = {"plugins": {"brief-tracer": {"context_seconds": 0.0}}}
    model, _ = run(acme, [says("done")], "fix validate_table", config=config)
    assert told(model) == []


@pytest.mark.parametrize("context", [True, False])
def test_an_edit_tells_what_it_is_on(acme: Any, context: bool) -> None:
    edit = {
        "file_path": "acme/validation/table.py",
        "search": 'return [] if table.get("columns") else ["no columns"]',
        "replace": 'return [] if table.get("columns") else ["there are no columns"]',
        "description": "say it better",
    }
    config = {"plugins": {"brief-tracer": {"context": context, "link_seconds": 60.0}}}
    read = calls(("read_file", {"file_path": "acme/validation/table.py"}))
    _, events = run(
        acme, [read, calls(("patch_source_file", edit)), says("done")], "change it", config=config, approve="all"
    )
    (note,) = notes(events)
    assert note.startswith("this change (check_schema) is reached from ")
    assert "1 test reaches it" in note
    assert note.endswith("pytest tests/test_table.py")


class Person:
    """Somebody who approves everything, and remembers what was said about it."""

    name = "person"

    def __init__(self) -> None:
        self.remarks: list[str] = []

    def show(self, event: inarch.Event) -> None:
        pass

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        self.remarks += [request.remark for request in batch]
        return [inarch.Approval(request.call.id, "approve") for request in batch]

    def close(self) -> None:
        pass


def test_a_question_about_an_edit_says_what_reaches_it(acme: Any) -> None:
    old, path = 'return [] if table.get("columns") else', "acme/validation/table.py"
    edits = [
        calls(("read_file", {"file_path": path})),
        calls(("patch_source_file", {"file_path": path, "search": old, "replace": f"x = 1\n    {old}"})),
        calls(("create_file", {"file_path": "new.py", "content": "def new():\n    pass\n"})),
        says("done"),
    ]
    person = Person()
    app, _ = scripted_app(edits, acme.root, config=GENEROUS)
    with app:
        app.front_end = person
        asyncio.run(app.session().run("go"))
    first, second = person.remarks
    assert first.startswith("reached from ") and first.endswith(
        "; 1 test reaches it, to run: pytest tests/test_table.py"
    )
    assert not second


def results(model: ScriptedModel, request: int = 1) -> list[Any]:
    return [
        part.result for message in model.requests[request].messages for part in message.parts if hasattr(part, "result")
    ]


def test_a_model_gets_a_list_and_the_flow_with_source_if_that_is_clear(acme: Any) -> None:
    asked = ("how does a command report what is wrong", "validate_table")
    looks = calls(*(("context_get", {"query": query}) for query in asked), ("find_symbols", {"query": asked[0]}))
    model, _ = run(acme, [looks, says("done")], "look", config={"plugins": {"brief-tracer": {"link_seconds": 60.0}}})
    doubtful, named, symbols = [result.data for result in results(model)]
    assert "target" not in doubtful and "symbols" not in symbols
    assert doubtful["confidence"] < 0.7 and "Execution Flow" not in doubtful["found"]
    places = [line.split()[1] for line in symbols["found"].splitlines()]
    assert 5 < len(places) <= 10 and len(symbols["found"]) < 1_200
    assert sorted(places, key=lambda place: place.startswith("tests/")) == places
    assert named["found"].startswith("1. acme/validation/table.py:2 validate_table — Validate a table.\n")
    assert "check_schema(table) + check_constraints(table, strict=True)" in named["found"]
