"""The runner of the safety cases, see `safety_runner.py`, and a place for each case."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the runner is shared by the tests and by layers.py

from safety_runner import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A workspace root with what must not be touched around it."""
    return Place.make(tmp_path)
