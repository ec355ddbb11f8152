"""A parent replays without its children, and a child as a session of its own, with the tools that it had."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarch.testing import Step, calls, says

from .families import READ, WRITE, family
from .recording import assert_same


@pytest.mark.parametrize("child", [[calls(READ), says("read")], [calls(WRITE), calls(READ), says("made")]])
def test_a_parent_and_its_child_replay_each_by_itself(tmp_path: Path, child: list[Step]) -> None:
    parent, own = family(tmp_path, child, None)
    assert_same(parent.replay())
    assert_same(own.replay())
