"""The tracer in whole turns: the flow as context, the strategy, and what the end of a turn tells of its edits."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

import inarch
from inarch.testing import ScriptedModel, calls, says, scripted_app
from inarch_brief_tracer.answers.trace_first import planned
from inarch_brief_tracer.indexing.index import Index
from inarch_brief_tracer.store.database import Store
from inarch_brief_tracer.store.kept_files import Shelf
from inarch_sandbox_fs import inarch_workspaces

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


def test_the_same_flow_is_told_once_a_conversation(acme: Any) -> None:
    model, _ = run(acme, [says("done"), says("done")], "fix validate_table", "fix validate_table again")
    assert len(told(model, 1)) == 1


def test_the_source_can_be_switched_off(acme: Any) -> None:
    model, _ = run(acme, [says("done")], "fix validate_table", config={"plugins": {"brief-tracer": {"context": False}}})
    assert told(model) == []


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
    assert note.startswith("this change (check_schema) is on ")
    assert "1 test reaches it" in note
    assert note.endswith("pytest tests/test_table.py")


def test_a_turn_that_changes_no_python_tells_nothing(acme: Any) -> None:
    write = calls(("create_file", {"file_path": "notes.txt", "content": "x"}))
    _, events = run(acme, [write, says("done")], "note it", approve="all")
    assert notes(events) == []


def test_trace_first_begins_with_the_graph(acme: Any) -> None:
    model, events = run(acme, [says("done")], "what breaks if I change `check_schema`?", strategy="trace-first")
    decision = next(event.data for event in events if event.kind == "decision.made")
    assert decision["strategy"] == "trace-first"
    results = [
        part.result for message in model.requests[0].messages for part in message.parts if hasattr(part, "result")
    ]
    assert "Acme.execute()" in results[0].data["flow"]


@pytest.mark.parametrize(
    ("prompt", "name", "arguments"),
    [
        ("who calls `validate_table`?", "trace_execution", {"function": "validate_table", "direction": "up"}),
        ("what breaks if I rename Till.add?", "trace_execution", {"function": "Till.add", "direction": "up"}),
        ("what does run_all() call", "trace_execution", {"function": "run_all", "direction": "down", "depth": 4}),
        ("how does table validation work?", "context_get", {"query": "how does table validation work?"}),
        ("where is price_of defined?", "context_get", {"query": "price_of"}),
    ],
)
def test_questions_about_the_flow_plan_a_call(prompt: str, name: str, arguments: dict[str, Any]) -> None:
    assert planned(prompt) == inarch.PlannedCall(name, arguments)


@pytest.mark.parametrize("prompt", ["hello", "fix the bug in validate_table", "write a README"])
def test_other_prompts_are_passed_on(prompt: str) -> None:
    assert planned(prompt) is None


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("acme/validation/table.py", 'return [] if table.get("columns") else ["no columns"]', "check_schema"),
        ("acme/commands/table.py", "return errors", "TableCommand.execute"),
    ],
)
def test_a_file_written_anew_is_compared_with_what_it_held(acme: Any, path: str, line: str, name: str) -> None:
    text = (acme.root / path).read_text()
    written = "# A new first line.\n" + text.replace(line, f"{line} or []")
    write = calls(("write_file", {"file_path": path, "content": written}))
    config = {"plugins": {"brief-tracer": {"context": False, "link_seconds": 60.0}}}
    read = calls(("read_file", {"file_path": path}))
    _, events = run(acme, [read, write, says("done")], "change it", config=config, approve="all")
    (note,) = notes(events)
    assert note.startswith(f"this change ({name}) is on ")


def test_a_whole_file_that_nobody_saw_before_is_said_to_be_one(acme: Any) -> None:
    from inarch_brief_tracer.answers.impact import impact, summed_up, touched

    index = Index(Store("", str(acme.root)), 60.0, 60.0)
    (spec,) = inarch_workspaces(inarch.PluginContext("sandbox-fs", str(acme.root)))
    workspace = spec.open(str(acme.root))
    path = "acme/validation/table.py"
    try:
        with index.opened(workspace, linked=True) as (connection, coverage):
            shelf = Shelf(connection, lambda name: (acme.root / name).read_bytes())
            graph = index.links.graph(shelf, coverage.linked)
            everything = touched(graph, path, [""])
            assert len(everything) == 4
            assert touched(graph, path, [""], (acme.root / path).read_bytes()) == []
            text = summed_up(impact(graph, everything, (path,)), "")
    finally:
        index.links.close()
        workspace.close()
    assert text.startswith(f"this change (the whole of {path}) is on ")


def test_definitions_are_compared_by_what_they_do() -> None:
    from inarch_brief_tracer.facts.changed_functions import changed_lines

    before = b"def a():\n    def b():\n        return 1\n    return b\n\n\ndef c(): pass\n"
    after = b"# moved\ndef c(): pass\n\n\ndef a():\n    def b():\n        return 2\n    return b\n\n\ndef d(): pass\n"
    assert changed_lines(before, after) == [6, 11]
    assert changed_lines(b"", after) == [2, 5, 6, 11]
    assert changed_lines(before, before) == []
    assert changed_lines(b"def (", after) is None
