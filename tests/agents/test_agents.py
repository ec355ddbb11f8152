"""Agents through the default composition: real files, real sessions, a scripted model for parent and children."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st

import inarch
from inarch import Approval, ModelRequest, Usage
from inarch.contract.approval_records import ApprovalRequest
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app
from inarch_sdk.tool_decorator import FunctionTool
from inarch_testing.apps import write_files

READ = ("read_file", {"file_path": "a.txt"})
WRITE = ("write_file", {"file_path": "made.txt", "content": "made\n"})
FIXER = "---\nname: fixer\ndescription: Mends things.\n---\nYou mend.\n"
LOOKER = "---\nname: looker\ndescription: Looks.\ntools: Read, Grep\n---\nYou look.\n"


def first_line(request: ModelRequest) -> str:
    return next(message.text for message in request.messages if message.role == "user").split("\n")[0]


def task(agent: str, prompt: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "task", {"agent": agent, "prompt": prompt, **more}


class Thinking(ScriptedModel):
    """A scripted model that can be told how much to think."""

    def takes_effort(self, model: str) -> bool:
        return True


@define(eq=False)
class Desk:
    """A project, a user's folders, and sessions there; `scripts` says what is answered to whose prompt."""

    home: Path
    root: Path = field(init=False)
    scripts: dict[str, list[Step]] = field(factory=dict)
    options: dict[str, Any] = field(factory=dict)
    more: list[inarch.Tool] = field(factory=list)
    events: list[inarch.Event] = field(factory=list)
    requests: list[ModelRequest] = field(factory=list)
    app: inarch.App = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.root = self.home / "root"
        write_files(self.root, {"a.txt": "one\n"})

    @property
    def environ(self) -> dict[str, str]:
        places = {f"XDG_{name}_HOME": str(self.home / name.lower()) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], **places}

    def trust(self, whole: bool = False) -> None:
        from inarch.host import Trust

        state = self.home / "state" / "inarch"
        Trust(str(self.root), state).grant(Trust(str(self.root), state).standing(whole=whole).files)

    def project(self, files: Mapping[str, str]) -> None:
        write_files(self.root, files)
        self.trust()

    def open(self, **flags: Any) -> inarch.Session:
        def answers(request: ModelRequest) -> Step:
            steps = sum(message.role == "assistant" for message in request.messages)
            return self.scripts[first_line(request)][steps]

        options: dict[str, Any] = {"config": {}, "environ": self.environ, "journal": True, **self.options}
        self.app, model = scripted_app(Thinking([answers], repeat=True), self.root, flags=flags, **options)
        for one in self.more:
            self.app.composition = self.app.composition.adding("tools", one, inarch.PluginContext("more", ""))
        assert not [one for one in self.app.composition.refused if one.name == "agents"]
        self.requests = model.requests
        session = self.app.session()
        session.state.journal.listeners.append(self.events.append)
        return session

    def run(self, prompt: str = "parent", **flags: Any) -> inarch.Turn:
        async def go() -> inarch.Turn:
            turn = await self.open(**flags).run(prompt)
            await self.app.aclose()
            return turn

        return asyncio.run(go())

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        return [event.data for event in self.events if event.kind == kind]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def error_of(turn: inarch.Turn, place: int = 0) -> str:
    result = turn.calls[place].result
    assert result is not None and result.error is not None, result
    return f"{result.error.code}: {result.error.message} ({result.error.remedy})"


def data_of(turn: inarch.Turn, place: int = 0) -> Any:
    result = turn.calls[place].result
    assert result is not None and result.success, result
    return result.data


def test_the_built_in_agent_reads_without_a_question_and_its_answer_is_the_calls_result(desk: Desk) -> None:
    cost = Usage(100, 20, cost_usd=Decimal("0.25"))
    desk.scripts = {
        "parent": [calls(task("explore", "child")), says("so it is")],
        "child": [calls(READ, WRITE, usage=cost), says("a.txt:1 says one", cost)],
    }
    turn = desk.run(approve="ask")
    assert turn.content == "so it is"
    told = data_of(turn)
    session = desk.of("child.started")[0]["session_id"]
    assert told == {
        "agent": "explore", "answer": "a.txt:1 says one", "status": "done", "files_changed": [], "tokens": 240,
        "cost_usd": "0.50", "session": session,
    }  # fmt: skip
    (asked,) = {request.system for request in desk.requests if first_line(request) == "child"}
    assert "You change nothing" in asked
    assert not (desk.root / "made.txt").exists()
    assert {"write_file", "execute_command", "task"}.isdisjoint(spec.name for spec in desk.requests[1].tools)
    assert turn.usage.cost_usd == Decimal("0.50")  # one ledger


def test_agents_stand_in_the_project_and_in_the_users_folders_and_the_nearest_counts(desk: Desk) -> None:
    def agent(name: str) -> str:
        return f"---\nname: {name}\ndescription: Of {{}}.\n---\n"

    places = (".agents/agents", ".claude/agents")
    desk.project({f"{place}/x.md": agent("x").format(place) for place in places})
    users = {"config/inarch/agents/x.md": agent("x"), "config/inarch/agents/y.md": agent("y")}
    users |= {".agents/agents/y.md": agent("y"), ".agents/agents/z.md": agent("z")}
    write_files(desk.home, {path: text.format(path) for path, text in users.items()})
    desk.open()
    (command,) = [bound.value for name, bound in desk.app.composition.slash_commands.items() if name == "agents"]
    told = command.run("")
    desk.app.close()
    assert "x: Of .agents/agents.\n" in told and "y: Of config/inarch/agents/y.md.\n" in told
    assert "z: Of .agents/agents/z.md.\n" in told and "explore: " in told and "built in" in told
    assert "  .agents/agents/x.md; hides .claude/agents/x.md; hides " in told


def test_agents_of_a_project_that_is_not_trusted_are_nobody(desk: Desk) -> None:
    write_files(desk.root, {".agents/agents/fixer.md": FIXER})
    desk.scripts = {"parent": [calls(task("fixer", "child")), says("ok")]}
    assert "explore" in error_of(desk.run())


def test_without_an_agent_there_is_no_tool(desk: Desk) -> None:
    desk.options = {"config": {"plugins": {"agents": {"builtin": False}}}}
    desk.scripts = {"parent": [says("ok")]}
    desk.run()
    assert "task" not in {spec.name for spec in desk.requests[0].tools}


def test_a_prompt_that_begins_with_a_name_goes_to_that_agent(desk: Desk) -> None:
    desk.scripts = {"@explore where is one?": [says("in a.txt")], "where is one?": [says("a.txt:1")]}
    turn = desk.run("@explore where is one?")
    assert turn.content == "in a.txt" and [call.name for call in turn.calls] == ["task"]
    assert "a.txt:1" in desk.requests[-1].messages[0].text
    assert not [note for note in desk.of("note") if "no such file" in note["text"]]
    desk.scripts["@nobody where?"] = [says("who?")]
    assert desk.run("@nobody where?").calls == ()


FAULTS = {
    "no end": ("---\nname: x\n", "the front matter has no end"),
    "no description": ("---\nname: [\n---\n", "no description"),
    "a key that may forbid tools": ("---\ndescription: d\nexcludedTools: Bash\n---\n", "unknown key excludedTools"),
    "a place that there is not": ("---\ndescription: d\nisolation: container\n---\n", "isolation is 'container'"),
    "a place that is no text": ("---\ndescription: d\nisolation: true\n---\n", "isolation is True"),
    "turns below 1": ("---\ndescription: d\nmaxTurns: 0\n---\n", "maxTurns is 0"),
}


def checked(desk: Desk) -> list[inarch.Finding]:
    desk.open()
    found = [one for bound in desk.app.composition.checks if bound.plugin == "agents" for one in bound.value.run()]
    desk.app.close()
    return found


def test_a_broken_file_is_reported_by_name_and_its_agent_is_given_nothing(desk: Desk) -> None:
    desk.project({f".agents/agents/broken{at}.md": text for at, (text, _) in enumerate(FAULTS.values())})
    desk.scripts = {"parent": [calls(task("broken0", "child")), says("ok")], "@broken0 child": [says("ok")]}
    for prompt, approve in (("parent", "ask"), ("parent", "all"), ("@broken0 child", "all")):
        desk.events.clear()
        turn = desk.run(prompt, approve=approve)
        assert ".agents/agents/broken0.md: the front matter has no end" in error_of(turn)
        assert not desk.of("child.started")
    notes = [note["text"] for note in desk.of("note") if note["source"] == "agents"]
    assert notes == ["6 agent files are invalid, see inarch doctor"]
    wrong = [one.text for one in checked(desk) if one.state == "wrong"]
    for at, (_, why) in enumerate(FAULTS.values()):
        (told,) = [text for text in wrong if f".agents/agents/broken{at}.md" in text]
        assert why in told


def test_what_a_file_says_in_another_form_is_read_and_reported_by_doctor_alone(desk: Desk) -> None:
    long = (
        f"name: Hook Development\ndescription: Examples: user: hi {'x' * 2_000}\ntools: Read, Fly.High, SendMessage\n"
    )
    rest = "model: claude-sonnet-4-5\nskills: [a]\npermissionMode: bypassPermissions\ncolor: red\nhooks: {Stop: []}\n"
    desk.project({".claude/agents/Größe.x.md": f"---\n{long}\n{rest}---\nWork.\n", "a.txt": "one\n"})
    desk.scripts = {"@hook-development child": [says("ok")], "child": [calls(READ), says("done")]}
    turn = desk.run("@hook-development child", approve="all")
    assert data_of(turn)["answer"] == "done" and data_of(turn)["tools_left_out"] == ["Fly.High", "SendMessage"]
    assert not [note for note in desk.of("note") if note["source"] == "agents"]
    (told,) = [one for one in checked(desk) if one.state == "note"]
    said = "\n".join(told.lines)
    for part in ("description (line 3)", "is hook-development here", "cut after 1,024", "no Fly.High, SendMessage",
                 "claude-sonnet-4-5", "skills, permissionMode: ignored"):  # fmt: skip
        assert part in said, said
    assert len(said) < 1_000 and "color" not in said


READING = {"read_file", "read_multiple_files", "read_output"}
MEANT = {
    "Read": READING, "Write": {"write_file", "create_file"}, "Edit": {"patch_source_file"}, "Bash": {"execute_command"},
    "NotebookEdit": set(), "git_log": {"git_log"}, "Bash(git log:*)": {"execute_command"}, "Read(src/**)": READING,
    "Agent(x)": {"task"}, "mcp__read__file": {"read_file"},
}  # fmt: skip
NAMED = st.lists(st.sampled_from([*MEANT, "Fly", "read", ""]), max_size=4)
OTHER_LINES: dict[str, set[str] | None] = {
    "": None, "color: a: b": None, "model: sonnet": None, "permissionMode: plan": None, "Tools: Read": READING,
    "allowed-tools: [Read]": READING, "disallowed-tools: 3": set(), "disallowedTools: ['*']": set(),
    "disallowedTools: Write, Edit": {*READING, "execute_command", "git_log", "task"},
}  # fmt: skip
"""Lines of a file, with all tools of the names above that they leave; None for all."""


@settings(max_examples=25, deadline=None)
@given(
    names=NAMED,
    form=st.sampled_from(["tools: {}", "tools: [{}]", "tools:", "tools: null", "tools: [{}", "tools: 3", "color: a"]),
    other=st.sampled_from([*OTHER_LINES]),
)
def test_an_agent_has_no_tool_that_its_lines_do_not_name(
    tmp_path_factory: pytest.TempPathFactory, names: Sequence[str], form: str, other: str
) -> None:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    lines = f"{form.format(', '.join(names))}\n{other}"
    desk.project({".claude/agents/x.md": f"---\nname: x\ndescription: d\n{lines}\n---\nWork.\n"})
    desk.scripts = {"parent": [calls(task("x", "child")), says("ok")], "child": [says("done")]}
    desk.run(approve="all")
    (offered,) = [{spec.name for spec in one.tools} for one in desk.requests if first_line(one) == "child"]
    offered.discard("apply_patch" if {"Edit", "Write"} <= {*names} else "")  # the form of both for some models
    limit = OTHER_LINES[other]
    if form != "color: a":
        assert offered <= {tool for name in names if "{" in form for tool in MEANT.get(name, ())}, lines
    elif limit is None:
        assert len(offered) > 20, lines
    if limit is not None:
        assert offered & set().union(*MEANT.values()) <= limit, lines


def rights_of(desk: Desk, lines: str, *asked: tuple[str, dict[str, Any]]) -> list[str]:
    """Return whether each call of an agent with these lines was refused, in words of the result."""
    desk.project({".claude/agents/x.md": f"---\ndescription: d\n{lines}\n---\nWork.\n"})
    desk.scripts = {
        "parent": [calls(task("x", "child")), says("ok")],
        "child": [*(calls(one) for one in asked), says("done")],
        "deeper": [says("deep")],
    }
    desk.run(approve="all")
    last = [one for one in desk.requests if first_line(one) == "child"][-1]
    results = [
        part.result for message in last.messages for part in message.parts if isinstance(part, inarch.ResultPart)
    ]
    return ["" if one.error is None else one.error.message for one in results]


def test_a_tool_with_the_effects_of_a_denied_one_is_denied(desk: Desk) -> None:
    moved = ("move_file", {"file_path": "a.txt", "new_path": "b.txt"})
    run = ("execute_command", {"command": "git --version"})
    told = rights_of(desk, "disallowedTools: [write, Bash(git *)]", READ, WRITE, moved, run)
    assert told[0] == "" and all("the agent x do not allow this call" in one for one in told[1:])
    assert (desk.root / "a.txt").exists()
    assert "no tool 'write_file'" in rights_of(desk, "disallowedTools: Write", WRITE)[0]


def test_commands_of_an_agent_fit_its_patterns_in_all_parts(desk: Desk) -> None:
    lines = ("git --version", "git --version | head -1", "git --version | tail -1", "gitx", "echo $(git)", "ls")
    told = rights_of(
        desk, "tools: Bash(git:*), Bash(head *)", *(("execute_command", {"command": line}) for line in lines)
    )
    assert ["do not allow this call" in one for one in told] == [False, False, True, True, True, True], told


def test_an_agent_gives_tasks_only_to_the_agents_that_it_names(desk: Desk) -> None:
    told = rights_of(desk, "tools: Agent(explore, other)", task("explore", "deeper"), task("x", "deeper"))
    assert told[0] == "" and "do not allow this call" in told[1]


@define(eq=False)
class Served(FunctionTool):
    """A tool with a name in Claude Code, as those of servers have."""

    known_as: tuple[str, ...] = ()


def served(name: str, *known: str) -> inarch.Tool:
    schema = {"type": "object", "properties": {}}
    return Served(lambda: name, name, "Look.", schema, effects_rule=lambda given: inarch.Effects(), known_as=known)


SERVED = (("s_one", "mcp__s__one"), ("s_two", "mcp__s__two"), ("s_three", "mcp__s_three__x"), ("s_own",))


@pytest.mark.parametrize(
    ("lines", "may"),
    [
        ("tools: mcp__s__one", [True, False, False, False]),
        ("tools: mcp__s__*, Fly", [True, True, False, False]),
        ("tools: mcp__s", [True, True, False, False]),
        ("disallowedTools: mcp__s__t*", [True, False, True, True]),
        ("disallowedTools: mcp__s", [False, False, True, True]),
    ],
)
def test_tools_of_servers_are_named_as_in_claude_code(desk: Desk, lines: str, may: list[bool]) -> None:
    desk.more = [served(*names) for names in SERVED]
    told = rights_of(desk, lines, *((names[0], {}) for names in SERVED))
    assert [one == "" for one in told] == may, told


def test_no_server_has_a_tool_of_inarch(desk: Desk) -> None:
    (told,) = rights_of(desk, "tools: mcp__read__file", READ)
    assert "do not allow this call" in told


def test_an_agent_has_no_tool_that_its_caller_has_not(desk: Desk) -> None:
    lead = "---\ndescription: Leads.\ntools: Task, Read\n---\n"
    desk.project(
        {".agents/agents/lead.md": lead, ".agents/agents/fixer.md": FIXER.replace("---\nY", "tools: Write\n---\nY")}
    )
    desk.scripts = {
        "parent": [calls(task("lead", "leading")), says("ok")],
        "leading": [calls(task("fixer", "child")), says("it may not")],
        "child": [calls(WRITE), says("no")],
    }
    desk.run(approve="all")
    (last,) = [one for one in desk.requests if first_line(one) == "leading" and len(one.messages) > 2]
    (result,) = [part.result for one in last.messages for part in one.parts if isinstance(part, inarch.ResultPart)]
    assert result.data["tools_left_out"] == ["Write"] and not (desk.root / "made.txt").exists()


def test_model_and_turns_of_the_file_count(desk: Desk) -> None:
    text = "---\ndescription: d\nmaxTurns: 1\neffort: high\nmodel: {}\n---\n"
    desk.project({".claude/agents/a.md": text.format("sonnet"), ".agents/agents/b.md": text.format("nobody/m")})
    desk.scripts = {"parent": [calls(task("a", "child"), task("b", "child")), says("ok")], "child": [calls(READ)] * 3}
    turn = desk.run(approve="all")
    assert [request.effort for request in desk.requests[:2]] == [None, "high"]
    assert data_of(turn)["stopped_by"] == "max_iterations" and data_of(turn)["status"] == "limited"
    assert ".agents/agents/b.md" in error_of(turn, 1) and "the model 'nobody/m'" in error_of(turn, 1)


def test_the_form_of_the_parents_answer_is_not_that_of_its_agents(desk: Desk) -> None:
    schema = {"type": "object", "required": ["one"], "properties": {"one": {"type": "integer"}}}
    desk.options = {"config": {"profiles": {"default": {"output_schema": schema}}}}
    desk.scripts = {"parent": [calls(task("explore", "child")), says('{"one": 1}')], "child": [says("plain words")]}
    turn = desk.run()
    assert (data_of(turn)["answer"], data_of(turn)["status"], turn.status) == ("plain words", "done", "done")


def test_agents_that_call_each_other_end_at_a_depth_that_is_told(desk: Desk) -> None:
    desk.project({".agents/agents/fixer.md": FIXER})
    desk.scripts = {"round": [calls(task("fixer", "round")), says("back")]}
    desk.run("round", approve="all")
    assert len(desk.requests) == 8  # two of each, four deep
    refused = [part for message in desk.requests[4].messages for part in message.parts if hasattr(part, "result")]
    assert "children end at 3" in str(refused)


def test_a_former_session_is_gone_on_with(desk: Desk) -> None:
    def again(request: ModelRequest) -> Step:
        (first,) = [event["session_id"] for event in desk.of("child.started")]
        return calls(task("explore", "and?", session=first))

    desk.scripts = {"parent": [calls(task("explore", "child")), again, says("ok")], "child": [says("one"), says("two")]}
    turn = desk.run()
    assert [data_of(turn, place)["answer"] for place in (0, 1)] == ["one", "two"]
    assert data_of(turn, 0)["session"] == data_of(turn, 1)["session"]


def test_tasks_that_read_run_together_and_no_more_than_the_setting_says(desk: Desk) -> None:
    inside: list[int] = []
    open_now: set[str] = set()

    def saw(event: inarch.Event) -> None:
        if event.kind == "child.started":
            open_now.add(event.data["session_id"])
            inside.append(len(open_now))
        elif event.kind == "child.ended":
            open_now.discard(event.data["session_id"])

    desk.options = {"config": {"plugins": {"agents": {"together": 3}}}}
    prompts = [f"child {number}" for number in range(7)]
    desk.scripts = {"parent": [calls(*(task("explore", one) for one in prompts)), says("all")]}
    desk.scripts |= {one: [[0.05, *says(one)]] for one in prompts}

    async def go() -> inarch.Turn:
        session = desk.open()
        session.state.journal.listeners.append(saw)
        turn = await session.run("parent")
        await desk.app.aclose()
        return turn

    turn = asyncio.run(go())
    assert [data_of(turn, place)["answer"] for place in range(7)] == prompts
    assert max(inside) == 3


AGENTS = st.lists(st.sampled_from(["looker", "fixer"]), min_size=1, max_size=6)


@settings(max_examples=5, deadline=None)
# Six tasks cost 18 at most: a limit that is reached before the last one begins would refuse it.
@given(agents=AGENTS, costs=st.lists(st.integers(0, 30), min_size=6, max_size=6), limit=st.integers(19, 100))
def test_tasks_that_may_write_have_the_project_to_themselves_and_all_is_in_one_ledger(
    tmp_path_factory: pytest.TempPathFactory, agents: Sequence[str], costs: Sequence[int], limit: int
) -> None:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.project({".agents/agents/fixer.md": FIXER, ".agents/agents/looker.md": LOOKER})
    open_now: dict[str, str] = {}
    order: list[str] = []

    def saw(event: inarch.Event) -> None:
        if event.kind == "child.started":
            open_now[event.data["session_id"]] = event.data["name"]
            order.append(event.data["call_id"])
            assert "fixer" not in open_now.values() or len(open_now) == 1
        elif event.kind == "child.ended":
            del open_now[event.data["session_id"]]

    free = Usage(1, 1, cost_usd=Decimal(0))
    desk.scripts = {"parent": [calls(*(task(one, f"{one} {at}") for at, one in enumerate(agents)), usage=free)]}
    desk.scripts["parent"].append(says("all", free))
    for at, one in enumerate(agents):
        desk.scripts[f"{one} {at}"] = [[0.0, *says("ok", Usage(1, 1, cost_usd=Decimal(costs[at]) / 10))]]

    async def go() -> inarch.Turn:
        session = desk.open(approve="all", max_cost_usd=Decimal(limit))
        session.state.journal.listeners.append(saw)
        turn = await session.run("parent")
        assert session.state.ledger.total().cost_usd == turn.usage.cost_usd
        await desk.app.aclose()
        return turn

    turn = asyncio.run(go())
    assert order == [call.id for call in turn.calls]
    assert turn.usage.cost_usd == sum((Decimal(cost) / 10 for cost in costs[: len(agents)]), Decimal(0))
    told = [Decimal(data_of(turn, at)["cost_usd"]) for at in range(len(agents))]
    assert told == [Decimal(cost) / 10 for cost in costs[: len(agents)]]


class Person:
    """A front end that says yes, but to calls whose preview has one of these words."""

    name = "person"

    def __init__(self, *denied: str) -> None:
        self.denied, self.asked = denied, list[ApprovalRequest]()

    def show(self, event: inarch.Event) -> None:
        """Look on."""

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        self.asked += batch
        return [
            Approval(one.call.id, "deny" if any(word in one.preview for word in self.denied) else "approve")
            for one in batch
        ]

    def close(self) -> None:
        """Go."""


def test_a_person_is_asked_about_a_task_that_may_change_things_and_about_what_it_does_by_its_name(desk: Desk) -> None:
    person = Person()
    desk.options = {"front_end": person}
    desk.project({".agents/agents/fixer.md": FIXER})
    desk.scripts = {"parent": [calls(task("fixer", "child")), says("ok")], "child": [calls(WRITE), says("made")]}
    turn = desk.run(approve="ask")
    (first, _), (second, reason) = ((one.call.name, one.reason) for one in person.asked)
    assert (first, second) == ("task", "write_file") and reason.startswith("fixer: ")
    assert data_of(turn)["files_changed"] == ["made.txt"]


@pytest.mark.needs("confinement")
def test_a_cancel_ends_the_programs_of_every_child(desk: Desk) -> None:
    desk.project({".agents/agents/fixer.md": FIXER})
    write_files(desk.root, {"wait.sh": "#!/bin/sh\necho > began\nexec sleep 612.5\n"})
    (desk.root / "wait.sh").chmod(0o755)
    wait = calls(("execute_command", {"command": "./wait.sh"}))
    desk.scripts = {"parent": [calls(task("fixer", "child"))], "child": [wait, says("never")]}
    desk.options = {"front_end": Person()}

    async def go() -> None:
        session = desk.open(approve="ask")
        running = asyncio.create_task(session.run("parent"))
        while not (desk.root / "began").exists() and not running.done():
            await asyncio.sleep(0.02)
        assert not running.done(), running.result()
        running.cancel()
        await asyncio.wait([running])
        await desk.app.aclose()

    asyncio.run(go())
    assert [one["status"] for one in desk.of("child.ended")] == ["cancelled"]
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if _bytes_of(path) == b"sleep\x00612.5\x00"]
    assert not left


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
