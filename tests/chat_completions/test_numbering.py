"""Fragments find their calls, whatever the order in which a conforming server interleaves them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inarch_plugins.openai.chunks import Numbering

from .wire import call

ARGUMENTS = st.dictionaries(st.text(max_size=5), st.text(max_size=8) | st.integers(), max_size=3)


@st.composite
def streams(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    """Draw some calls and the fragments that a server cuts them into, those of each call in order."""
    wanted = draw(st.lists(st.tuples(st.sampled_from(["read", "write"]), ARGUMENTS), min_size=1, max_size=4))
    waiting = []
    for index, (name, arguments) in enumerate(wanted):
        text = json.dumps(arguments)
        cuts = sorted(draw(st.sets(st.integers(1, len(text) - 1), max_size=3)))
        pieces = [text[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        repeats = draw(st.booleans())  # some servers say id and name in each fragment
        first = call(index, f"c{index}", name, pieces[0])
        later = [call(index, *((f"c{index}", name) if repeats else (None, None)), piece) for piece in pieces[1:]]
        waiting.append([first, *later])
    fragments = []
    while any(waiting):
        queue = draw(st.sampled_from([queue for queue in waiting if queue]))
        fragments.append(queue.pop(0)["tool_calls"][0])
    return wanted, fragments


@given(streams())
def test_interleaved_fragments_come_together(drawn: tuple[list[Any], list[Any]]) -> None:
    wanted, fragments = drawn
    numbering = Numbering()
    found: dict[int, list[Any]] = {}
    for delta in map(numbering.delta, fragments):
        whole = found.setdefault(delta.index, [delta.id, "", ""])
        whole[1] = whole[1] or delta.name
        whole[2] += delta.arguments
    by_id = {call_id: (name, json.loads(text)) for call_id, name, text in found.values()}
    assert by_id == {f"c{index}": item for index, item in enumerate(wanted)}
