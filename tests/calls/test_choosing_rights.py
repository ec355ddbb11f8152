"""What only a person may answer, and the rights that they choose in the same question."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from inarch.calls.explanation import explain
from inarch.calls.grants import Grants, ProjectGrants
from inarch.contract.approval_records import Approval, ApprovalRequest, Right, RightsOffer
from inarch.contract.errors import ToolFailed
from inarch.contract.records import Verdict
from inarch_sdk.tool_decorator import tool

Kitchen = Any
Chosen = Mapping[str, tuple[str, ...]]
LIGHT, KEYS = Right("l", "light", "light"), Right("k", "keys", "keys", "KEY…")


class Opener:
    """A tool with rights: `light`, and `keys` that are resolved to capitals; no key is called `no`."""

    def __init__(self, lasting: bool = True) -> None:
        @tool(name="open_it", category="other")
        def open_it(door: str, context: Any) -> Any:
            """Open a door."""
            return {"door": door, "rights": context.rights}

        self._inner, self._lasting = open_it, lasting

    def rights(self, arguments: Mapping[str, Any], chosen: Chosen) -> RightsOffer:
        if "no" in chosen.get("keys", ()):
            raise ToolFailed("validation", "there is no such key")
        found = {name: tuple(value.upper() for value in values) for name, values in chosen.items()}
        return RightsOffer((LIGHT, KEYS), found, (f"may: {json.dumps(found)}",), arguments["door"], self._lasting)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Careful:
    """A policy that leaves everything to the person."""

    name = "careful"

    def judge(self, call: Any, tool: Any) -> Verdict:
        return Verdict("ask", "it is a door", person=True, remedy="use the window")


def answering(*script: Mapping[str, Any]) -> Any:
    """Return what gives one answer after the other."""
    left = list(script)

    def answer(batch: Sequence[ApprovalRequest]) -> list[Approval]:
        return [Approval(one.call.id, **left.pop(0)) for one in batch]

    return answer


def opened(kitchen: Kitchen, *script: Mapping[str, Any], doors: Sequence[str] = ("front",), **options: Any) -> Any:
    """Open doors one after the other; return the last call and the person."""
    person = kitchen.person(answering(*script))
    made = {"approve": "ask", "policies": [Careful()], "front_end": person, **options}
    scheduler = kitchen.scheduler(made.pop("opener", Opener()), **made)
    for door in doors:
        (call,) = kitchen.run(scheduler, kitchen.part("open_it", door=door))
    return call, person


YES, NO = {"outcome": "approve"}, {"outcome": "deny"}


def chosen(**rights: tuple[str, ...]) -> dict[str, Any]:
    return {"outcome": "modify", "rights": rights}


@pytest.mark.parametrize("mode", ["ask", "edits", "all"])
def test_no_mode_answers_for_the_person(kitchen: Kitchen, mode: str) -> None:
    call, person = opened(kitchen, YES, approve=mode)
    assert len(person.asked) == 1 and call.result.data == {"door": "front", "rights": {}}
    call, _ = opened(kitchen, approve=mode, front_end=None)
    assert (call.result.error.code, call.result.error.remedy[:14]) == ("denied", "use the window")
    assert "--approve" not in call.result.error.remedy


def test_rights_are_shown_before_the_yes_given_to_the_call_and_recorded(kitchen: Kitchen) -> None:
    call, person = opened(kitchen, chosen(light=()), chosen(light=(), keys=("a",)), YES)
    assert [batch[0].preview.splitlines()[1] for batch in person.asked] == [
        "may: {}", 'may: {"light": []}', 'may: {"light": [], "keys": ["A"]}',
    ]  # fmt: skip
    assert call.result.data["rights"] == {"light": [], "keys": ["A"]}
    digests = [event.data["digests"][0] for event in kitchen.of_kind("approval.asked")]
    assert len(set(digests)) == 3
    given = [event.data["rights"] for event in kitchen.of_kind("approval.given")]
    assert given == [{"light": []}, {"light": [], "keys": ["A"]}, {"light": [], "keys": ["A"]}]


def test_a_yes_with_rights_that_mean_something_else_is_asked_about_again(kitchen: Kitchen) -> None:
    call, person = opened(kitchen, YES | {"rights": {"keys": ("a",)}}, YES)
    assert len(person.asked) == 2 and call.result.data["rights"] == {"keys": ["A"]}
    call, person = opened(kitchen, YES | {"rights": {"light": ()}})
    assert len(person.asked) == 1 and call.result.data["rights"] == {"light": []}


@pytest.mark.parametrize("scope", ["shape", "tool", "session"])
def test_an_answer_for_longer_is_for_these_words_with_these_rights(kitchen: Kitchen, scope: str) -> None:
    call, person = opened(kitchen, chosen(light=()), YES | {"scope": scope}, NO, doors=["front", "front", "back"])
    assert [batch[0].call.arguments["door"] for batch in person.asked] == ["front", "front", "back"]
    assert not call.result.success
    call, person = opened(kitchen, chosen(light=()), YES | {"scope": scope}, doors=["front", "front"])
    assert call.result.data["rights"] == {"light": []}


def test_kept_for_the_project_with_its_rights_or_not_at_all(kitchen: Kitchen) -> None:
    kept = ProjectGrants(str(kitchen.folder), kitchen.folder / "state", {"tested": "tested (x 1)"})
    always = YES | {"scope": "project"}
    opened(kitchen, chosen(keys=("a",)), always, grants=Grants(project=kept))
    call, person = opened(kitchen, grants=Grants(project=kept))
    assert not person.asked and call.result.data["rights"] == {"keys": ["A"]}
    (one,) = Grants(project=kept).kept()
    assert one.shape == "front with keys A"
    found = explain("open_it", {"door": "front"}, tools={"open_it": kitchen.bind(Opener())},
                    policies=[kitchen.bind(Careful())], mode="all", root="/w", grants=kept)  # fmt: skip
    assert (found.decision, found.by) == ("allow", "project")

    opened(kitchen, always, doors=["side"], opener=Opener(lasting=False), grants=Grants(project=kept))
    _, person = opened(kitchen, NO, doors=["side"], grants=Grants(project=kept))
    assert len(person.asked) == 1
    assert kitchen.of_kind("approval.given")[-2].data["scope"] == "once"


def test_a_policys_question_about_what_was_kept_begins_with_no_rights(kitchen: Kitchen) -> None:
    class Asking:
        name = "asking"

        def judge(self, call: Any, tool: Any) -> Verdict:
            return Verdict("ask", "it is a door")

    grants = Grants(project=ProjectGrants(str(kitchen.folder), kitchen.folder / "state", {"tested": "tested (x 1)"}))
    opened(kitchen, chosen(light=()), YES | {"scope": "project"}, grants=grants)
    assert grants.kept()
    again = Grants(project=grants.project)
    _, person = opened(kitchen, NO, grants=again, policies=[Asking()])
    assert person.asked[0][0].rights.chosen == {}
