"""One published form of a secret: a needle, found by a plain search, and the pieces that follow it.

From the pieces come two expressions: one for the whole, and one for a beginning that more text of a stream could
complete.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from functools import cached_property
from typing import NamedTuple

from attrs import frozen

BEFORE = "(?<![A-Za-z0-9])"
AFTER = "(?![A-Za-z0-9])"
AFTER_WORD = re.compile("(?<=[A-Za-z0-9])")
"""Matches where `BEFORE` does not."""


class Piece(NamedTuple):
    """So many characters of a class; those that are `shown` stay as they are.

    Where the class is of words, `cut` matches the beginning of one.
    """

    chars: str
    least: int
    most: int
    shown: bool = False
    cut: str = ""


class Match(NamedTuple):
    """A secret from `start` to `stop`, found by what stands from `begin` to `end`; or only what looks like one."""

    start: int
    stop: int
    begin: int
    end: int
    tag: str
    placeholder: str = ""
    is_real: bool = True


def _any(value: str) -> bool:
    return True


@frozen(eq=False, slots=False)
class Pattern:
    """One form: its tag, the needles it begins with, the pieces that follow, and a last look at what was found.

    Args:
        tag: Part of the placeholder.
        needles: Where to look; without white space.
        pieces: What follows a needle.
        looks_real: Whether a found secret is one; examples and names are not.
        before: What must not stand, or must, before the needle.
        after: The same for the end.
        shown: Whether the needle is no part of the secret.
        fits: A last look at the whole of what was found, needle and all.
        gate: Fewer words, in lower case, that stand in all of many needles.
    """

    tag: str
    needles: tuple[str, ...]
    pieces: tuple[Piece, ...]
    looks_real: Callable[[str], bool] = _any
    before: str = BEFORE
    after: str = AFTER
    shown: bool = False
    fits: Callable[[str], bool] = _any
    gate: tuple[str, ...] = ()

    @property
    def shortest(self) -> int:
        """Characters that a match has at least."""
        return min(map(len, self.needles)) + sum(piece.least for piece in self.pieces)

    @cached_property
    def longest(self) -> int:
        """Characters that a match has at most."""
        return max(map(len, self.needles)) + sum(piece.most * (1 if not piece.cut else 20) for piece in self.pieces)

    @cached_property
    def has_space(self) -> bool:
        """Whether white space may stand in a match."""
        return any(re.fullmatch(piece.chars, space) for piece in self.pieces for space in " \n")

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Matches a whole secret; the groups named `s…` are its hidden pieces."""
        needle = _grouped("n", self._needle, self.shown)
        pieces = (_grouped(f"p{i}", _times(piece), piece.shown) for i, piece in enumerate(self.pieces))
        return re.compile(self.before + needle + "".join(pieces))

    @cached_property
    def _ends(self) -> re.Pattern[str]:
        return re.compile(self.after)

    @cached_property
    def begun(self) -> re.Pattern[str]:
        """Matches what reaches the end of the text and could go on."""
        full = ""
        ways = []
        for piece in self.pieces:
            ways.append(f"{full}{piece.cut or f'{piece.chars}{{0,{piece.most}}}'}\\Z")
            full += _times(piece)
        return re.compile(f"{self.before}{self._needle}(?:{'|'.join(ways)})")

    @property
    def _needle(self) -> str:
        return f"(?:{'|'.join(map(re.escape, self.needles))})"

    def occurs(self, text: str, folded: str) -> bool:
        """Whether it may be in the text, of which `folded` is the lower case."""
        place = folded if self.gate else text
        for needle in self.gate or self.needles:  # noqa: SIM110 - any() over a generator costs more than the searches
            if needle in place:
                return True
        return False

    def find(self, text: str, start: int, stop: int, issued: Container[int]) -> Iterator[Match]:
        """Yield what is found from `start` to `stop`, as if the text ended there; real or not.

        What ends at one of the places `issued` is a placeholder. It counts as a letter, so that hiding twice changes
        nothing.
        """
        match = self.whole.search(text, start, stop)
        while match is not None:
            hidden = [match.span(name) for name in match.groupdict() if match[name]]
            first, last = hidden[0][0], hidden[-1][1]
            real = self._ends.match(text, match.end(), stop) is not None
            real = real and self.looks_real(text[first:last]) and self.fits(match[0])
            real = real and not (self.before and match.start() in issued)
            yield Match(first, last, match.start(), match.end(), self.tag, is_real=real)
            match = self.whole.search(text, match.end() if real else match.start() + 1, stop)


def _grouped(name: str, expression: str, shown: bool) -> str:
    return f"(?:{expression})" if shown else f"(?P<s{name}>{expression})"


def _times(piece: Piece) -> str:
    return f"{piece.chars}{{{piece.least},{piece.most}}}"
