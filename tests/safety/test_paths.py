"""Every path case, with both ways to open files."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from safety_runner import Case, Place, check, load

from inarch_plugins.sandbox_fs.safe_open import Open, best_open, openat2, walking_open
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

CASES = load("paths.json")
WAYS: dict[str, Callable[[], Open]] = {"openat2": openat2, "walk": lambda: walking_open}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case, way: str, place: Place) -> None:
    check(case, place, lambda root: FolderWorkspace.open(root, Settings(), WAYS[way]()))


def test_the_application_opens_files_the_best_way(place: Place) -> None:
    descriptor = os.open(place.root, os.O_RDONLY)
    try:
        assert best_open(descriptor) is not walking_open, "these tests ran without openat2"
    finally:
        os.close(descriptor)


def test_there_are_enough_cases_and_enough_of_them_allowed() -> None:
    allowed = sum(case.allowed is not None for case in CASES)
    assert len(CASES) >= 100
    assert allowed >= 0.4 * len(CASES)
