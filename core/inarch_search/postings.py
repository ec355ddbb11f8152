"""Which documents a term stands in: packed for the disk, and read back without a loop.

An entry is a document's number in its segment, the term's weight in it (all fields together, one of 256 steps), and
the set of fields it stands in. Weights are worked out when a document is indexed, with usual lengths instead of
averages: an entry stays true whatever else the index holds, and a question costs one addition an entry.
"""

from __future__ import annotations

import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

from inarch_search.documents import FIELDS, WEIGHTS, Document
from inarch_search.tokens import terms

STEPS = 256
_SCALE = 8.0
"""A weight of w is step 8 · √(8 · w): fine where weights are small, up to 127."""
_ROOT = _SCALE * sqrt(_SCALE)
_ENTRY = 6
_AS_IT_IS, _PACKED = b"=", b"z"
_WORTH_PACKING = 240
"""Bytes from which on packing saves more room than it costs time."""
_MANY = 24
"""Terms of a field above which those that come again are counted first."""
_COMMON = (FIELDS.index("qualified"), FIELDS.index("path"))
"""Fields that the documents of a file have in common."""
MOST_TERMS = 4_000
"""Terms of one field of one document that count; the rest of a huge one is left out."""
MOST_CHARACTERS = 200_000


class Postings(NamedTuple):
    """Where a term stands in one segment: document numbers shifted by the weight's eight bits, and sets of fields."""

    entries: array[int]
    fields: array[int]


def empty() -> Postings:
    """Give postings without an entry."""
    return Postings(array("I"), array("H"))


def packed(postings: Postings) -> bytes:
    """Pack postings into bytes: few as they are, many compressed."""
    raw = postings.entries.tobytes() + postings.fields.tobytes()
    return _AS_IT_IS + raw if len(raw) < _WORTH_PACKING else _PACKED + zlib.compress(raw, 1)


def unpacked(data: bytes) -> Postings:
    """Give back what was packed.

    Raises:
        ValueError: the bytes are damaged.
    """
    raw = data[1:]
    if data[:1] != _AS_IT_IS:
        try:
            raw = zlib.decompress(raw)
        except zlib.error as error:
            raise ValueError(f"damaged postings: {error}") from error
    count, rest = divmod(len(raw), _ENTRY)
    if rest:
        raise ValueError("damaged postings: a part of an entry is missing")
    found = empty()
    found.entries.frombytes(raw[: 4 * count])
    found.fields.frombytes(raw[4 * count :])
    return found


def weight_of(step: int) -> float:
    """Give the weight that a step stands for."""
    return (step / _SCALE) ** 2 / _SCALE


def step_of(weight: float) -> int:
    """Give the nearest step of a weight, at least 1."""
    step = int(_ROOT * sqrt(weight) + 0.5) or 1
    return step if step < STEPS else STEPS - 1


def put_in(gathered: defaultdict[str, list[int]], number: int, document: Document) -> dict[str, float]:
    """Put a document's terms to those of others: for each an entry and a set of fields, one after the other.

    Returns:
        Each term with its weight.
    """
    weights: dict[str, float] = {}
    places: dict[str, int] = {}
    weight_now, places_now = weights.get, places.get
    for bit, text in enumerate(_texts(document)):
        if not text:
            continue
        weight, length, usual = WEIGHTS[FIELDS[bit]]
        found = _terms_again(text) if bit in _COMMON else terms(text[:MOST_CHARACTERS])[:MOST_TERMS]
        share = weight / (1.0 - length + length * len(found) / usual)
        field = 1 << bit
        if len(found) > _MANY:
            for term, times in Counter(found).items():
                weights[term] = weight_now(term, 0.0) + share * times
                places[term] = places_now(term, 0) | field
        else:
            for term in found:
                weights[term] = weight_now(term, 0.0) + share
                places[term] = places_now(term, 0) | field
    first = number << 8
    for term, summed in weights.items():
        gathered[term] += first | step_of(summed), places[term]
    return weights


@lru_cache(maxsize=64)
def _terms_again(text: str) -> list[str]:
    return terms(text)


def of_list(values: Sequence[int]) -> Postings:
    """Give the postings of entries and sets of fields, one after the other."""
    return Postings(array("I", values[::2]), array("H", values[1::2]))


def _texts(document: Document) -> Iterable[str]:
    stem, _, _ = document.file.rpartition(".")
    path = (stem or document.file).replace("/__init__", "")
    return (
        document.name,
        document.qualified.removesuffix(document.name),
        document.signature,
        document.summary,
        document.docstring,
        document.comments,
        document.strings,
        document.body,
        path,
        document.callers,
        document.callees,
    )
