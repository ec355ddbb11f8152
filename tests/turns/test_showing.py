"""Pieces of a reply as events: those that come without a wait between them are one, and nothing waits for more."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.contract.events import Event
from inarch.contract.other_events import ModelSwitched
from inarch.contract.records import CallDelta, Delta, ReasoningDelta, TextDelta
from inarch.journal.journal import Journal
from inarch.turns.attempt import Showing
from inarch_sdk.memory_store import MemoryStore


def journal_of(shown: list[tuple[str, str]]) -> Journal:
    def look(event: Event) -> None:
        if event.kind == "model.delta":
            shown.extend((name, text) for name, text in event.data.items() if text)

    return Journal(MemoryStore(), "s", listeners=[look])


PIECES = st.lists(
    st.builds(TextDelta, st.text("ab ", min_size=1))
    | st.builds(ReasoningDelta, st.text("cd ", min_size=1))
    | st.builds(CallDelta, st.integers(0, 2))
    | st.none(),
    max_size=12,
)


@given(PIECES)
def test_all_is_shown_and_nothing_waits_for_more(pieces: list[Delta | None]) -> None:
    shown: list[tuple[str, str]] = []
    said: list[tuple[str, str]] = []

    async def go() -> None:
        journal = journal_of(shown)
        showing = Showing(journal, "t")
        for piece in pieces:
            if piece is None:  # the network is waited for
                await asyncio.sleep(0)
                assert_shown(shown, said, held_back=1)
                continue
            showing.add(piece)
            if isinstance(piece, (TextDelta, ReasoningDelta)):
                said.append(("text" if isinstance(piece, TextDelta) else "reasoning", piece.text))
        showing.flush()
        journal.record(ModelSwitched("a", "b", ""), "t")
        assert_shown(shown, said, held_back=0)

    asyncio.run(go())


def assert_shown(shown: list[tuple[str, str]], said: list[tuple[str, str]], held_back: int) -> None:
    """Of each kind all is shown but the last word, which may begin a secret."""
    for kind in ("text", "reasoning"):
        seen, whole = ("".join(text for name, text in pieces if name == kind) for pieces in (shown, said))
        assert whole.startswith(seen) and len(whole[len(seen) :].split(" ")) <= 1 + held_back


def test_that_nobody_sees_it_any_more_is_told_with_the_next_piece() -> None:
    def gone(event: Event) -> None:
        raise BrokenPipeError

    async def go() -> None:
        showing = Showing(Journal(MemoryStore(), "s", listeners=[gone]), "t")
        showing.add(TextDelta("a "))
        await asyncio.sleep(0)
        showing.add(TextDelta("b "))

    with pytest.raises(BrokenPipeError):
        asyncio.run(go())
