"""Tools beyond a number stay out of requests: an index says that they exist, and `tool_search` loads them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inarch_mcp.definitions import Definition
from inarch_mcp.server_tools import ServerTool
from inarch_mcp.tool_search import LONGEST_INDEX, ToolSearch, index

import inarch
from inarch.testing import ScriptedModel, ToolContract, calls, says, scripted_app


def sent(request: inarch.ModelRequest) -> str:
    return json.dumps(inarch.to_data(request))


def test_of_500_tools_the_one_that_is_needed_is_found_and_called(ground: Any) -> None:
    find = calls(("tool_search", {"query": "convert unit 431"}))
    use = calls(("call_tool", {"name": "w_convert_unit_431", "arguments": {"amount": 7}}))
    requests = ground.play({"w": ground.whole(600)}, [find, use, says("done")])
    assert len(requests[0].tools) < 60
    assert "w_convert_unit_431" in sent(requests[0]), "the index names it"
    found, used = ground.results(requests[2])
    assert found.data["tools"][0]["name"] == "w_convert_unit_431"
    assert found.data["tools"][0]["arguments"]["properties"]["amount"]["type"] == "integer"
    assert used.data == {"result": "431: 7"}


def test_a_deferred_tool_runs_though_it_was_not_loaded(ground: Any) -> None:
    use = calls(("w_convert_unit_3", {"amount": 1}), ("w_convert_unit_4", {"amount": "much"}))
    requests = ground.play({"w": ground.whole(50)}, [use, says("done")])
    fine, wrong = ground.results(requests[1])
    assert fine.data == {"result": "3: 1"}
    assert wrong.error is not None and "w_convert_unit_4" in wrong.error.remedy


def test_the_same_names_are_told_once_in_a_conversation(ground: Any) -> None:
    requests = ground.play({"w": ground.whole(50)}, [says("a"), says("b")], "one", "two")
    assert sent(requests[1]).count("w_convert_unit_3:") == 1


@pytest.mark.parametrize(("many", "server", "setting", "deferred"), [
    (10, {}, {}, False),
    (50, {}, {}, True),
    (10, {}, {"deferred": "always"}, True),
    (50, {}, {"deferred": "never"}, False),
    (50, {"always": True}, {}, False),
])  # fmt: skip
def test_when_they_are_deferred(ground: Any, many: int, server: Any, setting: Any, deferred: bool) -> None:
    (request,) = ground.play({"w": ground.whole(many, **server)}, [says("done")], **setting)
    names = {tool.name for tool in request.tools}
    assert ("tool_search" in names) is deferred
    assert ("w_convert_unit_9" not in names) is deferred


@pytest.mark.parametrize(("window", "deferred"), [(8_000, True), (200_000, False), (None, False)])
def test_they_are_deferred_if_they_take_a_tenth_of_the_window(ground: Any, window: int | None, deferred: bool) -> None:
    class Small(ScriptedModel):
        def limits(self, model: str) -> inarch.Limits:
            return inarch.Limits(window)

    find = calls(("tool_search", {"select": ["w_convert_unit_9"]}))
    first, second = ground.play({"w": ground.whole(20)}, Small([find, says("done")]))
    names = {tool.name for tool in first.tools}
    assert ("tool_search" in names) is deferred
    assert ("w_convert_unit_9" not in names) is deferred
    assert ground.results(second)[0].success


@pytest.mark.parametrize("growth", [1, 60])
def test_tools_that_come_during_a_turn_can_be_used_in_it(ground: Any, growth: int) -> None:
    find = calls(("tool_search", {"query": "late_0"}))
    late = calls(("c_late_0", {"x": "2"}), ("c_echo", {"x": "3"}))
    requests = ground.play({"c": ground.changing(growth)}, [calls(("c_grow", {"x": "1"})), find, late, says("done")])
    assert [result.data for result in ground.results(requests[-1])][-2:] == ["late_0 2", "echo 3"]
    told = requests[1].messages[-1].text
    assert ("c_late_0" in told) is (growth == 1), "one is told whole; of many only the search"
    assert "tool_search" in told or growth == 1


def test_tools_that_go_are_refused_and_stay_in_the_list(ground: Any) -> None:
    use = calls(("c_echo", {"x": "1"}))
    requests = ground.play({"c": ground.changing(0)}, [calls(("c_shrink", {"x": "0"})), use, says("done")])
    gone = ground.results(requests[-1])[-1]
    assert gone.error is not None and "does not offer echo any more" in gone.error.message


@pytest.mark.parametrize("tools", [None, ["w_convert_unit_7"]])
def test_a_child_finds_tools_or_has_their_definitions(ground: Any, tools: list[str] | None) -> None:
    @inarch.tool(effects=inarch.Effects(exclusive=True))
    async def task(prompt: str, context: inarch.ToolContext) -> str:
        """Have it done."""
        return (await context.child(inarch.ChildTask("helper", prompt, tools=tools))).turn.content

    task.timeout_s = 0.0
    use = calls(("call_tool", {"name": "w_convert_unit_7", "arguments": {"amount": 7}}))
    config = ground.config({"w": ground.whole(50)})
    script = [calls(("task", {"prompt": "go"})), use, says("done"), says("so")]
    app, model = scripted_app(script, ground.root, config=config, environ=ground.environ)
    ground.apps.append(app)
    app.composition = app.composition.adding("tools", task, inarch.PluginContext("own", str(ground.root)))
    asyncio.run(app.session().run("go"))
    first, second = model.requests[1:3]
    names = {spec.name for spec in first.tools}
    assert "call_tool" in names and ("tool_search" in names) is (tools is None)
    assert ('"amount"' in first.messages[0].text) is (tools is not None)
    assert ("w_convert_unit_8" in first.messages[0].text) is (tools is None)
    assert ground.results(second)[0].data == {"result": "7: 7"}


NAMES = st.text("abcdefgh_", min_size=1, max_size=40)


@given(st.lists(st.tuples(NAMES, st.text(max_size=300)), max_size=700, unique_by=lambda pair: pair[0]))
def test_the_index_is_bounded(given: list[tuple[str, str]]) -> None:
    tools = [
        ServerTool(name, "s", Definition(name, about or name, {}), True, 1.0, {}, None)  # type: ignore[arg-type]
        for name, about in given
    ]
    text = index(tools)
    assert len(text) < LONGEST_INDEX + 200
    assert not tools or len(tools) > 100 or all(tool.name in text for tool in tools)


class TestToolSearch(ToolContract):
    valid = ({"query": "convert unit"}, {"select": ["w_convert_unit_1"]}, {"query": "select:mcp__w__convert_unit_2"})
    failing = ({}, {"query": "zzz"}, {"select": ["no_such_tool"]})

    @pytest.fixture(autouse=True)
    def composed(self, ground: Any) -> None:
        self.app = ground.app({"w": ground.whole(50)})

    def make(self) -> inarch.Tool:
        tool = self.app.composition.tools["tool_search"].value
        assert isinstance(tool, ToolSearch)
        return tool
