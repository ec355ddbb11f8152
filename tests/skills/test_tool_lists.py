"""Tool lists of files: what the user accepted once needs no question while the file's turn runs, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.calls.rules import RulesPolicy
from inarch.config.grants import Rule
from inarch.testing import calls, says
from inarch_plugins.sandbox_fs.commands.tool import ExecuteCommand
from inarch_plugins.skills.tool_lists import read_lists

from .desk import Desk

WRITE = calls(("write_file", {"file_path": "b.txt", "content": "x"}))
OTHER = calls(("write_file", {"file_path": "c/d.txt", "content": "x"}))
MAKE = "---\nallowed-tools: Write\n---\nMake it.\n"


@define(eq=False)
class Person:
    """A front end: gives one answer to questions, and denies every call."""

    answer: str = "yes"
    questions: list[str] = field(factory=list)
    denied: list[dict[str, Any]] = field(factory=list)
    name: str = "person"

    def show(self, event: inarch.Event) -> None:
        """Look away."""

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Answer."""
        return [self._answer(one) for one in batch]

    def _answer(self, one: inarch.ApprovalRequest) -> inarch.Approval:
        if one.rights is None or not one.rights.asks:
            self.denied.append(dict(one.call.arguments))
            return inarch.Approval(one.call.id, "deny", reason="no")
        (right,) = one.rights.rights
        self.questions.append(right.words)
        return inarch.Approval(one.call.id, "approve", rights={right.name: (self.answer,)})

    def close(self) -> None:
        """Do nothing."""


def test_a_list_that_the_user_accepts_counts_for_its_turn(desk: Desk) -> None:
    desk.write(".agents/commands/make.md", MAKE)
    person = Person()
    desk.talk([WRITE, says("done"), OTHER, says("done")], "/make", "go", front_end=person)
    assert (desk.root / "b.txt").exists() and not (desk.root / "c").exists()
    (question,) = person.questions
    assert question.startswith(f"{desk.home}/.agents/commands/make.md lists tools") and "Write" in question
    assert [one["file_path"] for one in person.denied] == ["c/d.txt"]


def test_a_yes_is_kept_for_the_same_file_with_the_same_list(desk: Desk) -> None:
    desk.write(".agents/commands/make.md", MAKE)
    desk.talk([says("done")], "/make", front_end=Person())
    desk.talk([WRITE, says("done")], "/make")
    assert (desk.root / "b.txt").exists()
    assert desk.command("/commands forget") == "the answers about lists of tools are forgotten"
    desk.talk([OTHER, says("done")], "/make")
    assert not (desk.root / "c").exists()
    desk.talk([says("done")], "/make", front_end=Person())
    desk.write(".agents/commands/make.md", MAKE.replace("Write", "Write, Bash"))
    desk.talk([OTHER, says("done")], "/make")
    assert not (desk.root / "c").exists() and "run it once in a conversation" in "".join(desk.said)


def test_without_a_user_or_with_a_no_calls_are_judged_as_usual(desk: Desk) -> None:
    desk.write(".agents/commands/make.md", MAKE)
    desk.talk([WRITE, says("done")], "/make")
    assert "needs approval" in desk.seen[0] and "/make: no user has allowed its tools yet" in desk.said[-1]
    person = Person("no")
    desk.talk([WRITE, says("done"), WRITE, says("done")], "/make", "/make", front_end=person)
    assert not (desk.root / "b.txt").exists() and len(person.questions) == 1 and len(person.denied) == 2


def test_it_lifts_no_rule_and_no_question_about_steering_files(desk: Desk) -> None:
    desk.write(".agents/commands/make.md", "---\nallowed-tools: Write(**), Edit\n---\nMake it.\n")
    rules = [
        {"tool": "write_file", "path": "b.txt", "decision": "deny"},
        {"tool": "write_file", "path": "c/**", "decision": "ask"},
    ]
    steering = calls(("write_file", {"file_path": "AGENTS.md", "content": "x"}))
    plain = calls(("write_file", {"file_path": "d.txt", "content": "x"}))
    person = Person()
    desk.talk([WRITE, OTHER, steering, plain, says("done")], "/make", front_end=person, config={"rules": rules})
    assert [one["file_path"] for one in person.denied] == ["c/d.txt", "AGENTS.md"]
    assert (desk.root / "d.txt").exists() and not (desk.root / "b.txt").exists()


def test_what_a_list_denies_is_denied_in_its_turn_whatever_the_mode(desk: Desk) -> None:
    desk.write(".agents/commands/look.md", "---\ndisallowed-tools: Write(b.txt), Bash(cat:*)\n---\nLook.\n")
    cat = calls(("execute_command", {"command": "ls && cat a.txt"}))
    desk.talk([WRITE, cat, OTHER, says("done"), WRITE, says("done")], "/look", "go", flags={"approve": "all"})
    assert "denied" in desk.seen[0] and "denied" in desk.seen[1] and (desk.root / "c/d.txt").exists()
    assert "denied" not in desk.seen[3] and (desk.root / "b.txt").exists()


def test_agents_of_the_turn_have_its_rules(desk: Desk) -> None:
    desk.write(".agents/agents/fixer.md", "---\nname: fixer\ndescription: Mends.\n---\nYou mend.\n")
    desk.write(".agents/commands/fix.md", "---\nallowed-tools: Task, Write(b.txt)\n---\nFix it.\n")
    task = calls(("task", {"agent": "fixer", "prompt": "mend it"}))
    person = Person()
    desk.talk([task, WRITE, OTHER, says("can't"), says("done")], "/fix", front_end=person)
    assert (desk.root / "b.txt").exists() and [one["file_path"] for one in person.denied] == ["c/d.txt"]


@pytest.mark.parametrize(("is_there", "mode"), [(True, "ask"), (False, "ask"), (True, "none")])
def test_a_skill_that_the_model_activates_asks_about_its_list(desk: Desk, is_there: bool, mode: str) -> None:
    desk.write(".agents/skills/make/SKILL.md", "---\nname: make\ndescription: M.\nallowed-tools: Write\n---\nMake.\n")
    use = calls(("activate_skill", {"name": "make"}))
    there = {"front_end": Person()} if is_there else {}
    desk.talk([use, WRITE, says("done")], "go", flags={"approve": mode}, **there)
    assert "Make." in desk.seen[0] and (desk.root / "b.txt").exists() == (is_there and mode == "ask")


@pytest.mark.needs("confinement")
def test_commands_of_the_file_are_covered_and_go_on_after_one_that_fails(desk: Desk) -> None:
    text = "---\nallowed-tools: Bash(touch:*)\n---\nA !`touch new` B !`rm a.txt` C\n```!\nls new\n\ncat a.txt\n```\nD\n"
    desk.write(".agents/commands/make.md", text)
    person = Person()
    desk.talk([says("done")], "/make", front_end=person)
    assert [one["command"] for one in person.denied] == ["rm a.txt"]
    sent = desk.requests[0].messages[0].text
    assert (desk.root / "new").exists() and (desk.root / "a.txt").exists()
    assert "```\nnew\n```" in sent and "```\none\n```" in sent and "denied" in sent and "\nD" in sent
    assert "/make: rm a.txt: " in desk.said[-1]


PARTS = {
    "touch x": True,
    "touch": True,
    "git add -A": True,
    "git commit -m x": False,
    "rm x": False,
    "env touch x": False,
}


@given(st.lists(st.tuples(st.sampled_from([*PARTS]), st.sampled_from([" && ", "; ", " || "])), min_size=1, max_size=4))
def test_a_line_is_covered_if_each_of_its_commands_is(parts: list[tuple[str, str]]) -> None:
    bent: list[str] = []
    lists = read_lists({"allowed-tools": "Bash(touch:*), Bash(git add *)"}, {}, bent)

    def accepted(call: inarch.ToolCall, tool: inarch.Tool) -> list[Rule]:
        return [Rule(**one) for entry in lists.allowed if (one := entry.rule(call, ["Bash"])) is not None]

    policy = RulesPolicy((), accepted=accepted)
    line = "".join(f"{part}{joint}" for part, joint in parts).rstrip(" ;|&")
    for end, is_covered in (("", all(PARTS[part] for part, _ in parts)), (" > y", False), (" $(rm x)", False)):
        call = inarch.ToolCall("1", "", "1", "execute_command", {"command": line + end})
        verdict = policy.judge(call, ExecuteCommand("/nowhere", {}))
        assert bool(verdict.reason) == is_covered and not bent


FORMS: dict[str, dict[str, dict[str, Any]]] = {
    "Read, Grep": {},
    "Bash": {"Bash": {}},
    "Bash(*)": {"Bash": {}},
    "Bash(git *)": {"Bash": {"match": {"command": "git *"}}},
    "Bash(git log *) Bash(npm run a:*)": {
        "Bash": {"match": {"command": "git log *"}}, "Bash ": {"match": {"command": "npm run a *"}},
    },
    "Bash(${CLAUDE_SKILL_DIR}/a.sh *)": {"Bash": {"match": {"command": "/s/a.sh *"}}},
    "mcp__my-server__*": {"mcp__my-server__*": {}},
    "mcp__x": {"mcp__x__*": {}},
    "mcp__x__get": {"mcp__x__get": {}},
    "*": {"*": {}},
    "Edit(./src/**)": {"Edit": {"path": "src/**"}},
    "Edit, Write": {"Edit": {}, "Write": {}, "apply_patch": {}},
    "git_commit": {"git_commit": {}},
}  # fmt: skip


@pytest.mark.parametrize("listed", FORMS)
def test_the_forms_of_other_tools_are_read(listed: str) -> None:
    bent: list[str] = []
    for given_as in (listed, listed.replace(") ", ")|").replace(", ", "|").split("|")):
        lists = read_lists({"allowed-tools": given_as}, {"CLAUDE_SKILL_DIR": "/s"}, bent)
        assert [(one.name, one.said) for one in lists.allowed] == [
            (name.strip(), said) for name, said in FORMS[listed].items()
        ]
    assert not bent


@pytest.mark.parametrize("name", ["mcp__git", "mcp__git__*", "mcp__git__git_commit"])
def test_a_servers_entry_covers_its_tools_alone(name: str) -> None:
    (entry,) = read_lists({"allowed-tools": name}, {}, []).allowed
    call = inarch.ToolCall("1", "", "1", "git_commit", {})
    assert entry.rule(call, ["Bash", "git_commit"]) is None
    assert entry.rule(call, ["mcp__git__git_commit", "git_commit"]) == {"tool": "git_commit", "decision": "allow"}


def test_unknown_entries_are_left_out_and_reported(desk: Desk) -> None:
    text = (
        "---\nallowed-tools: [NoSuchTool, Write(~/x), 'Bash(', Write]\ndisallowed-tools: WebFetch(domain:x)\n---\nGo.\n"
    )
    desk.write(".agents/commands/make.md", text)
    told = desk.command("/commands")
    assert "no tool NoSuchTool" in told and "Write(~/x) has no effect" in told and "'Bash(' is not valid" in told
    lists = read_lists({"disallowed-tools": "WebFetch(domain:x)"}, {}, [])
    assert [(one.name, one.said) for one in lists.denied] == [("WebFetch", {})]
