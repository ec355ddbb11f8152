"""A person who denies all that a turn wants to do, without a word, has ended it; one who says why goes on with it."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import inarch
from inarch import Approval
from inarch.contract.approval_records import ApprovalRequest
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app

WRITES = calls(
    ("create_file", {"file_path": "one.txt", "content": "1"}), ("create_file", {"file_path": "two.txt", "content": "2"})
)
READS_AND_WRITES = calls(("read_file", {"file_path": "a.txt"}), ("create_file", {"file_path": "b.txt", "content": "2"}))

Answers = Callable[[Sequence[ApprovalRequest]], Sequence[Approval]]


class Person:
    name = "person"

    def __init__(self, answers: Answers) -> None:
        self.answers = answers

    def show(self, event: inarch.Event) -> None:
        """Look on."""

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        return self.answers(batch)

    def close(self) -> None:
        """Go."""


def deny(reason: str = "", of: int = 9, ends_turn: bool | None = None) -> Answers:
    """Deny the first so many, approve the rest."""

    def answers(batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        said = [("deny", reason)] * of + [("approve", "")] * 9
        answered = zip(batch, said, strict=False)
        return [Approval(one.call.id, outcome, reason=why, ends_turn=ends_turn) for one, (outcome, why) in answered]  # type: ignore[arg-type]

    return answers


def play(root: Path, answers: Answers, *script: Step) -> tuple[list[inarch.Turn], ScriptedModel, list[inarch.Event]]:
    (root / "a.txt").write_text("alpha\n")
    app, model = scripted_app(script, root, front_end=Person(answers))

    async def go() -> list[inarch.Turn]:
        session = app.session()
        session.state.journal.listeners.append(events.append)
        turns = [await session.run("write them"), await session.run("and now?")]
        await app.aclose()
        return turns

    events: list[inarch.Event] = []
    return asyncio.run(go()), model, events


def test_denying_every_call_without_a_reason_ends_the_turn_as_cancelled(tmp_path: Path) -> None:
    (first, second), model, events = play(tmp_path, deny(), WRITES, says("as you like"))
    assert (first.status, first.unmet, first.content) == ("cancelled", True, "")
    assert [call.status for call in first.calls] == ["error", "error"]
    assert (second.status, second.content) == ("done", "as you like")
    results = [part for part in model.requests[1].messages[2].parts if isinstance(part, inarch.ResultPart)]
    assert len(model.requests) == 2 and len(results) == 2  # the next turn sees what was denied
    (done,) = [event for event in events if event.kind == "calls.done"]
    assert (done.data["refused"], done.data["origin"]) == (True, "model")
    assert done.data["call_ids"] == [call.id for call in first.calls]


def test_a_denial_with_a_reason_ends_the_turn_where_the_answer_says_so(tmp_path: Path) -> None:
    (first, _), model, _ = play(tmp_path, deny("enough", ends_turn=True), WRITES, says("as you like"))
    assert (first.status, first.unmet, len(model.requests)) == ("cancelled", True, 2)
    assert "enough" in str(model.requests[1].messages)


@pytest.mark.parametrize(
    ("answers", "script"),
    [
        (deny("not there"), WRITES),
        (deny(of=1), WRITES),
        (deny(), READS_AND_WRITES),
        (deny(ends_turn=False), WRITES),
        (deny(of=1, ends_turn=True), WRITES),
    ],
    ids=["a reason", "one is approved", "another ran unasked", "it is to go on", "one is approved, whatever is said"],
)
def test_otherwise_the_model_hears_of_it_and_goes_on(tmp_path: Path, answers: Answers, script: Step) -> None:
    (first, _), model, events = play(tmp_path, answers, script, says("another way"), says("fine"))
    assert (first.status, first.content) == ("done", "another way")
    assert not any(event.data["refused"] for event in events if event.kind == "calls.done")
    if script is WRITES and first.calls[1].status == "error":
        results = [part.result for part in model.requests[1].messages[-1].parts if isinstance(part, inarch.ResultPart)]
        assert len(results) == 2 and all("denied" in str(result.error) for result in results)
