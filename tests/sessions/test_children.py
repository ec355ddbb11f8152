"""Child sessions: within the rights, the money and the time of the call that begins them, and part of its record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from attrs import define, evolve, field
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch import Approval, ChildTask, ModelRequest, Price, Usage, tool
from inarch.contract.approval_records import ApprovalRequest
from inarch.contract.children import DEEPEST
from inarch.plugins.registration import Bound
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app

WRITE = ("write_file", {"file_path": "made.txt", "content": "made\n"})


def prompt_of(request: ModelRequest) -> str:
    return next(message.text for message in request.messages if message.role == "user").split("\n")[0]


@define(eq=False)
class Family:
    """A session whose tool `task` has children do what `scripts` says for their prompts."""

    root: Path
    scripts: dict[str, list[Step]]
    options: dict[str, Any] = field(factory=dict)
    price: Price | None = None
    tools: list[str] | None = None
    settings: dict[str, Any] = field(factory=dict)
    instructions: str = ""
    effects: inarch.Effects = field(factory=lambda: inarch.Effects(exclusive=True))
    work_in: str = ""
    closing: ExitStack = field(kw_only=True)
    model: ScriptedModel = field(init=False)
    app: inarch.App = field(init=False)
    session: inarch.Session = field(init=False)
    state: str = ""
    children: list[inarch.ChildTurn] = field(factory=list)
    events: list[inarch.Event] = field(factory=list)
    seen: list[inarch.Event] = field(factory=list)

    def open(self, session_id: str | None = None) -> Family:
        def answers(request: ModelRequest) -> Step:
            steps = sum(message.role == "assistant" for message in request.messages)
            return self.scripts[prompt_of(request)][steps]

        self.model = ScriptedModel([answers], repeat=True, cost=self.price)
        options = {"config": {"profiles": {"default": {"approve": "all"}}}, "journal": True, **self.options}
        self.app, _ = scripted_app(self.model, self.root, **options)
        self.closing.callback(self.app.close)

        @tool(effects=self.effects)
        async def task(prompt: str, context: inarch.ToolContext) -> dict[str, Any]:
            """Have it done."""
            asked = ChildTask("helper", prompt, self.instructions, self.tools, self.settings, saw=self.seen.append)
            if self.work_in:
                asked = evolve(asked, root=str(context.state / self.work_in))
            done = await context.child(asked)
            self.children.append(done)
            return {"answer": done.turn.content, "status": done.turn.status, "files": list(done.files)}

        task.timeout_s = 0.0
        bound = Bound("agents", task, inarch.PluginContext("agents", str(self.root), state_dir=self.state))
        self.app.composition = evolve(self.app.composition, tools={**self.app.composition.tools, "task": bound})
        self.session = self.app.session(session_id)
        self.session.state.journal.listeners.append(self.events.append)
        return self

    def run(self, prompt: str = "parent") -> inarch.Turn:
        async def go() -> inarch.Turn:
            return await self.session.run(prompt)

        return asyncio.run(go())

    def kept(self, session_id: str) -> list[inarch.Event]:
        return list(self.app.store.load(session_id))


Families = Callable[..., Family]


@pytest.fixture
def family_of() -> Iterator[Families]:
    """Return what makes families whose applications are closed in the end."""
    with ExitStack() as closing:
        yield partial(Family, closing=closing)


def tasks(*prompts: str) -> Step:
    return calls(*(("task", {"prompt": prompt}) for prompt in prompts))


def test_a_child_answers_in_a_session_of_its_own_that_is_a_branch(family_of: Families, tmp_path: Path) -> None:
    script = {"parent": [tasks("child"), says("so it is")], "child": [calls(WRITE), says("made it")]}
    family = family_of(tmp_path, script, instructions="You are brief.").open()
    turn = family.run()
    (child,) = family.children
    assert turn.content == "so it is" and turn.calls[0].result is not None
    assert turn.calls[0].result.data == {"answer": "made it", "status": "done", "files": ["made.txt"]}
    began = family.kept(child.session_id)[0].data["branch"]
    assert (began["parent"], began["turn_id"], began["call_id"]) == (family.session.id, turn.id, turn.calls[0].id)
    assert (began["name"], began["depth"]) == ("helper", 1)
    (asked,) = {request.system for request in family.model.requests if prompt_of(request) == "child"}
    assert asked.endswith("You are brief.") and "brief" not in family.model.requests[0].system
    started, ended = (event.data for event in family.events if event.kind.startswith("child."))
    assert started["session_id"] == ended["session_id"] == child.session_id and ended["status"] == "done"
    assert {event.session_id for event in family.seen} == {child.session_id}
    assert {event.session_id for event in family.events} == {family.session.id}


def test_what_a_child_took_is_part_of_what_the_parent_took(family_of: Families, tmp_path: Path) -> None:
    cost = [says("done", Usage(100, 20, cost_usd=Decimal("0.5")))]
    family = family_of(tmp_path, {"parent": [tasks("one", "two"), says("both")], "one": cost, "two": cost}).open()
    turn = family.run()
    assert (turn.usage.input_tokens, turn.usage.cost_usd) == (220, Decimal("1.0"))
    rows = [row for row in family.session.state.ledger.rows() if row.purpose == "child"]
    assert [(row.plugin, row.requests, row.cost_usd) for row in rows] == [("helper", 2, Decimal("1.0"))]
    again = family_of(tmp_path, {}).open(family.session.id)
    assert again.session.state.ledger.total() == family.session.state.ledger.total()


def test_undo_of_the_parents_turn_takes_back_what_its_child_changed(family_of: Families, tmp_path: Path) -> None:
    family = family_of(tmp_path, {"parent": [tasks("child"), says("so")], "child": [calls(WRITE), says("made")]}).open()
    family.run()
    assert (tmp_path / "made.txt").read_text() == "made\n"
    assert family.session.undo().done
    assert not (tmp_path / "made.txt").exists()
    assert family.session.redo().done
    assert (tmp_path / "made.txt").read_text() == "made\n"


def test_a_child_has_no_tool_that_its_caller_has_not(family_of: Families, tmp_path: Path) -> None:
    script = {"parent": [tasks("child"), says("ok")], "child": [calls(WRITE), says("could not")]}
    family = family_of(tmp_path, script, tools=["read_file"]).open()
    family.run()
    (child,) = family.children
    assert child.turn.calls[0].result.error.code == "not_found" and not (tmp_path / "made.txt").exists()
    assert [spec.name for spec in family.model.requests[1].tools] == ["read_file"]
    again = family_of(tmp_path, {"child": [*script["child"], calls(WRITE), says("still not")]}).open(child.session_id)
    assert again.run("more").calls[0].result.error.code == "not_found"  # also when it is gone on with by itself
    wrong = family_of(tmp_path, script, tools=["read_file", "fly"]).open()
    assert "fly" in str(wrong.run().calls[0].result.error)


@pytest.mark.parametrize("rules", [[], [{"tool": "*", "decision": "allow"}]], ids=["no rules", "allowed"])
@pytest.mark.parametrize("mode", ["none", "all"])
def test_a_call_that_changes_nothing_has_a_child_that_only_reads(
    family_of: Families, tmp_path: Path, mode: str, rules: list[dict[str, str]]
) -> None:
    script = {"parent": [tasks("child"), says("ok")], "child": [calls(WRITE), says("no")]}
    settings = {"flags": {"approve": mode}, "config": {"rules": rules}}
    family = family_of(tmp_path, script, settings, effects=inarch.Effects()).open()
    family.run()
    assert family.children[0].turn.calls[0].result.error.code == "denied"
    assert not (tmp_path / "made.txt").exists()


class Person:
    name = "person"

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.open = 0

    def show(self, event: inarch.Event) -> None:
        """Look on."""

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        self.open += 1
        assert self.open == 1, "two questions at once"
        await asyncio.sleep(0)
        self.asked += [(one.call.name, one.reason) for one in batch]
        self.open -= 1
        return [Approval(one.call.id, "approve") for one in batch]

    def close(self) -> None:
        """Go."""


def test_questions_of_children_come_to_the_person_one_by_one_with_their_name(
    family_of: Families, tmp_path: Path
) -> None:
    person = Person()
    made = {name: [calls(("write_file", {"file_path": name, "content": "x"})), says("ok")] for name in ("a", "b")}
    script = {"parent": [tasks("a"), tasks("b"), says("done")], **made}
    family = family_of(tmp_path, script, {"flags": {"approve": "ask"}, "front_end": person}).open()
    family.run()
    names = [name for name, _ in person.asked]
    assert names == ["task", "write_file", "task", "write_file"]
    assert all(reason.startswith("helper: ") for name, reason in person.asked if name == "write_file")


def test_circles_of_children_end(family_of: Families, tmp_path: Path) -> None:
    family = family_of(tmp_path, {"parent": [tasks("parent"), says("back")]}).open()
    family.run()
    assert len(family.children) == DEEPEST
    deepest = family.children[0].turn.calls[0].result
    assert f"children end at {DEEPEST}" in str(deepest.error)


def test_a_cancel_reaches_every_child(family_of: Families, tmp_path: Path) -> None:
    script = {"parent": [tasks("one", "two")], "one": [[60.0]], "two": [[60.0]]}
    family = family_of(tmp_path, script, effects=inarch.Effects()).open()

    async def go() -> None:
        running = asyncio.create_task(family.session.run("parent"))
        while sum(event.kind == "child.started" for event in family.events) < 2:
            await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(go())
    ended = [event.data for event in family.events if event.kind == "child.ended"]
    assert [one["status"] for one in ended] == ["cancelled", "cancelled"]
    for one in ended:
        last = family.kept(one["session_id"])[-1]
        assert (last.kind, last.data["turn"]["status"]) == ("turn.ended", "cancelled")


def test_a_child_can_be_gone_on_with_by_its_own_parent_only(family_of: Families, tmp_path: Path) -> None:
    family = family_of(
        tmp_path, {"parent": [tasks("child"), says("ok")], "child": [says("first"), says("second")]}
    ).open()
    family.run()

    async def again(session: inarch.Session, session_id: str) -> inarch.ToolResult:
        @tool(effects=inarch.Effects())
        async def more(context: inarch.ToolContext) -> str:
            """Ask it again."""
            return (await context.child(ChildTask("helper", "and?", session_id=session_id))).turn.content

        bound = Bound("agents", more, inarch.PluginContext("agents", str(tmp_path)))
        tools = dict(session.state.scheduler.tools)
        session.state.scheduler.tools = session.state.scheduler.preparation.tools = {**tools, "more": bound}
        return await session.call_tool("more", {})

    first = family.children[0].session_id
    assert asyncio.run(again(family.session, first)).data == "second"
    assert len(family.kept(first)[1:]) > 4
    other = family.app.session()
    assert "is not a helper of this session" in str(asyncio.run(again(other, first)).error)


COSTS = st.lists(st.lists(st.integers(1, 40), min_size=1, max_size=3), min_size=1, max_size=5)


@given(costs=COSTS, limit=st.integers(1, 120), tokens=st.booleans())
def test_children_side_by_side_never_pass_the_parents_limits(
    tmp_path_factory: pytest.TempPathFactory, costs: list[list[int]], limit: int, tokens: bool
) -> None:
    """A request takes as many thousand output tokens as its script says, at a dollar a thousand, or what it may."""
    root = tmp_path_factory.mktemp("family")
    taken: list[int] = []

    def spends(thousands: int, last: bool) -> Callable[[ModelRequest], Step]:
        def step(request: ModelRequest) -> Step:
            most = request.max_output_tokens
            made = min(thousands * 1_000, most if most is not None else 10**9)
            taken.append(made)
            usage = Usage(0, made)
            reply = says("done", usage) if last else calls(("list_files", {}), usage=usage)
            return [0.0, *reply]

        return step

    scripts: dict[str, list[Step]] = {
        f"child {number}": [spends(one, place == len(spent) - 1) for place, one in enumerate(spent)]
        for number, spent in enumerate(costs)
    }
    free = Usage(0, 0, cost_usd=Decimal(0))
    scripts["parent"] = [calls(*(("task", {"prompt": name}) for name in scripts), usage=free), says("all", free)]
    key = {"max_tokens": limit * 1_000} if tokens else {"max_cost_usd": limit}
    config = {"profiles": {"default": {"approve": "all", **key}}}
    price = Price(Decimal(0), Decimal(1_000))
    with ExitStack() as closing:
        family = Family(root, scripts, {"config": config}, price, effects=inarch.Effects(), closing=closing).open()
        turn = family.run()
    assert sum(taken) <= limit * 1_000
    assert turn.usage.output_tokens == sum(taken)
    statuses = {event.data["status"] for event in family.events if event.kind == "child.ended"}
    assert statuses <= {"done", "limited"}
