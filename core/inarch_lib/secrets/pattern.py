"""Published format of a secret: a needle, found by a plain search, and the pieces that follow it.

The pieces give two expressions: one for the whole, and one for a beginning that a stream could complete.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from attrs import frozen

BEFORE = "(?<![A-Za-z0-9])"
AFTER = "(?![A-Za-z0-9])"
AFTER_WORD = re.compile("(?<=[A-Za-z0-9])")
"""Matches at positions where `BEFORE` does not."""
JUDGED = 4000
"""Number of leading characters by which a secret of unlimited length is judged."""


class Piece(NamedTuple):
    """Fixed number of characters of a class, or any number above a minimum; `shown` ones stay visible.

    If the class consists of words, `cut` matches the beginning of one.
    """

    chars: str
    least: int
    most: int | None = None
    shown: bool = False
    cut: str = ""


class Match(NamedTuple):
    """Secret from `start` to `stop`, found in the text from `begin` to `end`, or only a look-alike."""

    start: int
    stop: int
    begin: int
    end: int
    tag: str
    placeholder: str = ""
    is_real: bool = True


class Run:
    """Finder of the end of a class's run; it examines each character once, however often it is asked."""

    def __init__(self, chars: re.Pattern[str], text: str, stop: int) -> None:
        self._chars, self._text, self._stop = chars, text, stop
        self._first = self._last = -1

    def end(self, place: int) -> int:
        """Return the end of the run at a position, or the position itself if there is none."""
        if not self._first <= place <= self._last:
            found = self._chars.match(self._text, place, self._stop)
            self._first, self._last = place, found.end() if found else place
        return self._last


def anything(value: str) -> bool:
    """Accept any text as a secret."""
    return True


@frozen(eq=False, repr=False, slots=False)
class Pattern:
    """Format of a secret: its tag, its needles, the pieces that follow, and a final check of a match.

    Needles have no white space. If the last piece may have any number of characters, its beginning is judged. `before`
    and `after` are the required or forbidden text around the match. If `shown`, the needle is not part of the secret.
    `fits` checks the whole match. `gate` has a few lower-case words that occur in all of many needles.
    """

    tag: str
    needles: tuple[str, ...]
    pieces: tuple[Piece, ...]
    looks_real: Callable[[str], bool] = anything
    before: str = BEFORE
    after: str = AFTER
    shown: bool = False
    fits: Callable[[str], bool] = anything
    gate: tuple[str, ...] = ()

    @property
    def shortest(self) -> int:
        """Return the minimum length of a match."""
        return min(map(len, self.needles)) + sum(piece.least for piece in self.pieces)

    @cached_property
    def longest(self) -> int:
        """Return the maximum length of a match; unlimited with words or any number of characters in it."""
        if any(piece.most is None or piece.cut for piece in self.pieces):
            return sys.maxsize
        return max(map(len, self.needles)) + sum(piece.most or 0 for piece in self.pieces)

    @cached_property
    def has_space(self) -> bool:
        """Return whether a match may contain white space."""
        return any(re.fullmatch(piece.chars, space) for piece in self.pieces for space in " \n")

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Return the expression for a secret, or for the judged beginning; the groups `s…` are its hidden pieces."""
        needle = _grouped("n", self._needle, self.shown)
        times = [_times(piece) for piece in self.pieces]
        if self.goes_on:
            times[-1] = _times(self.pieces[-1]._replace(most=JUDGED))
        pieces = (_grouped(f"p{i}", times[i], piece.shown) for i, piece in enumerate(self.pieces))
        return re.compile(self.before + needle + "".join(pieces))

    @cached_property
    def goes_on(self) -> re.Pattern[str] | None:
        """Return the expression for the rest of the last piece, if that may have any number of characters."""
        last = self.pieces[-1]
        return re.compile(f"(?:{last.chars})++") if last.most is None else None

    @cached_property
    def _ends(self) -> re.Pattern[str]:
        return re.compile(self.after)

    @cached_property
    def begun(self) -> re.Pattern[str]:
        """Return the expression for an incomplete match at the text's end; `more` is an extendable last piece."""
        full = ""
        ways = []
        for piece in self.pieces:
            ways.append(f"{full}{piece.cut or _times(piece._replace(least=0))}\\Z")
            full += _times(piece)
        if self.goes_on:
            ways[-1] = "".join(map(_times, self.pieces[:-1])) + "(?P<more>)"
        return re.compile(f"{self.before}{self._needle}(?:{'|'.join(ways)})")

    def begins(self, text: str, first: int, end: int) -> int:
        """Return the first position from `first` to `end` at which an incomplete match begins, `end` if none."""
        run = Run(self.goes_on, text, len(text)) if self.goes_on else None
        for needle in self.needles:
            place = text.find(needle, first)
            while 0 <= place < end:
                match = self.begun.match(text, place)
                if match and (match.lastgroup is None or run is None or run.end(match.end()) == len(text)):
                    end = place
                place = text.find(needle, place + 1)
        return end

    @property
    def _needle(self) -> str:
        return f"(?:{'|'.join(map(re.escape, self.needles))})"

    def occurs(self, text: str, folded: str) -> bool:
        """Return whether it may occur in the text, whose lower case is `folded`."""
        place = folded if self.gate else text
        for needle in self.gate or self.needles:  # noqa: SIM110 - any() over a generator costs more than the searches
            if needle in place:
                return True
        return False

    def find(self, text: str, start: int, stop: int, issued: Container[int]) -> Iterator[Match]:
        """Yield the matches from `start` to `stop`, real or not, as if the text ended there.

        A match that ends at one of the positions `issued` is a placeholder. It counts as a letter, so that redacting
        twice changes nothing.
        """
        run = Run(self.goes_on, text, stop) if self.goes_on else None
        match = self.whole.search(text, start, stop)
        while match is not None:
            hidden = [match.span(name) for name in match.groupdict() if match[name]]
            first, last, end = hidden[0][0], hidden[-1][1], match.end()
            real = self.looks_real(text[first:last]) and self.fits(match[0])
            # If the judged part is not a secret, nothing that begins in its first half is one: the time stays linear.
            again = match.start() + 1
            if run is not None and (reached := run.end(end)) > end:
                last = end = reached
                again = match.start() + JUDGED // 2
            real = real and self._ends.match(text, end, stop) is not None
            real = real and not (self.before and match.start() in issued)
            yield Match(first, last, match.start(), end, self.tag, is_real=real)
            match = self.whole.search(text, end if real else again, stop)


def _grouped(name: str, expression: str, shown: bool) -> str:
    return f"(?:{expression})" if shown else f"(?P<s{name}>{expression})"


def _times(piece: Piece) -> str:
    return f"{piece.chars}{{{piece.least},{'' if piece.most is None else piece.most}}}"


def gaps(spans: Iterable[tuple[int, int]], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the text between some spans."""
    for first, last in spans:
        if start < first:
            yield start, first
        start = max(start, last)
    if start < stop:
        yield start, stop


def uncut(end: int, spans: Iterable[tuple[int, int]]) -> int:
    """Return the last position up to `end` that cuts none of these spans."""
    for first, last in sorted(spans, key=lambda span: -span[1]):
        if last <= end:
            break
        end = min(end, first)
    return end


def joined(matches: list[Match]) -> list[Match]:
    """Sort matches and merge overlapping ones; one that contains all others stays unchanged."""
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
