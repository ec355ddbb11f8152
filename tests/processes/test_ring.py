"""What is kept of an output, and by which offsets it is read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inarch_plugins.sandbox_fs.processes.output import Ring

PIECES = st.lists(st.binary(max_size=40), max_size=30)


@given(PIECES, st.integers(1, 50), st.integers(0, 400), st.integers(0, 60))
def test_a_piece_is_what_was_written_at_its_offsets(pieces: list[bytes], kept: int, since: int, limit: int) -> None:
    ring, whole = Ring(kept), b""
    for piece in pieces:
        ring.add(piece)
        whole += piece
        cut = ring.read(since, limit)
        assert cut.data == whole[cut.start : cut.end] and len(cut.data) == cut.end - cut.start
        assert cut.start == min(max(since, len(whole) - kept, 0), len(whole))
        assert cut.end == min(cut.start + limit, len(whole))
    assert ring.total == len(whole) and ring.first == max(len(whole) - kept, 0)
