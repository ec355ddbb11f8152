"""The shipped schema is what the classes of the events say, and real lines keep to it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import jsonschema
import pytest

from inarch import EVENT_KINDS
from inarch.testing import calls, says, scripted_app
from inarch_plugins.jsonl_logger import schema
from inarch_sdk.event_log import read_sessions

FILE = Path(schema.__file__).with_name("event-log.schema.json")


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(FILE.read_text("utf-8")))


def test_the_shipped_schema_is_up_to_date() -> None:
    command = f"python -m inarch_plugins.jsonl_logger.schema > {FILE.parent.name}/{FILE.name}"
    assert FILE.read_text("utf-8") == schema.text(), f"events have changed: run `{command}` in plugins/"


def test_the_schema_is_one_and_has_every_kind(validator: jsonschema.Draft202012Validator) -> None:
    validator.check_schema(validator.schema)
    kinds = {rule["if"]["properties"]["kind"]["const"] for rule in validator.schema["allOf"]}
    assert kinds == set(EVENT_KINDS) - {"model.delta"}


def test_every_line_of_real_turns_keeps_to_the_schema(
    tmp_path: Path, validator: jsonschema.Draft202012Validator
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    logs = tmp_path / "logs"
    script = [
        calls(("read_file", {"file_path": "a.txt"}), ("write_file", {"file_path": "b.txt", "content": "two"})),
        calls(("read_file", {"file_path": "absent"}), ("no_such_tool", {}), text="then"),
        calls(("execute_command", {"command": "cat a.txt"})),
        says("done"),
    ]
    config = {
        "profiles": {"default": {"plugins": ["sandbox-fs", "sqlite-store", "jsonl-logger"], "approve": "edits"}},
        "plugins": {"jsonl-logger": {"path": str(logs), "max_mb": 0.002}},
    }
    app, _ = scripted_app(script, root, config=config, journal=True, environ={"HOME": str(tmp_path / "home")})
    with app:
        session = app.session()
        asyncio.run(session.run("look at @a.txt"))
    (log,) = [path for path in logs.iterdir() if path.name.count(".") == 1]
    files = [path for path in logs.iterdir() if path.name.startswith(log.stem)]
    assert len(files) > 1
    lines = [json.loads(line) for path in files for line in path.read_text("utf-8").split("\n") if line]
    for line in lines:
        validator.validate(line)
        assert line["schema"] == schema.SCHEMA
    kinds = {line["kind"] for line in lines}
    assert kinds >= {
        "session.started", "turn.started", "model.requested", "model.replied", "call.state", "call.result",
        "file.changed", "approval.given", "turn.ended",
    }  # fmt: skip
    sessions, problems = read_sessions(log)
    (events,) = sessions.values()
    assert problems == ()
    assert [event.seq for event in events] == list(range(1, len(lines) + 1))


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("note", {}),
        ("note", {"text": 5}),
        ("call.result", {"call_id": "c", "name": "n", "status": "error"}),
        ("turn.started", {"turn": {"id": "t"}}),
    ],
)
def test_the_schema_refuses_what_is_wrong(
    validator: jsonschema.Draft202012Validator, kind: str, data: dict[str, object]
) -> None:
    line = {"schema": 1, "seq": 1, "time": "t", "session_id": "s", "turn_id": None, "kind": kind, "data": data}
    assert not validator.is_valid(line)
    assert validator.is_valid({**line, "kind": "something.later"})
