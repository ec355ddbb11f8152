"""What waits for a turn: in its order, and of a bounded size where nobody takes it."""

from __future__ import annotations

import asyncio
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st
from inarch_live.pieces import Ended, Piece, Pieces, Sounding, Used, Words

import inarch


def test_a_voice_that_nobody_takes_is_one_piece() -> None:
    pieces = Pieces()
    for _ in range(3600 * 25):
        pieces.put(Sounding(0.04))
    (kept,) = pieces
    assert isinstance(kept, Sounding) and round(kept.seconds) == 3600


PIECES: st.SearchStrategy[Piece] = st.one_of(
    st.builds(Sounding, st.integers(1, 9).map(float)), st.builds(Words, st.text("ab", min_size=1)),
    st.just(Ended()), st.just(Used(inarch.Usage(1, 1))),
)  # fmt: skip


@given(st.lists(st.one_of(st.none(), PIECES), max_size=30))
def test_what_is_taken_is_what_came_in_its_order(steps: list[Piece | None]) -> None:
    """None stands for a turn that takes one."""

    async def taking() -> list[Piece]:
        pieces, taken = Pieces(), []
        for step in steps:
            if step is not None:
                pieces.put(step)
            elif len(pieces):
                taken.append(await pieces.next())
        while len(pieces):
            taken.append(await pieces.next())
        return [one for one in taken if one is not None]

    assert together(asyncio.run(taking())) == together([step for step in steps if step is not None])


def together(pieces: list[Piece]) -> list[Piece]:
    """Return pieces with neighbouring voice as one."""
    joined: list[Piece] = []
    for is_voice, run in groupby(pieces, lambda piece: isinstance(piece, Sounding)):
        these = list(run)
        joined += [Sounding(sum(one.seconds for one in these if isinstance(one, Sounding)))] if is_voice else these
    return joined
