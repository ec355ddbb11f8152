"""Whatever the calls, their order, the rules and what was approved: in plan mode nothing runs that changes things."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.plugins.registration import Bound
from inarch.testing import ScriptedModel, calls, says, scripted_app

from .conftest import Person, no, yes

KINDS: Mapping[str, inarch.Effects] = {
    "looks": inarch.Effects(reads=frozenset({"a.txt"})),
    "writes": inarch.Effects(writes=frozenset({"new.txt"})),
    "anything": inarch.Effects(exclusive=True),
    "starts": inarch.Effects(programs=True),
}
PRESENT = ("present_plan", {"plan": "the plan"})
NAMES = (*KINDS, PRESENT[0], "child")
GIVEN = {
    "rules": st.booleans(), "everything": st.booleans(), "agrees": st.booleans(),
    "batches": st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5), max_size=3),
}  # fmt: skip


def _tools(ran: list[str], mode: list[str]) -> list[inarch.Tool]:
    """Return a tool of each kind, which notes in which mode it ran, and one that has a child try them all."""

    def made(name: str, effects: inarch.Effects) -> inarch.Tool:
        @inarch.tool(name=name, effects=effects, input_schema={"type": "object", "properties": {}})
        def run() -> str:
            """Run."""
            ran.append(f"{name} in {mode[-1]}")
            return "ran"

        return run

    @inarch.tool(effects=inarch.Effects(), timeout_s=0.0)
    async def child(context: inarch.ToolContext) -> str:
        """Have a child try."""
        return (await context.child(inarch.ChildTask("child", "try it"))).turn.content

    return [*(made(name, effects) for name, effects in KINDS.items()), child]


def _script(batches: list[list[str]]) -> Any:
    steps = iter([*([PRESENT if name == "present_plan" else (name, {}) for name in batch] for batch in batches)])

    def step(request: inarch.ModelRequest) -> Any:
        if request.messages[-1].role == "user" and request.messages[-1].text.startswith("try it"):
            return calls(*((name, {}) for name in KINDS))
        if len(request.messages) == 3 and request.messages[0].text.startswith("try it"):
            return says("tried")
        batch = next(steps, None)
        return says("done") if batch is None else calls(*batch)

    return step


@given(**GIVEN)  # type: ignore[arg-type]  # a table of strategies
def test_nothing_that_changes_runs_before_the_plan_was_approved(
    rules: bool, everything: bool, agrees: bool, batches: list[list[str]]
) -> None:
    ran: list[str] = []
    mode = ["plan"]
    allowed = [{"tool": "*", "decision": "allow"}] if rules else []

    async def go(root: Path) -> None:
        model = ScriptedModel([_script(batches)], repeat=True)
        config = {"rules": allowed}
        app, _ = scripted_app(model, root, config=config, flags={"approve": "plan"})
        place = inarch.PluginContext("demo", app.config.root)
        tools = {tool.name: Bound("demo", tool, place) for tool in _tools(ran, mode)}
        app.composition = evolve(app.composition, tools={**app.composition.tools, **tools})
        app.front_end = Person({"present_plan": [yes("edits") if agrees else no("no")] * 20})
        session = app.session()
        session.state.scheduler.grants.everything = everything

        def saw(event: inarch.Event) -> None:
            if event.kind == "calls.done":
                mode.append(session.state.config.profile.approve)

        session.state.journal.listeners.append(saw)
        await session.run("go")
        await app.aclose()

    with TemporaryDirectory() as folder:
        asyncio.run(go(Path(folder)))
    early = [one for one in ran if one.endswith(" in plan") and not one.startswith("looks")]
    assert not early
    assert agrees or not [one for one in ran if not one.startswith("looks")]
