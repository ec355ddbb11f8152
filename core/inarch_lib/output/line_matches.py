"""Matching of the equal lines of two texts, in bounded time.

Equal lines at both ends are found first, then unique lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Texts = Sequence[bytes] | Sequence[str]
MOST_COMPARED = 100_000
"""Maximum pairs of equal lines up to which a stretch without unique lines is compared line by line."""
MOST_LOOKS = 50
"""Average limit of the searches for unique lines per line; the rest then counts as changed."""


class Run(NamedTuple):
    """`length` equal lines, from line `old` of the one text and line `new` of the other."""

    old: int
    new: int
    length: int


class Hunk(NamedTuple):
    """Change of lines `start` to `end` of the old text into lines `new_start` to `new_end` of the new one."""

    start: int
    end: int
    new_start: int
    new_end: int


def split_lines(data: bytes) -> list[bytes]:
    """Return the lines with their ends, split at line feeds only: joined they are the same bytes again."""
    lines = data.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def hunks(old: Texts, new: Texts) -> list[Hunk]:
    """Return the differences between two texts, in order."""
    found: list[Hunk] = []
    old_at = new_at = 0
    for run in (*_runs(old, new), Run(len(old), len(new), 0)):
        if old_at < run.old or new_at < run.new:
            found.append(Hunk(old_at, run.old, new_at, run.new))
        old_at, new_at = run.old + run.length, run.new + run.length
    return found


def line_counts(old: Texts, new: Texts) -> tuple[int, int]:
    """Return how many lines of a new text are not in the old one, and how many of the old one are gone."""
    found = hunks(old, new)
    return sum(one.new_end - one.new_start for one in found), sum(one.end - one.start for one in found)


def unified(
    old: Sequence[str], new: Sequence[str], names: tuple[str, str], context: int = 3, end: str = ""
) -> Iterator[str]:
    """Yield the lines of a unified diff, its own with an `end`; nothing if the texts are equal."""
    from difflib import SequenceMatcher

    matcher: SequenceMatcher[str] = SequenceMatcher(None, (), ())
    matcher.opcodes = _opcodes(old, new)  # type: ignore[attr-defined] # what it would find itself, in any time
    heads = [f"--- {names[0]}{end}", f"+++ {names[1]}{end}"] if old != new else []
    yield from heads
    for group in matcher.get_grouped_opcodes(context) if heads else ():
        (_, first, _, new_first, _), (_, _, last, _, new_last) = group[0], group[-1]
        yield f"@@ -{_span(first, last)} +{_span(new_first, new_last)} @@{end}"
        for kind, low, high, new_low, new_high in group:
            yield from (f"{' ' if kind == 'equal' else '-'}{line}" for line in old[low:high])
            yield from (f"+{line}" for line in new[new_low:new_high] if kind != "equal")


def _opcodes(old: Texts, new: Texts) -> list[tuple[str, int, int, int, int]]:
    found: list[tuple[str, int, int, int, int]] = []
    at = new_at = 0
    for hunk in hunks(old, new):
        found += [("equal", at, hunk.start, new_at, hunk.new_start)] if at < hunk.start else []
        found.append(("replace", *hunk))
        at, new_at = hunk.end, hunk.new_end
    return [*found, ("equal", at, len(old), new_at, len(new))] if at < len(old) else found


def _span(start: int, end: int) -> str:
    """Write a range of lines in the form of unified diffs."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + bool(count)},{count}"


def same_lines(old: Texts, new: Texts) -> dict[int, int]:
    """Return a mapping from the new text's lines to the same lines of the old one."""
    return {run.new + at: run.old + at for run in _runs(old, new) for at in range(run.length)}


def _runs(old: Texts, new: Texts) -> Iterator[Run]:
    """Yield the equal runs; with an explicit stack, because texts may be long."""
    pending: list[Run | tuple[int, int, int, int]] = [(0, len(old), 0, len(new))]
    left = MOST_LOOKS * (len(old) + len(new))
    while pending:
        step = pending.pop()
        if isinstance(step, Run):
            yield step
            continue
        low, high, new_low, new_high = step
        head = 0
        while low + head < high and new_low + head < new_high and old[low + head] == new[new_low + head]:
            head += 1
        if head:
            yield Run(low, new_low, head)
            low, new_low = low + head, new_low + head
        tail = 0
        while high - tail > low and new_high - tail > new_low and old[high - tail - 1] == new[new_high - tail - 1]:
            tail += 1
        if tail:
            high, new_high = high - tail, new_high - tail
            pending.append(Run(high, new_high, tail))
        left -= high - low + new_high - new_low
        if low < high and new_low < new_high and left >= 0:
            pending += reversed(_cut(old, new, low, high, new_low, new_high))


def _cut(
    old: Texts, new: Texts, low: int, high: int, new_low: int, new_high: int
) -> list[Run | tuple[int, int, int, int]]:
    """Split two stretches at lines that each has exactly once; without one, compare them line by line."""
    anchors = _anchors(old, new, low, high, new_low, new_high)
    if not anchors:
        return [*_compared(old, new, low, high, new_low, new_high)]
    steps: list[Run | tuple[int, int, int, int]] = []
    for place, new_place in anchors:
        steps += [(low, place, new_low, new_place), Run(place, new_place, 1)]
        low, new_low = place + 1, new_place + 1
    return [*steps, (low, high, new_low, new_high)]


def _anchors(old: Texts, new: Texts, low: int, high: int, new_low: int, new_high: int) -> list[tuple[int, int]]:
    """Return the longest rising chain of lines that both stretches have once."""
    once = {line for line, times in Counter(old[low:high]).items() if times == 1}
    new_once = {line for line, times in Counter(new[new_low:new_high]).items() if times == 1} & once
    places = {old[at]: at for at in range(low, high) if old[at] in new_once}
    pairs = [(places[new[at]], at) for at in range(new_low, new_high) if new[at] in new_once]
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (place, _) in enumerate(pairs):
        at = bisect_left(ends, place)
        before.append(last[at - 1] if at else -1)
        ends[at : at + 1], last[at : at + 1] = [place], [number]
    chain: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _compared(old: Texts, new: Texts, low: int, high: int, new_low: int, new_high: int) -> Iterator[Run]:
    times = Counter(old[low:high])
    if sum(times[line] for line in new[new_low:new_high]) > MOST_COMPARED:
        return
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, old[low:high], new[new_low:new_high], autojunk=False)
    for place, new_place, length in matcher.get_matching_blocks():
        yield Run(low + place, new_low + new_place, length)
