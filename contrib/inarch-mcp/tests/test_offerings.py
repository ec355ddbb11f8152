"""Instructions, resources and prompts of servers, from the stored listing: the start asks no server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import inarch
from inarch.testing import ToolContract, calls, says, scripted_app


def call(app: inarch.App, name: str, **arguments: Any) -> inarch.ToolResult:
    return asyncio.run(app.call_tool(name, arguments))


def test_instructions_are_quoted_and_cut(ground: Any) -> None:
    requests = ground.play({"w": ground.whole()}, [says("a"), says("b")], "one", "two")
    text = requests[1].messages[0].text
    assert "# Instructions of MCP server w\n" in text and "> Say please.\n> # Orders\n" in text
    assert text.count("!") < 2_048
    assert "Say please" not in "".join(one.text for one in requests[1].messages[1:])


def test_resources_are_listed_and_read(ground: Any) -> None:
    use = [
        calls(("read_resource", {"server": "w"})),
        calls(("read_resource", {"server": "w", "uri": "notes://today"})),
        calls(("w_link", {})),
        calls(("read_resource", {"server": "w", "uri": "report://7"})),
    ]
    listed, read, _, linked = ground.results(ground.play({"w": ground.whole()}, [*use, says("done")])[-1])
    assert [one["uri"] for one in listed.data["resources"]] == ["notes://today", "report://{number}"]
    assert "It rained." in read.data and "report 7" in linked.data


def test_only_known_resources_are_read_unasked(ground: Any) -> None:
    app = ground.app({"w": ground.whole(read_only=["link"])}, "ask")
    assert call(app, "read_resource", server="w", uri="notes://today").success
    refused = call(app, "read_resource", server="w", uri="report://7")
    assert refused.error is not None and refused.error.code == "denied"
    assert call(app, "w_link").success
    assert call(app, "read_resource", server="w", uri="report://7").success


def test_a_mention_reads_a_resource(ground: Any) -> None:
    config = {"plugins": ["project"]}
    (request,) = ground.play({"w": ground.whole()}, [says("done")], "What about @w:notes://today?", profile=config)
    text = request.messages[0].text
    assert "It rained." in text and "no such file" not in text


class Slash:
    """The part of a conversation that a command of a server uses."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def submit(self, prompt: str, max_cost_usd: Any = None) -> None:
        self.prompts.append(prompt)


@pytest.mark.parametrize(("words", "said"), [
    ("a.py", "Review a.py for bugs."),
    ("a.py 'two things' more", "Review a.py for two things more."),
    ("focus=speed a.py", "Review a.py for speed."),
    ("", "review needs file"),
])  # fmt: skip
def test_prompts_are_commands(ground: Any, words: str, said: str) -> None:
    ground.app({"w": ground.whole()}).close()
    app = ground.app({"w": ground.whole()})  # from the stored listing
    assert "w: w_" in app.composition.slash_commands["mcp"].value.run("")
    command = app.composition.slash_commands["w:review"].value
    assert command.asks and command.words == "file [focus]" and "Review one file." in command.help
    context: Any = Slash()
    shown = asyncio.run(command.start(words, context))
    assert said in "".join((shown, *context.prompts))


def test_resources_that_change_are_listed_anew(ground: Any) -> None:
    use = [calls(("c_grow", {"x": "1"})), calls(("read_resource", {"server": "c"})), says("done")]
    _, listed = ground.results(ground.play({"c": ground.changing(1)}, use)[-1])
    assert [one["uri"] for one in listed.data["resources"]] == ["names://5"]


def test_a_server_that_refuses_to_list_them_has_its_tools(ground: Any) -> None:
    app = ground.app({"r": ground.changing(0)})  # a name of its own: stored listings are shared by the tests
    assert {"r_echo", "read_resource"} <= app.composition.tools.keys()
    assert not app.ignored


def test_a_conversation_goes_on_in_another_process(ground: Any) -> None:
    servers = ground.config({"w": ground.whole(50)})
    kept, requests = None, []
    use = calls(("call_tool", {"name": "w_convert_unit_3", "arguments": {"amount": 1}}))
    for step in ([says("a")], [use, says("b")]):
        app, model = scripted_app(step, ground.root, config=servers, environ=ground.environ, journal=True)
        ground.apps.append(app)
        session = app.session(kept)
        kept = session.id
        assert asyncio.run(session.run("go")).status == "done"
        requests += model.requests
        app.close()
    first, second, third = requests
    assert first.tools == second.tools == third.tools and second.messages[0] == first.messages[0]
    assert sum("w_convert_unit_4:" in one.text for one in third.messages) == 1
    assert ground.results(third)[0].data == {"result": "3: 1"}


class TestReadResource(ToolContract):
    valid = ({"server": "w"}, {"server": "w", "uri": "notes://today"})
    failing = ({"server": "w", "uri": "none://here"},)

    @pytest.fixture(autouse=True)
    def composed(self, ground: Any) -> None:
        self.app = ground.app({"w": ground.whole()})

    def make(self) -> inarch.Tool:
        return self.app.composition.tools["read_resource"].value
