"""Plan mode: only reading runs, a plan that the person approves ends it, and the turn goes on."""

from __future__ import annotations

from typing import Any

import pytest

import inarch
from inarch.testing import calls, says

from .conftest import Desk, edited, no, yes

PLAN = "# Plan\n\n1. Write new.txt\n"
PRESENT = ("present_plan", {"plan": PLAN})
WRITE = ("write_file", {"file_path": "new.txt", "content": "text\n"})
READ = ("read_file", {"file_path": "a.txt"})
PLANNING: dict[str, Any] = {"flags": {"approve": "plan"}}


def test_a_plan_is_edited_approved_and_carried_out_in_one_turn(desk: Desk) -> None:
    other = PLAN + "2. Nothing else\n"
    script = [calls(READ), calls(PRESENT), calls(WRITE), says("done")]
    turn = desk.talk(script, answers={"present_plan": [edited(plan=other), yes("edits")]}, **PLANNING)
    assert turn.content == "done" and not turn.unmet
    assert (desk.root / "new.txt").read_text() == "text\n"
    assert desk.person is not None
    assert desk.person.asked[0].reason.endswith("after approval the approval mode is ask")
    assert "present_plan" in desk.offered(0) == desk.offered(2)
    assert "plan mode" in desk.requests[0].messages[0].text
    assert "The user changed the arguments of this call" in desk.seen[1] and "2. Nothing else" in desk.seen[1]
    (approved,) = [data for data in desk.of("approval.given") if data["approve"] == "edits"]
    assert approved["outcome"] == "approve" and approved["by"] == "user"
    (scheduled,) = [data for data in desk.of("call.state") if (data["call"] or {}).get("arguments") == {"plan": other}]
    assert scheduled["status"] == "scheduled"


def test_a_yes_without_edits_goes_on_asking(desk: Desk) -> None:
    script = [calls(PRESENT), calls(WRITE), says("done")]
    desk.talk(script, answers={"present_plan": [yes()], "write_file": [no("not now")]}, **PLANNING)
    assert not (desk.root / "new.txt").exists()
    assert [request.call.name for request in desk.person.asked] == ["present_plan", "write_file"]  # type: ignore[union-attr]


def test_a_refused_plan_leaves_the_mode_and_its_reason_reaches_the_model(desk: Desk) -> None:
    script = [calls(PRESENT), calls(WRITE), says("done")]
    desk.talk(script, answers={"present_plan": [no("too much")]}, **PLANNING)
    assert "too much" in desk.seen[0]
    assert "the approval mode is plan" in desk.seen[1] and "only read for now" in desk.seen[1]
    assert not (desk.root / "new.txt").exists()


def test_where_nobody_can_be_asked_the_plan_is_the_answer(desk: Desk) -> None:
    turn = desk.talk([calls(PRESENT, WRITE)], **PLANNING)
    assert (turn.status, turn.content) == ("done", PLAN)
    assert not (desk.root / "new.txt").exists()


@pytest.mark.parametrize("approve", ["ask", "edits", "all", "none"])
def test_no_plan_can_be_presented_in_any_other_mode(desk: Desk, approve: str) -> None:
    desk.talk([calls(PRESENT), says("done")], answers={}, flags={"approve": approve})
    assert "in the approval mode plan only" in desk.seen[0]
    assert desk.of("call.result")[0]["result"]["error"]["code"] == "not_found"


def test_approving_everything_does_not_approve_a_plan(desk: Desk) -> None:
    def always(request: inarch.ApprovalRequest) -> inarch.Approval:
        assert request.is_persons and not request.shape
        return inarch.Approval(request.call.id, "approve", "session")

    script = [calls(PRESENT), calls(WRITE), says("done")]
    desk.talk(script, answers={"present_plan": [always], "write_file": [no("not now")]}, **PLANNING)
    assert [data["scope"] for data in desk.of("approval.given")] == ["once", "once"]
