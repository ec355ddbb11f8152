"""Calls that plugins rewrite: judged, asked about, recorded and run as what they became, and only ever tightened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from doors import Rewriting, Talk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inarch
from inarch.testing import calls, says

READ = ("read_file", {"file_path": "a.txt"})
WRITE = ("write_file", {"file_path": "new.txt", "content": "text\n"})
Having = Callable[..., Talk]


class Person:
    """A front end that answers with yes and keeps what it was asked."""

    name = "person"

    def __init__(self, outcome: Any = "approve") -> None:
        self.asked: list[inarch.ApprovalRequest] = []
        self.outcome = outcome

    def show(self, event: inarch.Event) -> None:
        """Look away."""

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> list[inarch.Approval]:
        """Say it."""
        self.asked += batch
        return [inarch.Approval(request.call.id, self.outcome) for request in batch]

    def close(self) -> None:
        """Go."""


def moving(path: str) -> Rewriting:
    """A rewriter that has every call be about another file."""
    return Rewriting(lambda call, tool, context: inarch.Rewrite({**call.arguments, "file_path": path}, reason="moved"))


def saying(decision: Any, reason: str = "because") -> Rewriting:
    """A rewriter that decides the same of every call."""
    return Rewriting(lambda call, tool, context: inarch.Rewrite(None, decision, reason))


def test_what_runs_is_asked_about_and_recorded_is_the_rewritten_call(talk: Having, root: Path) -> None:
    person = Person()
    said = talk([calls(WRITE), says("done")], parts=[moving("other.txt")], front_end=person, journal=True)
    assert (root / "other.txt").read_text() == "text\n" and not (root / "new.txt").exists()
    (request,) = person.asked
    assert request.call.arguments["file_path"] == "other.txt"
    assert "it changes other.txt" in request.reason and "shop rewrote the call" in request.reason
    (event,) = said.of("call.rewritten")
    assert event["arguments"]["file_path"] == "other.txt" and event["reason"] == "moved"
    states = [state for state in said.of("call.state") if state["call"]]
    assert [(one["status"], one["call"]["arguments"]["file_path"]) for one in states] == [
        ("validating", "new.txt"), ("scheduled", "other.txt"),
    ]  # fmt: skip
    assert said.of("file.changed")[0]["path"] == "other.txt"
    (result,) = said.results()
    assert result.startswith("The plugin shop changed the arguments of this call to:\n") and "other.txt" in result
    again = said.app.session(said.session.id)
    assert again.state.earlier_messages() == said.session.state.earlier_messages()


def test_a_rule_and_a_policy_judge_what_a_call_became(talk: Having, root: Path) -> None:
    rules = {"rules": [{"tool": "read_file", "path": "b.txt", "decision": "deny", "reason": "not b"}]}
    said = talk([calls(READ), says("done")], parts=[moving("b.txt")], config=rules)
    assert "not b" in said.results()[0]
    said = talk([calls(("read_file", {"file_path": "b.txt"})), says("done")], parts=[moving("a.txt")], config=rules)
    assert "this is a.txt" in said.results()[0]


@given(
    paths=st.lists(st.sampled_from(["a.txt", "b.txt", "c.txt"]), min_size=1, max_size=4),
    became=st.sampled_from(["a.txt", "b.txt", "c.txt", None]),
    denied=st.sampled_from(["a.txt", "b.txt", "c.txt"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_call_is_judged_as_what_it_became(root: Path, paths: list[str], became: str | None, denied: str) -> None:
    rules = {"rules": [{"tool": "read_file", "path": denied, "decision": "deny", "reason": "no"}]}
    wanted = [("read_file", {"file_path": path}) for path in paths]
    parts = [moving(became)] if became else []
    said = Talk(root, [calls(*wanted), says("done")], parts=parts, config=rules)
    for path, call in zip(paths, said.turn.calls, strict=True):
        ran = became or path
        assert call.arguments["file_path"] == ran
        assert call.status == ("error" if ran == denied else "success")
    said.close()


@pytest.mark.parametrize("approve", ["ask", "edits", "all", "none"])
def test_a_denial_holds_in_every_mode_with_its_reason(talk: Having, root: Path, approve: str) -> None:
    flags = {"approve": approve}
    said = talk([calls(WRITE), says("done")], parts=[saying("deny", "no files today")], flags=flags, front_end=Person())
    assert not (root / "new.txt").exists()
    assert "write_file is denied: shop: no files today" in said.results()[0]


def test_what_it_allows_is_asked_about_all_the_same(talk: Having, root: Path) -> None:
    said = talk([calls(WRITE), says("done")], parts=[saying("allow")])
    assert not (root / "new.txt").exists() and said.of("call.rewritten") == []


def test_with_the_users_word_it_answers_the_modes_question_and_no_other(talk: Having, root: Path) -> None:
    config: dict[str, Any] = {"may_allow": ["shop"]}
    said = talk([calls(WRITE), says("done")], parts=[saying("allow", "mine")], config=config)
    assert (root / "new.txt").exists()
    (given,) = said.of("approval.given")
    assert (given["by"], given["reason"]) == ("mode", "shop allows it: mine")
    (root / "new.txt").unlink()
    for rule in ("ask", "deny"):
        config["rules"] = [{"tool": "write_file", "decision": rule, "reason": "look first"}]
        talk([calls(WRITE), says("done")], parts=[saying("allow")], config=config)
        assert not (root / "new.txt").exists()
    config["rules"] = []
    talk([calls(WRITE), says("done")], parts=[saying("allow")], config=config, flags={"approve": "none"})
    talk([calls(WRITE), says("done")], parts=[saying("allow"), saying("ask")], config=config)
    talk([calls(WRITE), says("done")], parts=[saying("deny"), saying("allow")], config=config)
    assert not (root / "new.txt").exists()


def _raises(*_: Any) -> None:
    raise RuntimeError("no")


@pytest.mark.parametrize(
    ("rewrite", "words"),
    [
        (_raises, "RuntimeError: no"),
        (lambda *_: {"file_path": "b.txt"}, "did not return a Rewrite but"),
        (lambda *_: inarch.Rewrite(None, "perhaps"), "did not return a Rewrite but"),
        (
            lambda *_: inarch.Rewrite({"file_path": "b.txt", "nonsense": 1}),
            "gave read_file wrong arguments: read_file: ",
        ),
        (lambda *_: inarch.Rewrite({"file_path": object()}), "did not return a Rewrite but"),
    ],
)
def test_one_that_fails_leaves_the_call_to_a_person(talk: Having, rewrite: Any, words: str) -> None:
    person = Person()
    for mode, front_end in (("ask", person), ("all", person), ("all", None)):
        said = talk(
            [calls(READ), says("done")], parts=[Rewriting(rewrite)], flags={"approve": mode}, front_end=front_end
        )
        (error,) = said.of("error")
        assert words in error["message"] and (error["door"], error["call_id"]) == ("rewriter", said.turn.calls[0].id)
        assert ("this is a.txt" in said.results()[0]) is (front_end is not None)
    assert [request.reason for request in person.asked] == ["shop: rewriter 'rewriting' could not judge this call"] * 2


def test_a_projects_own_configuration_can_name_nobody(tmp_path: Path) -> None:
    (tmp_path / ".inarch").mkdir()
    (tmp_path / ".inarch/config.toml").write_text('may_allow = ["shop"]\n')
    with inarch.compose(root=tmp_path, config={}, journal=False) as app:
        assert app.config.may_allow == ()
        assert any("may_allow: ignored" in note for note in app.config.notes)
