"""Every path case, with both ways to open files."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from command_runner import Stage
from safety_runner import Case, load

from inarch_plugins.sandbox_fs.safe_open import Open, best_open, openat2, walking_open

CASES = load("paths.json")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One place for all cases."""
    stage = Stage.make(tmp_path_factory.mktemp("paths"))
    yield stage
    stage.close()


@pytest.mark.parametrize("way", [openat2(), walking_open], ids=["openat2", "walk"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case, way: Open, stage: Stage) -> None:
    stage.check(case, way)


def test_the_application_opens_files_the_best_way(stage: Stage) -> None:
    descriptor = os.open(stage.place.root, os.O_RDONLY)
    try:
        assert best_open(descriptor) is not walking_open, "these tests ran without openat2"
    finally:
        os.close(descriptor)


def test_there_are_enough_cases_and_enough_of_them_allowed() -> None:
    allowed = sum(case.allowed is not None for case in CASES)
    assert len(CASES) >= 100
    assert allowed >= 0.4 * len(CASES)
