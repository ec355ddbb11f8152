"""What "always" covers, in the session and in the project, and what it is bound to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inarch.calls.grants import Grants, ProjectGrants
from inarch.calls.rules import RulesPolicy
from inarch.config.approvals import Approvals
from inarch.config.grants import Rule
from inarch.contract.approval_records import Approval
from inarch.contract.ids import new_id
from inarch.contract.records import Effects
from inarch_sdk.tool_decorator import tool

Kitchen = Any


def first_word(arguments: Any) -> str:
    return f"{arguments['command'].split()[0]} …"


@tool(category="command", shape=first_word)
def execute_command(command: str, context: Any) -> str:
    """Run a command."""
    return command


def test_the_shape_is_what_the_tool_says_else_the_files_else_the_call(kitchen: Kitchen, write_file: Any) -> None:
    person = kitchen.approving("shape")

    @tool(category="git", effects=Effects(writes=frozenset({".git/"})))
    def commit(message: str) -> str:
        """Commit."""
        return message

    scheduler = kitchen.scheduler(execute_command, write_file, commit, approve="ask", front_end=person)
    for part in (
        kitchen.part("execute_command", command="pytest -x"),
        kitchen.part("execute_command", command="pytest tests"),
        kitchen.part("execute_command", command="make tests"),
        kitchen.part("write_file", file_path="a", content="1"),
        kitchen.part("write_file", file_path="a", content="2"),
        kitchen.part("write_file", file_path="b", content="2"),
        kitchen.part("commit", message="one"),
        kitchen.part("commit", message="one"),
        kitchen.part("commit", message="two"),
    ):
        (call,) = kitchen.run(scheduler, part)
        assert call.status == "success", call.result.error
    assert [batch[0].shape for batch in person.asked] == [
        "pytest …",
        "make …",
        "write_file on a",
        "write_file on b",
        "this very call of commit",
        "this very call of commit",
    ]


class Project:
    """A project whose approvals are kept, and sessions in it."""

    def __init__(self, kitchen: Kitchen, tmp_path: Path) -> None:
        self.kitchen, self.state = kitchen, tmp_path / "state"

    def asked(self, value: Any, part: Any, version: str = "1", scope: str = "project", **options: Any) -> int:
        """Run a call in a new session and return how often the person was asked."""
        person = self.kitchen.approving(scope)
        origins = {"tested": f"tested (dist {version})"} if version else {}
        grants = Grants(project=ProjectGrants(str(self.kitchen.folder), self.state, origins))
        options = {"approve": "ask", "front_end": person, "grants": grants} | options
        (call,) = self.kitchen.run(self.kitchen.scheduler(value, **options), part)
        assert call.status == ("error" if options["approve"] == "none" else "success")
        return len(person.asked)


@pytest.fixture
def project(kitchen: Kitchen, tmp_path: Path) -> Project:
    return Project(kitchen, tmp_path)


def test_an_approval_for_the_project_outlives_the_session(kitchen: Kitchen, project: Project) -> None:
    part = kitchen.part("execute_command", command="pytest -x")
    assert project.asked(execute_command, part) == 1
    assert project.asked(execute_command, part) == 0
    assert project.asked(execute_command, kitchen.part("execute_command", command="pytest -q")) == 0
    assert project.asked(execute_command, kitchen.part("execute_command", command="make"), scope="once") == 1
    (kept,) = Approvals(str(kitchen.folder), project.state).known()
    assert (kept.tool, kept.shape, kept.plugin) == ("execute_command", "pytest …", "tested (dist 1)")
    assert (project.state / "approvals.json").stat().st_mode & 0o777 == 0o600
    assert Approvals(str(kitchen.folder), project.state).revoke(kept.id) == (kept,)
    assert project.asked(execute_command, part, scope="once") == 1


def test_another_version_or_schema_is_asked_about_again(kitchen: Kitchen, project: Project) -> None:
    @tool(name="execute_command", category="command", shape=first_word)
    def other(command: str, context: Any, loud: bool = False) -> str:
        """Run a command."""
        return command

    part = kitchen.part("execute_command", command="pytest -x")
    project.asked(execute_command, part)
    assert project.asked(execute_command, part, version="2", scope="once") == 1
    assert project.asked(other, part, scope="once") == 1
    assert project.asked(execute_command, part) == 0


def test_a_rule_that_asks_and_the_mode_none_are_stronger(kitchen: Kitchen, project: Project) -> None:
    part = kitchen.part("execute_command", command="pytest -x")
    project.asked(execute_command, part)
    asks = [RulesPolicy([Rule("*", "ask")])]
    assert project.asked(execute_command, part, scope="once", policies=asks) == 1
    assert project.asked(execute_command, part, scope="once", approve="none") == 0


def test_what_can_not_be_kept_holds_for_the_session_and_is_told(kitchen: Kitchen, project: Project) -> None:
    part = kitchen.part("execute_command", command="pytest -x")
    assert project.asked(execute_command, part, version="") == 1
    assert "no version that an approval could be bound to" in kitchen.of_kind("error")[-1].data["message"]
    assert kitchen.of_kind("approval.given")[-1].data["scope"] == "shape"
    project.state.write_text("a file")
    project.asked(execute_command, part)
    assert "approvals can't be stored" in kitchen.of_kind("error")[-1].data["message"]


def test_secrets_are_not_kept_in_words(kitchen: Kitchen, project: Project, tmp_path: Path, new_kitchen: Any) -> None:
    folder = tmp_path / "secret"
    folder.mkdir()
    secret = new_kitchen(folder, environ={"SOME_API_KEY": "sk-0123456789abcdef"})
    kept = Project(secret, tmp_path)
    kept.asked(execute_command, secret.part("execute_command", command="sk-0123456789abcdef -x"))
    assert "0123456789abcdef" not in (kept.state / "approvals.json").read_text()


changes = st.lists(st.tuples(st.sampled_from(["approve", "modify", "deny"]), st.integers(0, 3)), min_size=1, max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes)
def test_only_what_was_shown_last_ever_runs(new_kitchen: Any, tmp_path_factory: Any, answers: list[Any]) -> None:
    kitchen = new_kitchen(tmp_path_factory.mktemp(new_id()))
    ran: list[str] = []

    @tool
    def act(name: str, context: Any) -> None:
        """Act."""
        ran.append(name)

    left = iter(answers)
    shown: list[str] = []
    last: list[str] = []

    def answer(batch: Any) -> list[Approval]:
        shown.append(batch[0].call.arguments["name"])
        outcome, number = next(left, ("deny", 0))
        last[:] = [outcome]
        return [Approval(batch[0].call.id, outcome, arguments={"name": str(number)})]

    scheduler = kitchen.scheduler(act, approve="ask", front_end=kitchen.person(answer))
    kitchen.run(scheduler, kitchen.part("act", name="first"))
    assert ran == ([shown[-1]] if last == ["approve"] else [])
