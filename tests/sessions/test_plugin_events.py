"""Events that a plugin records: checked, freed of secrets, kept, shown, restored and said again in a replay."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inarch
from inarch.contract.event_parts import is_plugins
from inarch.journal.fold import fold
from inarch.testing import calls, says, scripted_app
from inarch_plugins.commands.sessions.session_text import line_of
from inarch_sdk.log_restore import restore_log

NOTING = str(Path(__file__).parents[1] / "terminal" / "noting.py")
MODES = pytest.mark.parametrize("mode", ["in-process", "process"])
SECRET = "sk-or-v1-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text() | st.floats(-1e9, 1e9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
OBJECT = st.dictionaries(st.text(max_size=8), JSON, max_size=4)


def recorded(
    root: Path, asked: Sequence[Mapping[str, Any]], mode: str = "in-process", **more: Any
) -> tuple[str, list[inarch.Event]]:
    """Return a session in which the model has the plugin's tool record, and its events."""
    root.mkdir(exist_ok=True)
    script = [calls(*(("jot", dict(one)) for one in asked)), says("done")]
    config = {"isolation": {"noting": {"mode": mode}}, **more.pop("config", {})}
    app, _ = scripted_app(script, root, files=(NOTING,), config=config, journal=True, **more)
    with app:
        session = app.session()
        asyncio.run(session.run("jot this down"))
        return session.id, list(app.store.load(session.id))


def of_plugins(events: Sequence[inarch.Event]) -> list[tuple[str, Any]]:
    return [(event.kind, event.data) for event in events if is_plugins(event.kind)]


@MODES
def test_a_tool_records_an_event_of_its_turn_before_its_result(tmp_path: Path, mode: str) -> None:
    data = {"text": "milk", "size": 4}
    _, events = recorded(tmp_path / "root", [{"data": data}], mode)
    (event,) = [one for one in events if one.kind == "noting.noted"]
    assert event.data == data
    (turn,) = fold(events).turns[1:]
    assert event.turn_id == turn.id
    assert event.seq < next(one.seq for one in events if one.kind == "call.result")


@MODES
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"data": {"text": "no size"}}, "event noting.noted: member 'size' is missing"),
        ({"data": {"size": "4"}}, "event noting.noted: size: '4' is not an integer"),
        ({"data": {"size": 4}, "name": "lost"}, "there is no event 'noting.lost': 'noting' declares noting.any"),
        ({"data": {"size": 4}, "name": "noted.x"}, "there is no event 'noting.noted.x'"),
        ({"data": {"text": "x" * 70_000}, "name": "any"}, "more than the 65,536 that an event may have"),
    ],
)
def test_what_was_not_declared_is_the_calls_failure_and_no_event(
    tmp_path: Path, mode: str, asked: dict[str, Any], said: str
) -> None:
    _, events = recorded(tmp_path / "root", [asked], mode)
    assert not of_plugins(events)
    (result,) = [event.data["result"] for event in events if event.kind == "call.result"]
    assert said in result["error"]["message"]
    assert fold(events).turns[-1].content == "done"


def test_no_secret_is_kept_in_one(tmp_path: Path) -> None:
    environ = {"OPENROUTER_API_KEY": SECRET}
    _, events = recorded(tmp_path / "root", [{"data": {"text": f"key {SECRET}", "size": 1}}], environ=environ)
    assert SECRET not in "".join(event.line for event in events)
    assert of_plugins(events) == [("noting.noted", {"text": "key ‹secret:OPENROUTER_API_KEY›", "size": 1})]


def test_they_are_read_and_restored_without_their_plugin(tmp_path: Path) -> None:
    root = tmp_path / "root"
    session_id, events = recorded(root, [{"data": {"text": "milk", "size": 4}}])
    log = tmp_path / "events.jsonl"
    log.write_text("".join(json.dumps({"schema": 1, **json.loads(event.line)}) + "\n" for event in events))
    store = inarch.open_store("memory", "")
    restored = restore_log(store, log, str(root))
    assert [one.events for one in restored.sessions] == [len(events)]
    assert of_plugins(list(store.load(session_id))) == of_plugins(events) != []
    app, _ = scripted_app([says("on")], root, journal=True)
    with app:
        assert asyncio.run(app.session(session_id).run("go on")).content == "on"


@settings(max_examples=settings().max_examples)
@given(st.lists(OBJECT, min_size=1, max_size=4))
def test_data_is_the_same_in_store_log_and_restored_store(data: list[dict[str, Any]]) -> None:
    from inarch.journal.journal import Journal
    from inarch.plugins.registration import Bound, DeclaredEvents
    from inarch_sdk.memory_store import MemoryStore

    context = inarch.PluginContext("demo", "/")
    declared = DeclaredEvents([Bound("demo", inarch.EventKind("any", "Anything."), context)])
    store = MemoryStore()
    journal = Journal(store, "s")
    for one in data:
        journal.record(declared.checked("demo", "any", one), "turn")
    kept = list(store.load("s"))
    read = [inarch.from_data(inarch.Event, json.loads(event.line)) for event in kept]
    assert [event.line for event in read] == [event.line for event in kept]
    assert [event.data for event in read] == [event.data for event in kept]
    assert all(line_of(event).startswith("demo.any: ") and "\n" not in line_of(event) for event in kept)
    assert not fold(kept).messages


@pytest.mark.parametrize(
    ("kind", "expected"), [("notes.saved", True), ("turn.paused", False), ("file.copied", False), ("note", False)]
)
def test_kinds_with_a_first_word_of_the_kernel_are_not_a_plugins(kind: str, expected: bool) -> None:
    assert is_plugins(kind) is expected
