"""Two doors that one shipped plugin each uses serve a distribution of somebody else's beside it: ends, and children."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import inarch
from inarch import ModelRequest
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app
from inarch_testing.apps import environ_in

from .conftest import Site

SECOND_LOOK = '''
    import inarch


    @inarch.tool(effects=inarch.Effects(), timeout_s=0.0)
    async def look_again(file_path: str, context: inarch.ToolContext) -> str:
        """Have somebody else look at a file."""
        task = inarch.ChildTask("second", f"Look at {file_path}.", tools=["read_file"])
        return (await context.child(task)).turn.content


    class Looked:
        name = "looked"

        async def hold(self, ending):
            if any(call.name == "look_again" for call in ending.calls):
                return None
            return "have somebody look again"


    @inarch.hookimpl
    def inarch_end_guards(context):
        return [Looked()]
'''
STOP = """sh -c 'grep -q "stop_hook_active.*true" && exit 0; echo run the tests >&2; exit 2'"""
HOOK = {"Stop": [{"hooks": [{"type": "command", "command": STOP}]}]}


def answer(request: ModelRequest) -> Step:
    if request.messages[0].text.startswith("Look at"):
        return says("it is fine")
    said = sum(message.role == "assistant" for message in request.messages)
    wanted = {2: calls(("look_again", {"file_path": "a.txt"})), 3: calls(("task", {"agent": "explore", "prompt": "?"}))}
    return wanted.get(said, says("done"))


def test_an_installed_distribution_holds_ends_and_has_children_beside_the_shipped_plugins(
    site: Site, tmp_path: Path
) -> None:
    site.add("second-look", SECOND_LOOK)
    environ = environ_in(tmp_path / "home")
    user = Path(environ["XDG_CONFIG_HOME"]) / "inarch"
    user.mkdir(parents=True)
    (user / "hooks.json").write_text(json.dumps({"confine": False, "hooks": HOOK}))
    (site.world / "a.txt").write_text("a\n")
    config = {"profiles": {"default": {"plugins": ["...", "second-look"], "max_holds": 2, "approve": "all"}}}
    app, _ = scripted_app(ScriptedModel([answer], repeat=True), site.world, config=config, environ=environ)
    assert not app.composition.refused
    events: list[inarch.Event] = []

    async def go() -> inarch.Turn:
        async with app:
            session = app.session()
            session.state.journal.listeners.append(events.append)
            return await session.run("go")

    turn = asyncio.run(go())
    assert turn.status == "done"
    held = [(event.data["plugin"], event.data["reason"].strip()) for event in events if event.kind == "turn.held"]
    assert held == [("hooks", "run the tests"), ("second-look", "have somebody look again")]
    names = [event.data["name"] for event in events if event.kind == "child.ended" and event.data["status"] == "done"]
    assert names == ["second", "explore"]
    assert turn.calls[0].result is not None and turn.calls[0].result.data == "it is fine"
