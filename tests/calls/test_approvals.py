from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from inarch.calls.live_call import digest
from inarch.contract.approval_records import Approval, ApprovalRequest
from inarch.contract.records import Effects, Verdict
from inarch_sdk.tool_decorator import tool

Kitchen = Any


@tool(effects=Effects(reads=frozenset({"a"})), category="file")
def look(name: str = "") -> str:
    """Look at something."""
    return f"saw {name}"


@tool(category="command")
def act(name: str, context: Any) -> str:
    """Do something of unknown effect."""
    return f"did {name}"


@tool(category="other")
def change(name: str, context: Any) -> str:
    """Change something, nobody knows what."""
    return f"changed {name}"


@tool(category="search")
def find(name: str, context: Any) -> str:
    """Search, with undeclared effects."""
    return f"found {name}"


@tool(requires_confirmation=True)
def delicate() -> str:
    """Do something delicate."""
    return "done"


@tool(category="git", effects=Effects(writes=frozenset({".git/"})))
def commit() -> str:
    """Commit."""
    return "committed"


def _calls(kitchen: Kitchen) -> list[Any]:
    return [
        kitchen.part("look"),
        kitchen.part("find", name="x"),
        kitchen.part("write_file", file_path="new", content="x"),
        kitchen.part("act", name="x"),
        kitchen.part("commit"),
        kitchen.part("delicate"),
    ]


def test_a_batch_is_asked_about_at_once_and_the_answers_are_events(kitchen: Kitchen, write_file: Any) -> None:
    person = kitchen.approving()
    scheduler = kitchen.scheduler(look, find, write_file, act, commit, delicate, approve="ask", front_end=person)
    done = kitchen.run(scheduler, *_calls(kitchen))
    assert all(call.status == "success" for call in done)
    assert [[item.call.name for item in batch] for batch in person.asked] == [
        ["write_file", "act", "commit", "delicate"]
    ]
    (asked,) = kitchen.of_kind("approval.asked")
    assert asked.data["digests"][0] == digest("write_file", {"file_path": "new", "content": "x"})
    given = kitchen.of_kind("approval.given")
    assert [(event.data["outcome"], event.data["by"]) for event in given] == [("approve", "user")] * 4
    assert kitchen.states(done[2]) == ["validating", "awaiting_approval", "scheduled", "executing", "success"]


@pytest.mark.parametrize(
    ("name", "arguments", "keys"),
    [
        ("write_file", {"file_path": "new", "content": "x"}, "run with --approve edits, or "),
        ("act", {"name": "x"}, ""),
        ("delicate", {}, ""),
    ],
)
@pytest.mark.parametrize("silent", [False, True])
def test_headless_denies_and_names_the_key_that_would_allow(
    kitchen: Kitchen, write_file: Any, name: str, arguments: dict[str, Any], keys: str, silent: bool
) -> None:
    front_end = kitchen.person(lambda batch: ()) if silent else None
    scheduler = kitchen.scheduler(write_file, act, delicate, approve="ask", front_end=front_end)
    (call,) = kitchen.run(scheduler, kitchen.part(name, **arguments))
    assert call.result.error.code == "denied"
    assert "there was no user to ask" in call.result.error.message
    rule = f'[[rules]]\ntool = "{name}"\ndecision = "allow"'
    assert call.result.error.remedy == f"{keys}add to the configuration:\n{rule}"
    (given,) = kitchen.of_kind("approval.given")
    assert (given.data["outcome"], given.data["by"]) == ("deny", "headless")
    assert not (kitchen.folder / "new").exists()


def test_a_denied_call_carries_the_reason_and_the_others_run(kitchen: Kitchen) -> None:
    def answer(batch: Sequence[ApprovalRequest]) -> list[Approval]:
        return [
            Approval(batch[0].call.id, "deny", reason="not today"),
            Approval(batch[1].call.id, "approve"),
            Approval("of nothing", "approve"),
        ]

    scheduler = kitchen.scheduler(act, approve="ask", front_end=kitchen.person(answer))
    denied, fine = kitchen.run(scheduler, kitchen.part("act", name="x"), kitchen.part("act", name="y"))
    assert denied.result.error.message == "the user denied act: not today"
    assert fine.status == "success"


def test_a_change_is_validated_judged_and_asked_again(kitchen: Kitchen, write_file: Any) -> None:
    rounds: list[tuple[dict[str, Any], str]] = []
    changes = iter([{"file_path": "b"}, {"file_path": "b", "contents": "y"}, {"path": "b", "content": "y"}, None])

    def answer(batch: Sequence[ApprovalRequest]) -> list[Approval]:
        rounds.append((dict(batch[0].call.arguments), batch[0].reason))
        change = next(changes)
        outcome = "approve" if change is None else "modify"
        return [Approval(batch[0].call.id, outcome, arguments=change)]

    scheduler = kitchen.scheduler(write_file, approve="ask", front_end=kitchen.person(answer))
    (call,) = kitchen.run(scheduler, kitchen.part("write_file", file_path="a", content="x"))
    assert [arguments for arguments, _ in rounds] == [
        {"file_path": "a", "content": "x"},
        {"file_path": "a", "content": "x"},
        {"file_path": "a", "content": "x"},
        {"file_path": "b", "content": "y"},
    ]
    assert "the change is not valid: write_file: argument 'content' is missing" in rounds[1][1]
    assert "did you mean 'content'?" in rounds[2][1]
    assert rounds[3][1] == "it changes b"
    assert call.arguments == {"file_path": "b", "content": "y"}
    assert (kitchen.folder / "b").read_bytes() == b"y"
    assert not (kitchen.folder / "a").exists()
    scheduled = [event for event in kitchen.of_kind("call.state") if event.data["status"] == "scheduled"]
    assert scheduled[0].data["call"]["arguments"] == {"file_path": "b", "content": "y"}
    assert scheduled[0].data["effects"]["writes"] == ["b"]


def test_a_change_into_what_is_denied_is_denied(kitchen: Kitchen, write_file: Any) -> None:
    class NotB:
        name = "not-b"

        def judge(self, call: Any, tool: Any) -> Verdict:
            return Verdict("deny", "b is taboo") if call.arguments["file_path"] == "b" else Verdict("allow")

    person = kitchen.person(
        lambda batch: [Approval(batch[0].call.id, "modify", arguments={"file_path": "b", "content": ""})]
    )
    scheduler = kitchen.scheduler(write_file, approve="ask", front_end=person, policies=[NotB()])
    (call,) = kitchen.run(scheduler, kitchen.part("write_file", file_path="a", content="x"))
    assert (call.result.error.code, len(person.asked)) == ("denied", 1)
    assert "b is taboo" in call.result.error.message


def test_endless_changes_end(kitchen: Kitchen) -> None:
    person = kitchen.person(lambda batch: [Approval(batch[0].call.id, "modify", arguments={"name": "again"})])
    scheduler = kitchen.scheduler(act, approve="ask", front_end=person)
    (call,) = kitchen.run(scheduler, kitchen.part("act", name="x"))
    assert call.result.error.code == "denied"
    assert len(person.asked) == 10


def test_an_approval_is_bound_to_the_arguments_that_were_shown(kitchen: Kitchen, write_file: Any) -> None:
    def swap(batch: Sequence[ApprovalRequest]) -> list[Approval]:
        batch[0].call.arguments["file_path"] = "elsewhere"  # type: ignore[index]
        return [Approval(batch[0].call.id, "approve")]

    scheduler = kitchen.scheduler(write_file, approve="ask", front_end=kitchen.person(swap))
    (call,) = kitchen.run(scheduler, kitchen.part("write_file", file_path="a", content="x"))
    assert call.result.error.code == "denied"
    assert not (kitchen.folder / "elsewhere").exists()


def test_arguments_swapped_after_the_answer_do_not_run(kitchen: Kitchen) -> None:
    ran: list[str] = []

    @tool(category="command")
    def first(context: Any) -> None:
        """Swap the arguments of the next call while it waits."""
        kept[1].call.arguments["name"] = "swapped"

    @tool(category="command")
    def second(name: str, context: Any) -> None:
        """Run."""
        ran.append(name)

    kept: list[Any] = []

    def answer(batch: Sequence[ApprovalRequest]) -> list[Approval]:
        kept.extend(batch)
        return [Approval(item.call.id, "approve") for item in batch]

    scheduler = kitchen.scheduler(first, second, approve="ask", front_end=kitchen.person(answer))
    done = kitchen.run(scheduler, kitchen.part("first"), kitchen.part("second", name="shown"))
    assert [call.status for call in done] == ["success", "error"]
    assert done[1].result.error.code == "denied"
    assert ran == []


@pytest.mark.parametrize(
    ("scope", "asked"),
    [("once", 4), ("shape", 3), ("tool", 2), ("project", 3), ("session", 1)],
)
def test_an_approval_lasts_as_long_as_its_scope(kitchen: Kitchen, scope: str, asked: int) -> None:
    person = kitchen.approving(scope)
    scheduler = kitchen.scheduler(change, commit, approve="ask", front_end=person)
    parts = [kitchen.part("change", name="x"), kitchen.part("change", name="x"), kitchen.part("change", name="y")]
    for part in [*parts, kitchen.part("commit")]:
        (call,) = kitchen.run(scheduler, part)
        assert call.status == "success"
    assert len(person.asked) == asked
    assert bool(scheduler.grants.listed()) is (scope != "once")
    scheduler.grants.revoke()
    kitchen.run(scheduler, kitchen.part("change", name="x"))
    assert len(person.asked) == asked + 1


def test_no_tool_that_runs_commands_is_approved_as_a_whole(kitchen: Kitchen) -> None:
    person = kitchen.approving("tool")
    scheduler = kitchen.scheduler(act, approve="ask", front_end=person)
    for name in ("x", "x", "y"):
        kitchen.run(scheduler, kitchen.part("act", name=name))
    assert len(person.asked) == 2
    given = [event.data["scope"] for event in kitchen.of_kind("approval.given")]
    assert given == ["shape", "shape", "shape"]


def test_a_front_end_that_fails_denies_and_is_named(kitchen: Kitchen) -> None:
    def broken(batch: Any) -> Any:
        raise RuntimeError("no terminal")

    for front_end in (kitchen.person(broken), kitchen.person(lambda batch: 7), kitchen.person(lambda batch: ["x"])):
        scheduler = kitchen.scheduler(act, approve="ask", front_end=front_end)
        (call,) = kitchen.run(scheduler, kitchen.part("act", name="x"))
        assert call.result.error.code == "denied"
        assert kitchen.of_kind("error")[-1].data["plugin"] == "person"


class _Says:
    name = "says"

    def __init__(self, verdict: Any) -> None:
        self.verdict = verdict

    def judge(self, call: Any, tool: Any) -> Any:
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return self.verdict


@pytest.mark.parametrize("mode", ["ask", "edits", "all", "none"])
@pytest.mark.parametrize("verdict", [Verdict("deny", "never"), ValueError("broken"), "deny", None, Verdict("maybe")])  # type: ignore[arg-type]
def test_a_denying_or_broken_policy_denies_in_every_mode(kitchen: Kitchen, mode: str, verdict: Any) -> None:
    policies = [_Says(Verdict("allow", "sure")), _Says(verdict), _Says(Verdict("allow"))]
    scheduler = kitchen.scheduler(look, approve=mode, policies=policies, front_end=kitchen.approving("session"))
    (call,) = kitchen.run(scheduler, kitchen.part("look"))
    assert call.result.error.code == "denied"
    assert ("never" in call.result.error.message) or ("a policy that fails denies" in call.result.error.message)


def test_a_policy_that_allows_takes_no_question_away(kitchen: Kitchen) -> None:
    person = kitchen.approving()
    scheduler = kitchen.scheduler(act, approve="ask", policies=[_Says(Verdict("allow", "trust me"))], front_end=person)
    kitchen.run(scheduler, kitchen.part("act", name="x"))
    assert len(person.asked) == 1
