"""Stretches of a text: what lies between some, what is one of those that overlap, and where none is cut in two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inarch_secrets.pattern import Match


def gaps(spans: Iterable[tuple[int, int]], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield from where to where the text is that lies between some spans."""
    for first, last in spans:
        if start < first:
            yield start, first
        start = max(start, last)
    if start < stop:
        yield start, stop


def uncut(end: int, spans: Iterable[tuple[int, int]]) -> int:
    """Return the last place up to `end` that cuts none of these spans in two."""
    for first, last in sorted(spans, key=lambda span: -span[1]):
        if last <= end:
            break
        end = min(end, first)
    return end


def joined(matches: list[Match]) -> list[Match]:
    """Put matches in order and make one of those that overlap; one that has all of the others stays as it is."""
    matches.sort(key=lambda match: (match.start, -match.stop))
    joined: list[Match] = []
    for match in matches:
        last = joined[-1] if joined else None
        if last is None or match.start >= last.stop:
            joined.append(match)
            continue
        if match.stop > last.stop:
            begin, end = min(last.begin, match.begin), max(last.end, match.end)
            joined[-1] = Match(last.start, match.stop, begin, end, last.tag or match.tag)
    return joined
