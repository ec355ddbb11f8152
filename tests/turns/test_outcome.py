"""Whether anything came of what a turn was to do: no call changed anything, or the model declined."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

import inarch
from inarch.contract.records import Outcome
from inarch.testing import Step, calls, says, scripted_app

WRITE = ("create_file", {"file_path": "new.txt", "content": "new\n"})
LOOK = ("read_file", {"file_path": "a.txt"})


class Answering:
    """A front end that gives the same answer to every question."""

    name = "answering"

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    def show(self, event: inarch.Event) -> None:
        pass

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> list[inarch.Approval]:
        return [inarch.Approval(request.call.id, self.outcome, reason="not now") for request in batch]

    def close(self) -> None:
        pass


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("alpha\n")
    return tmp_path


def play(script: list[Step], root: Path, approve: str = "ask", outcome: Outcome | None = None) -> inarch.Turn:
    front_end = Answering(outcome) if outcome else None
    app, _ = scripted_app(script, root, config={"profiles": {"default": {"approve": approve}}}, front_end=front_end)

    async def go() -> inarch.Turn:
        try:
            return await app.session().run("go")
        finally:
            await app.aclose()

    return asyncio.run(go())


@pytest.mark.parametrize("denied", [{"approve": "none"}, {"approve": "ask"}, {"outcome": "deny"}], ids=str)
def test_a_turn_whose_every_change_was_denied_is_unmet(root: Path, denied: dict[str, str]) -> None:
    turn = play([calls(WRITE, LOOK), says("it was not allowed")], root, **denied)  # type: ignore[arg-type]
    assert (turn.status, turn.unmet) == ("done", True)


def test_a_model_that_declines_leaves_the_turn_unmet_and_done(root: Path) -> None:
    declines = [inarch.TextDelta("I can't."), inarch.Finish("declined")]
    turn = play([declines], root)
    assert (turn.status, turn.content, turn.unmet) == ("done", "I can't.", True)
