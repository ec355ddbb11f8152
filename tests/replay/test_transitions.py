from __future__ import annotations

from typing import Any

import pytest

from inarch.host import NOTHING
from inarch_replay.transitions import transitions_of

FILE, NONE = {"before_mode": 1, "after_mode": 2}, {"before_mode": None}


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ({"path": "a", "before": "x", "after": "y", **FILE}, [("a", ("x", 1), ("y", 2))]),
        ({"path": "a", "before": "x", "after": "y", "new_path": None}, [("a", ("x", 0), ("y", 0))]),
        ({"path": "a", "before": None, "after": "y", "after_mode": 2, **NONE}, [("a", NOTHING, ("y", 2))]),
        ({"path": "a"}, [("a", NOTHING, NOTHING)]),
        (
            {"path": "a", "before": "x", "after": "x", "new_path": "b", **FILE},
            [("a", ("x", 1), NOTHING), ("b", NOTHING, ("x", 2))],
        ),
    ],
)
def test_a_change_means_something_for_each_of_its_paths(data: dict[str, Any], wanted: list[Any]) -> None:
    assert list(transitions_of(data)) == wanted
