"""Approvers: what their answers count for, and what becomes of those that fail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doors import Approving, Talk

import inarch
from inarch.testing import calls, says

from ..plan.conftest import Person, edited, no, yes

Having = Callable[..., Talk]
ADD = calls(("execute_command", {"command": "git add -f a.txt"}))
WORD = {"may_allow": ["shop", "shop:network"]}
pytestmark = [pytest.mark.needs("confinement"), pytest.mark.needs("git")]


def saying(outcome: Any, name: str = "approving", **more: Any) -> Approving:
    async def decide(request: inarch.ApprovalRequest, situation: inarch.Situation) -> inarch.Approval:
        return inarch.Approval(request.call.id, outcome, reason=f"{name} says so", **more)

    return Approving(decide, name)


def answers(said: Talk) -> list[tuple[str, str]]:
    return [(one["by"], one["outcome"]) for one in said.of("approval.given")]


def headless(talk: Having, *parts: Approving, config: Any = WORD, approve: str = "auto") -> tuple[Talk, str]:
    said = talk([ADD, says("done")], parts=parts, config=config, flags={"approve": approve})
    (result,) = said.of("call.result")
    return said, (result["result"].get("error") or {}).get("code", "")


def test_an_approval_needs_the_users_word_for_the_plugin_and_each_right(talk: Having) -> None:
    said, code = headless(talk, saying("approve", rights={"network": ()}))
    assert (answers(said), code) == ([("reviewer", "approve")], "")
    (given,) = said.of("approval.given")
    assert (given["plugin"], given["rights"]) == ("shop", {"network": []})
    for may_allow in ([], ["shop:network"], ["shop"], ["shop", "other:network"]):
        said, code = headless(talk, saying("approve", rights={"network": ()}), config={"may_allow": may_allow})
        assert (answers(said), code) == ([("reviewer", "ask"), ("headless", "deny")], "unreviewed")


@pytest.mark.parametrize("config", [{}, WORD])
def test_a_denial_always_counts(talk: Having, config: Any) -> None:
    said, code = headless(talk, saying("deny"), saying("approve", "second"), config=config)
    assert (answers(said), code) == ([("reviewer", "deny")], "denied")


def test_the_first_that_says_something_answers(talk: Having) -> None:
    async def nothing(*_: Any) -> None:
        return None

    said, _ = headless(talk, Approving(nothing), saying("approve", "second"), saying("deny", "third"))
    assert [one["reason"] for one in said.of("approval.given")] == ["second says so"]


@pytest.mark.parametrize(("approve", "asked"), [("ask", False), ("edits", False), ("auto", True), ("all", True)])
def test_narrow_modes_ask_the_user_alone(talk: Having, approve: str, asked: bool) -> None:
    said, _ = headless(talk, saying("approve"), approve=approve)
    assert (answers(said)[0][0] == "reviewer") is asked


async def _raises(*_: Any) -> None:
    raise RuntimeError("no")


async def _is_slow(*_: Any) -> None:
    await asyncio.sleep(60)


def returning(value: Any) -> Any:
    async def decide(request: inarch.ApprovalRequest, _: Any) -> Any:
        return value(request) if callable(value) else value

    return decide


@pytest.mark.parametrize(
    ("decide", "words"),
    [
        (_raises, "RuntimeError: no"),
        (_is_slow, "it took too long"),
        (returning(True), "True is not an answer"),
        (returning(lambda asked: yes(files=("nowhere",))(asked)), "rights that can't be"),
        (returning(lambda asked: edited(command="ls")(asked)), "is not an answer"),
        (returning(lambda asked: inarch.Approval(asked.call.id, "approve", rights=["network"])), "is not an answer"),  # type: ignore[arg-type]
        (returning(lambda asked: inarch.Approval(asked.call.id, "deny", reason=None)), "is not an answer"),  # type: ignore[arg-type]
    ],
)
def test_one_that_fails_leaves_the_question_to_the_user(talk: Having, decide: Any, words: str) -> None:
    config: Any = {"may_allow": ["shop", "shop:network", "shop:files"]}
    said, code = headless(talk, Approving(decide, timeout_s=0.2), config=config)
    assert code == "unreviewed" and words in said.of("approval.given")[0]["reason"]
    person = Person({"execute_command": [no("no")]})
    said = talk(
        [ADD, says("done")], parts=[Approving(decide, timeout_s=0.2)], config=config, flags={"approve": "auto"},
        front_end=person,
    )  # fmt: skip
    assert words in person.asked[0].reason and answers(said)[-1] == ("user", "deny")


def test_giving_up_asks_the_user_or_ends_the_turn(talk: Having) -> None:
    said, code = headless(talk, saying("deny", ends_turn=True))
    assert code == "unreviewed" and said.turn.status == "cancelled" and said.turn.unmet
    person = Person({"execute_command": [yes("network")]})
    said = talk(
        [ADD, says("done")], parts=[saying("deny", ends_turn=True)], config=WORD, flags={"approve": "auto"},
        front_end=person,
    )  # fmt: skip
    assert (answers(said), said.turn.status) == ([("reviewer", "stop"), ("user", "approve")], "done")


def test_prompts_are_the_users_own_words_after_a_resume_too(root: Path, tmp_path: Path) -> None:
    seen: list[tuple[str, ...]] = []

    async def decide(request: inarch.ApprovalRequest, situation: inarch.Situation) -> str:
        seen.append(situation.prompts)
        return "look"

    (root / "c.txt").write_text("more words\n")
    environ = {"XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path)}
    script, options = [ADD, says("done")], {"journal": True, "environ": environ, "flags": {"approve": "auto"}}
    first = Talk(root, script, ["one @c.txt"], parts=[Approving(decide)], **options)
    first.close()

    async def again() -> None:
        from doors import app_with

        app, _ = app_with(root, script, [Approving(decide)], **options)
        session = app.session(first.session.id)
        session.say("wait")
        await session.run("two")
        await app.aclose()

    asyncio.run(again())
    assert seen == [("one @c.txt",), ("one @c.txt", "wait", "two")]
