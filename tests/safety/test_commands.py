"""Every case of commands, against the tools as a session has them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from command_runner import Stage, load_commands
from safety_runner import Case

pytestmark = [pytest.mark.once, pytest.mark.needs("git")]

CASES = load_commands()
DAILY = {(case.kind, case.verdict): case.name for case in reversed(CASES)}.values()
"""The first case of each class and verdict; every fifth of the others is run each day, too."""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One place for all cases."""
    stage = Stage.make(tmp_path_factory.mktemp("commands"))
    yield stage
    stage.close()


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.name, marks=() if case.name in DAILY or not place % 5 else pytest.mark.slow)
        for place, case in enumerate(CASES)
    ],
)
def test_case(case: Case, stage: Stage) -> None:
    stage.check(case)


def test_there_are_enough_cases_and_enough_of_them_allowed() -> None:
    allowed = sum(case.verdict == "allowed" for case in CASES)
    assert len(CASES) >= 220
    assert allowed >= 0.4 * len(CASES)
