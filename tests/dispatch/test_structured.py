"""The structured strategy over the port, with a scripted model (CAPABILITIES A1 to A5)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app

CONFIG = {"profiles": {"default": {"strategy": ["structured", "native"]}}}


def decide(tool: str | None, arguments: dict[str, Any] | None = None, **extra: Any) -> Step:
    reply = {"requires_tool_call": tool is not None, "tool_name": tool, "arguments": arguments or {}, **extra}
    return says(json.dumps(reply))


def play(
    script: list[Step], folder: Path, *prompts: str
) -> tuple[list[inarch.Turn], ScriptedModel, list[inarch.Event]]:
    root = folder / "root"
    root.mkdir(exist_ok=True)
    if not (root / "a.txt").exists():
        (root / "a.txt").write_text("alpha\n")
    app, model = scripted_app(script, root, config=CONFIG, environ={"XDG_CACHE_HOME": str(folder / "cache")})

    async def go() -> tuple[list[inarch.Turn], list[inarch.Event]]:
        session = app.session()
        turns = [await session.run(prompt) for prompt in prompts]
        events = list(app.store.load(session.id))
        await app.aclose()
        return turns, events

    turns, events = asyncio.run(go())
    return turns, model, events


def test_the_first_tool_runs_before_the_model_and_its_result_is_embedded(tmp_path: Path) -> None:
    script = [decide("read_file", {"file_path": "a.txt"}, reasoning="it is asked for"), says("alpha")]
    turns, model, events = play(script, tmp_path, "what is in a.txt?")
    user = model.requests[1].messages[-1]
    assert user.role == "user"
    texts = [part.text for part in user.parts if isinstance(part, inarch.Text)]
    assert texts[0] == "what is in a.txt?"
    assert "alpha" in texts[-1] and texts[-1].endswith("still missing.")
    assert [(call.name, call.origin) for call in turns[0].calls] == [("read_file", "strategy")]
    made = next(event for event in events if event.kind == "decision.made")
    assert (made.data["strategy"], made.data["reason"]) == ("structured", "it is asked for")


@pytest.mark.parametrize(
    "reply",
    [
        '{"requires_tool_call": true, "tool_name": "read_file", "file_path": "a.txt", "search_pattern": null}',
        '{"requires_tool_call": true, "tool_name": "read_file", "arguments": {"file_path": "a.txt", "end_line": null}}',
        '{"requires_tool_call": true, "tool_name": "read_file", "arguments": {"file_path": null, "path": "a.txt"}}',
        '{"requires_tool_call": true, "tool_name": "read_file", "path": "a.txt", "file_path": "a.txt", "to": null}',
        '{"requires_tool_call": true, "tool_name": "read_file", "path": "a.txt", "arguments": null, "command": "ls"}',
        '{"requires_tool_call": "true", "tool_name": "read_file", "arguments": {"path": "a.txt"}}',
        '{"requires_tool_call": true, "tool_name": "read_file", "parameters": {"file_path": "a.txt"}}',
        '{"requires_tool_call": true, "tool_name": "read_file", "file_path": "a.txt"}',
        '```json\n{"requires_tool_call": true, "tool_name": "read_file", "arguments": {"file_path": "a.txt"}}\n```',
    ],
)
def test_slips_are_repaired(tmp_path: Path, reply: str) -> None:
    turns, _, _ = play([says(reply), says("alpha")], tmp_path, "read a.txt")
    assert [dict(call.arguments) for call in turns[0].calls] == [{"file_path": "a.txt"}]


@pytest.mark.parametrize(
    "reply",
    [
        "no json at all",
        "[1, 2]",
        '{"tool_name": "read_file"}',
        '{"requires_tool_call": true, "tool_name": "rm_rf", "arguments": {}}',
        '{"requires_tool_call": true, "tool_name": "read_file", "arguments": {"nonsense": 1}}',
    ],
)
def test_an_invalid_reply_means_no_tool_and_is_not_remembered(tmp_path: Path, reply: str) -> None:
    turns, model, _ = play([says(reply), says("one"), decide(None), says("two")], tmp_path, "x y", "x y")
    assert [turn.content for turn in turns] == ["one", "two"]
    assert [request.purpose for request in model.requests] == ["decision", "turn", "decision", "turn"]


def test_a_changed_file_makes_the_decision_new(tmp_path: Path) -> None:
    root = tmp_path / "root"

    def change(_: inarch.ModelRequest) -> Step:
        (root / "a.txt").write_text("changed and longer\n")
        return says("one")

    script: list[Step] = [decide("read_file", {"file_path": "a.txt"}), change, decide(None), says("two")]
    _, model, _ = play(script, tmp_path, "read it", "read it")
    purposes = [request.purpose for request in model.requests]
    assert purposes == ["decision", "turn", "decision", "turn"]


def test_a_call_with_unknown_effects_makes_the_decision_new(tmp_path: Path) -> None:
    """What an exclusive tool did can't be known, so no decision from before it is used again."""
    plugin = tmp_path / "bell.py"
    plugin.write_text("import inarch\n@inarch.tool\ndef ring(context) -> str:\n    'Ring.'\n    return 'ding'\n")
    script: list[Step] = [decide("list_files"), calls(("ring", {})), says("one"), decide(None), says("two")]
    root = tmp_path / "root"
    root.mkdir()
    app, model = scripted_app(script, root, config=CONFIG, files=[str(plugin)], flags={"approve": "all"})

    async def go() -> None:
        session = app.session()
        for _ in range(2):
            await session.run("ring it")
        await app.aclose()

    asyncio.run(go())
    assert [request.purpose for request in model.requests] == ["decision", "turn", "turn", "decision", "turn"]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"hits": 1}', b"\xff", b'{"hits":1,"misses":1,"entries":{"a":3}}']
)
def test_a_damaged_cache_is_an_empty_one(tmp_path: Path, content: bytes) -> None:
    from inarch_plugins.dispatch.cache import DecisionCache

    (tmp_path / "decisions.json").write_bytes(content)
    cache = DecisionCache.beside(str(tmp_path))
    assert cache.get("a") is None
    cache.put("a", inarch.DispatchReply(False))
    assert DecisionCache.beside(str(tmp_path)).get("a") == inarch.DispatchReply(False)


def test_the_schema_of_a_decision_has_each_tools_parameters_and_takes_what_is_valid(tmp_path: Path) -> None:
    from jsonschema import Draft202012Validator

    _, model, _ = play([decide(None), says("hello")], tmp_path, "hi")
    schema = model.requests[0].response_schema
    Draft202012Validator.check_schema(schema)
    check = Draft202012Validator(schema).is_valid
    assert check({"requires_tool_call": True, "tool_name": "read_file", "arguments": {"file_path": "a.txt"}})
    assert check({"requires_tool_call": False, "tool_name": None})
    assert not check({"requires_tool_call": True, "tool_name": "rm_rf", "arguments": {}})
    assert not check({"requires_tool_call": True, "tool_name": "read_file", "arguments": {"file_path": 3}})
