"""Fixtures for the tests of servers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from lsp_place import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A project of a user's."""
    return Desk(tmp_path)
