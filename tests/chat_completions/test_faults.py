"""Whatever a service does wrong: a turn ends in text, calls or one clear error, in time, with nothing secret in it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping

import pytest

from ..forking import LONGEST_S
from .faults import FAULTS, Fault
from .wire import KEY, Outcome, outcome

PATIENCE_S = LONGEST_S
AT_ONCE = 40
Outcomes = Mapping[str, Outcome | BaseException]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """Run every script, many at a time: most of their time they wait before they ask again."""
    place = tmp_path_factory.mktemp("faults")
    doors = asyncio.Semaphore(AT_ONCE)

    async def one(number: int, fault: Fault) -> Outcome:
        async with doors, asyncio.timeout(PATIENCE_S):  # what takes longer is a failure of its own
            return await outcome(place / str(number), fault.replies, settings=fault.settings)

    async def go() -> list[Outcome | BaseException]:
        return await asyncio.gather(
            *(one(number, fault) for number, fault in enumerate(FAULTS)), return_exceptions=True
        )

    return dict(zip((fault.name for fault in FAULTS), asyncio.run(go()), strict=True))


def ended(outcome: Outcome | BaseException) -> Outcome:
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_ends_in_text_calls_or_one_clear_error(outcomes: Outcomes, fault: Fault) -> None:
    turn = ended(outcomes[fault.name]).turn
    if fault.ends in ("text", "calls"):
        assert (turn.status, turn.error) == ("done", None)
        assert turn.content
        assert bool(turn.calls) == (fault.ends == "calls")
    else:
        assert turn.status == "failed"
        assert re.search(fault.ends, turn.error or ""), turn.error


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_no_error_has_a_secret_or_a_terminal_control_in_it(outcomes: Outcomes, fault: Fault) -> None:
    found = ended(outcomes[fault.name])
    assert (found.turn.error or "").isprintable()
    assert len(found.turn.error or "") < 600
    for event in found.events:
        assert KEY[:12] not in event.line
        if event.kind in ("error", "note"):
            assert all(text.isprintable() for text in event.data.values() if isinstance(text, str)), event.line
