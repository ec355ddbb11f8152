"""Helpers beside the tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from doors import Talk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a few files."""
    place = tmp_path / "root"
    place.mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (place / name).write_text(f"this is {name}\n")
    return place


@pytest.fixture
def talk(root: Path) -> Iterator[Callable[..., Talk]]:
    """Have conversations that are closed in the end."""
    made: list[Talk] = []

    def one(*args: Any, **options: Any) -> Talk:
        made.append(Talk(root, *args, **options))
        return made[-1]

    yield one
    for said in made:
        said.close()
