"""What was spent, as it is shown: at the end of a turn, in a session's table, and where a model was switched."""

from __future__ import annotations

import io
from decimal import Decimal
from typing import Any

import pytest

from inarch.contract.codec import to_data
from inarch.contract.events import (
    Event,
    EventData,
    ModelDelta,
    ModelReplied,
    ModelRequested,
    Note,
    Spent,
    TurnEnded,
    TurnStarted,
    event_data,
)
from inarch.contract.other_events import ModelSwitched
from inarch.contract.records import Message, Turn, Usage
from inarch_plugins.terminal.front_ends.json import JsonFrontEnd
from inarch_plugins.terminal.front_ends.text import TextFrontEnd
from inarch_plugins.terminal.front_ends.turn_cost import turn_words

START = "2026-01-01T00:00:00.000000Z"
TURN = Turn("t", "agent", "u", "s", START, START, "The answer", "a/b", usage=Usage(1500, 46), status="done")
ANSWERS = Spent("turn", "", "a/b", 2, 1, 1200, 34, cost_usd=Decimal("0.0123"), seconds=2.5)
DECISIONS = Spent("decision", "dispatch", "a/lite", 1, 0, 300, 12, cost_usd=Decimal("0.0001"), seconds=0.25)
UNKNOWN = Spent("turn", "", "c/d", 2, 0, 10, 1, unknown=2)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(front_end: TextFrontEnd | JsonFrontEnd, *payloads: EventData) -> None:
    for seq, payload in enumerate(payloads, 1):
        front_end.show(Event(seq, START, "s", "t", payload.kind, event_data(payload)))


def rows(*spent: Spent) -> list[dict[str, Any]]:
    return [to_data(one) for one in spent]


def test_the_end_of_a_turn_has_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    session = Spent("", "", "", 5, 0, 5000, 100, cost_usd=Decimal("0.5"))
    shown(TextFrontEnd(io.StringIO(), io.StringIO()), TurnStarted(TURN), TurnEnded(TURN, (DECISIONS, ANSWERS), session))
    decisions = "of it decisions: 300 in, 12 out · $0.0001"
    assert (
        f"1,500 in, 46 out · $0.0124 · 0 ms · {decisions} · session: 5,000 in, 100 out · $0.5000"
        in capsys.readouterr().err
    )


def test_an_estimate_is_marked_as_one() -> None:
    guessed = Spent("turn", "", "a/b", 1, 1, 300, 12, unknown=1, estimated=1)
    assert turn_words({}, rows(guessed)) == ["about 300 in, 12 out · cost unknown"]
    assert turn_words({}, rows(ANSWERS, guessed))[0].startswith("about 1,500 in")
    assert turn_words({"usage": to_data(Usage(300, 12, estimated=True))}, []) == ["about 300 in, 12 out · cost unknown"]
    (older,) = rows(ANSWERS)
    del older["estimated"]
    assert turn_words({}, [older]) == ["1,200 in, 34 out · $0.0123"], "a record from before there was this"


def test_a_reply_that_broke_off_is_not_taken_for_the_beginning_of_the_next() -> None:
    out = Terminal()
    failed = ModelReplied("a/b", Message("assistant", ()), Usage(), "error", error="malformed")
    shown(
        TextFrontEnd(out, io.StringIO(), quiet=True),
        TurnStarted(TURN), ModelRequested("a/b", "turn", 1, 0), ModelDelta("The ans"), failed, Note("asking again"),
        ModelRequested("a/b", "turn", 1, 0, attempt=2), ModelDelta("The answer"), TurnEnded(TURN),
    )  # fmt: skip
    assert out.getvalue() == "The ans\n(the reply broke off here)\nThe answer\n"


@pytest.mark.parametrize("quiet", [False, True])
def test_a_model_that_takes_over_is_told_by_every_front_end(quiet: bool, capsys: pytest.CaptureFixture[str]) -> None:
    switched = ModelSwitched("a/b", "c/d", "the quota is used up")
    shown(TextFrontEnd(io.StringIO(), io.StringIO(), quiet=quiet), switched)
    shown(JsonFrontEnd(io.StringIO()), switched)
    assert capsys.readouterr().err == "inarch: note: c/d takes over from a/b: the quota is used up\n" * 2
