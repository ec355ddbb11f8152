"""The contents of a session: chapters that cover every turn once and are read back piece by piece."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.events import Event
from inarch.journal.fold import fold
from inarch.sessions.contents import LATEST, Contents, contents_of
from inarch_sdk.memory_store import MemoryStore
from inarch_sdk.snapshots import between


def begun(seq: int, turn_id: str, kind: str, parent: str | None = None) -> Event:
    turn = {"id": turn_id, "type": kind, "parent_id": parent, "session_id": "s", "started": "", "content": turn_id}
    return Event(seq, "", "s", turn_id, "turn.started", {"turn": turn})


@st.composite
def sessions(draw: st.DrawFn) -> list[Event]:
    """Sessions of prompts and answers, with events between turns, late ones of earlier turns, and gaps."""
    events, turns, seq = [Event(1, "", "s", None, "session.started", {"root": "/r"})], list[str](), 1
    for word in draw(st.lists(st.sampled_from(["ask", "prompt", "note", "own", "late", "lost"]), max_size=25)):
        seq += draw(st.integers(1, 3) if word == "note" else st.just(1))
        number = len(turns)
        if word in ("ask", "prompt"):
            events.append(begun(seq, f"u{number}", "user"))
            turns.append(f"u{number}")
        if word == "ask":
            seq += 1
            events.append(begun(seq, f"a{number}", "agent", f"u{number}"))
            turns.append(f"a{number}")
        elif word == "lost":
            events.append(Event(seq, "", "s", f"a{number}", "context.added", {"source": "x", "text": "y"}))
            turns.append(f"a{number}")
        elif word in ("note", "own"):
            events.append(Event(seq, "", "s", None, "note", {"text": "between"}))
        elif word == "late" and turns:
            turn_id = draw(st.sampled_from(turns))
            events.append(Event(seq, "", "s", turn_id, "context.added", {"source": "x", "text": "late"}))
    return events


@given(sessions(), st.integers(0, 30))
def test_the_pieces_of_a_session_come_to_what_it_comes_to(events: list[Event], cut: int) -> None:
    store = MemoryStore()
    store.append("s", events)
    before = Contents()
    for event in events[:cut]:
        before.take(event)
    contents = Contents()
    contents.go_on_from(json.loads(json.dumps(before.to_data())))
    for event in events[cut:]:
        contents.take(event)
    assert contents.to_data() == contents_of(store, "s").to_data()
    whole = fold(events)
    pieces = [fold(between(store, "s", *part)) for part in contents.parts()]
    assert [turn for piece in pieces for turn in piece.turns] == list(whole.turns)
    assert [message for piece in pieces for message in piece.messages] == list(whole.messages)
    assert contents.turns == sum(turn.type == "agent" for turn in whole.turns)


@given(sessions(), st.integers(1, 12), st.integers(0, 12))
def test_a_page_has_the_turns_that_it_names(events: list[Event], first: int, more: int) -> None:
    store = MemoryStore()
    store.append("s", events)
    contents = contents_of(store, "s")
    agents = [turn.id for turn in fold(events).turns if turn.type == "agent"]
    parts = contents.parts(first, first + more)
    shown = [turn.id for part in parts for turn in fold(between(store, "s", *part)).turns]
    wanted = agents[first - 1 : first + more]
    assert set(wanted) <= set(shown)
    assert len(shown) == len(set(shown))


def test_what_is_kept_of_an_ended_turn_is_its_chapter() -> None:
    contents = Contents()
    for number in range(3 * LATEST):
        contents.take(begun(2 * number + 1, f"u{number}", "user"))
        contents.take(begun(2 * number + 2, f"a{number}", "agent", f"u{number}"))
    chapters, _, _, _, latest, *_ = contents.to_data()
    assert len(chapters) == contents.turns == 3 * LATEST
    assert [*latest][::2] == [f"u{number}" for number in range(3 * LATEST)][-LATEST // 2 :]
