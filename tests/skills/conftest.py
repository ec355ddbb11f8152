"""A desk for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from .desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A project and a user."""
    return Desk(tmp_path)
