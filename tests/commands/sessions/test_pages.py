"""Pages of a session, and JSON that is printed piece by piece."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch import UsageError
from inarch.contract.events import Event, TurnEnded, TurnStarted, event_data
from inarch.contract.records import Turn
from inarch_plugins.commands.sessions.pages import PAGE, Shown, chosen, pieces
from inarch_plugins.commands.sessions.session_text import PLAIN
from inarch_sdk.memory_store import MemoryStore

TURNS = PAGE + 5


def shown(first: int, last: int | None) -> list[str]:
    store = MemoryStore()
    seq = 0
    for number in range(1, TURNS + 1):
        user = Turn(f"u{number}", "user", None, "s", "2026-01-01T00:00:00Z", "", f"prompt {number}.", status="done")
        agent = Turn(f"a{number}", "agent", user.id, "s", "2026-01-01T00:00:00Z", "", "", "m", status="done")
        for turn, payload in ((user, TurnStarted(user)), (agent, TurnStarted(agent)), (agent, TurnEnded(agent))):
            seq += 1
            store.append("s", [Event(seq, "", "s", turn.id, payload.kind, event_data(payload))])
    (info,) = store.sessions()
    app = inarch.compose(config={}, builtins=False, replacing=inarch.Replacements(store=store))
    return list(Shown(app, info, first, last).lines(PLAIN))


def prompts(lines: list[str]) -> list[int]:
    return [int(line.removeprefix("> prompt ").rstrip(".")) for line in lines if line.startswith("> ")]


def test_the_last_turns_are_shown_and_how_to_see_others() -> None:
    lines = shown(*chosen(None, False, TURNS))
    assert prompts(lines) == list(range(6, TURNS + 1))
    assert f"{TURNS} turns" in lines[1]
    assert lines[2] == "… 5 earlier turns: --turns 1-5, or --all"


@pytest.mark.parametrize(
    ("turns", "first", "last"), [("7", 7, 7), ("7-9", 7, 9), ("33-", 33, TURNS), ("-2", 1, 2), ("34-99", 34, TURNS)]
)
def test_turns_are_named_by_number(turns: str, first: int, last: int) -> None:
    assert prompts(shown(*chosen(turns, False, TURNS))) == list(range(first, last + 1))


def test_all_turns_are_shown_where_they_are_asked_for() -> None:
    lines = shown(*chosen(None, True, TURNS))
    assert prompts(lines) == list(range(1, TURNS + 1))
    assert not any(line.startswith("…") for line in lines)


@pytest.mark.parametrize("turns", ["", "-", "0", "x", "3-x", "9-7", "36", "1.5", "²", "--1", "1-2-3"])
def test_turns_that_are_none_are_refused(turns: str) -> None:
    with pytest.raises(UsageError, match="--turns"):
        chosen(turns or "-", False, TURNS)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.lists(VALUES, max_size=3))
def test_what_is_printed_in_pieces_is_what_is_printed_whole(members: dict[str, Any], listed: list[Any]) -> None:
    members.pop("listed", None)
    streamed = [*members.items(), ("listed", iter(listed))]
    assert "".join(pieces(streamed)) == json.dumps({**members, "listed": listed}, ensure_ascii=False, indent=2)
    assert "".join(pieces([])) == "{}"
