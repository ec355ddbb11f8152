"""The model is told once what a person undid since a model was last asked, also after a break."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from inarch.contract.events import Event
from inarch.turns.session_state import BetweenTurns
from inarch_plugins.project.recent_actions import MOST_NAMED, changes_undone


class Since:
    """As much of a situation as the source looks at."""

    def __init__(self, between: BetweenTurns) -> None:
        self.happened = tuple(between.events)


def asked(kind: str) -> Event:
    return Event(1, "", "s", "turn", kind, {})


def event(kind: str, **data: Any) -> Event:
    return Event(1, "", "s", None, kind, data)


def changed(call_id: str, path: str, before: str | None = "1", after: str | None = None) -> Event:
    return event("file.changed", call_id=call_id, path=path, before=before, after=after)


UNDONE = event("changes.undone", id="u")


@pytest.mark.parametrize(
    ("events", "told"),
    [
        pytest.param([], None, id="nothing happened"),
        pytest.param([changed("u", "a"), UNDONE], None, id="a change before any undo"),
        pytest.param([UNDONE], None, id="an undo that changed nothing"),
        pytest.param([UNDONE, changed("call", "a")], None, id="a call's own change"),
        pytest.param([UNDONE, changed("u", "d", None, None)], None, id="a folder"),
        pytest.param([UNDONE, changed("u", "b"), changed("u", "a"), changed("u", "b")], "b, a", id="each file once"),
        pytest.param([UNDONE, changed("u", "a", None, "1"), changed("u", "b", "1", None)], "a, b", id="made, removed"),
        *(
            pytest.param([UNDONE, changed("u", "a"), asked(kind)], None, id=f"told already: {kind}")
            for kind in ("model.requested", "decision.made")
        ),
        pytest.param([UNDONE, changed("u", "a"), asked("context.added")], "a", id="stopped before anybody was asked"),
        pytest.param([UNDONE, changed("u", "a"), asked("model.requested"), changed("u", "b")], None, id="over"),
        pytest.param(
            [UNDONE, *(changed("u", str(number)) for number in range(MOST_NAMED))],
            ", ".join(map(str, range(MOST_NAMED))), id="as many as are named",
        ),
        pytest.param(
            [UNDONE, *(changed("u", str(number)) for number in range(MOST_NAMED + 2))],
            ", ".join(map(str, range(MOST_NAMED))) + " and 2 more files", id="more than are named",
        ),
    ],
)  # fmt: skip
def test_the_model_is_told_what_was_undone_since(events: list[Event], told: str | None) -> None:
    for cut in range(len(events) + 1):
        before, after = BetweenTurns(), BetweenTurns()
        for one in events[:cut]:
            before.saw(one)
        after.go_on_from(json.loads(json.dumps(before.to_data())))
        for one in events[cut:]:
            after.saw(one)
        added = asyncio.run(changes_undone(Since(after)))  # type: ignore[arg-type]
        shown = None if added is None else added.text.partition("you left them: ")[2].partition(". Read")[0]
        assert shown == told
