"""Word vectors: one for each term, so that `pause` is near `sleep` and far from `parse`.

The vectors were learned from documented code. They load on the first question or indexing. A text's vector is the sum
of its terms' vectors. One large integer adds up all dimensions at once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cache
from math import sqrt
from operator import mul
from pathlib import Path
from typing import NamedTuple

DIMENSIONS = 64
_LANES = struct.Struct(f"<{DIMENSIONS}H")
"""The numbers within the integer, two bytes each: room for a sum of 257 vectors."""
_NUMBERS = struct.Struct(f"{DIMENSIONS}b")
_ZERO = 128
"""The offset of 0: vector numbers are from -127 to 127, and lanes are never negative."""
_MOST = 65_535 // 255
"""The most vectors that a lane can add up."""
_FULL = 127
_FILE = Path(__file__).with_name("word_vectors.bin")


class Vectors(NamedTuple):
    """The vectors of all known terms: the row of each, and the rows one after the other."""

    rows: dict[str, int]
    numbers: bytes


@cache
def vectors() -> Vectors:
    """Read the vectors that come with the library."""
    return read(_FILE.read_bytes())


def is_known(term: str) -> bool:
    """Return whether a term has a vector."""
    return term in vectors().rows


def read(data: bytes) -> Vectors:
    """Parse vectors: a line of terms with blanks between, then `DIMENSIONS` bytes for each."""
    terms, _, numbers = data.partition(b"\n")
    names = terms.decode().split(" ")
    return Vectors(dict(zip(names, range(0, len(numbers), DIMENSIONS), strict=True)), numbers)


@cache
def _lanes(term: str) -> int:
    """Return a known term's vector as an integer."""
    known = vectors()
    row = known.rows[term]
    spread = bytearray(_LANES.size)
    spread[::2] = known.numbers[row : row + DIMENSIONS]
    return int.from_bytes(spread, "little")


def embedded(counted: Iterable[tuple[str, int]]) -> bytes:
    """Return the vector of a text from its terms and their counts; `b""` if none is known."""
    total, taken = 0, 0
    known = vectors().rows
    for term, times in counted:
        if term in known:
            if taken + times > _MOST:
                break
            taken += times
            total += _lanes(term) * times
    if not taken:
        return b""
    zero = _ZERO * taken
    sums = [lane - zero for lane in _LANES.unpack(total.to_bytes(_LANES.size, "little"))]
    share = _FULL / (sqrt(sum(map(mul, sums, sums))) or 1.0)
    return _NUMBERS.pack(*[round(number * share) for number in sums])


def similarity(one: bytes, other: bytes) -> float:
    """Return the cosine of two vectors, or 0 if one is unknown."""
    if not one or not other:
        return 0.0
    product: int = sum(map(mul, _NUMBERS.unpack(one), _NUMBERS.unpack(other)))
    return product / (_FULL * _FULL)
