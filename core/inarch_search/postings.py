"""Which documents a term stands in: packed for the disk, and read back without a loop.

An entry is a document's number in its segment, the term's weight in it (all fields together, one of 256 steps), and
the set of fields it stands in. Weights are worked out when a document is indexed, with usual lengths instead of
averages: an entry stays true whatever else the index holds, and a question costs one addition an entry.
"""

from __future__ import annotations

import math
import zlib
from array import array
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from inarch_search.documents import FIELDS, Document, Measure
from inarch_search.tokens import terms

STEPS = 256
_SCALE = 8.0
"""A weight of w is step 8 · √(8 · w): fine where weights are small, up to 127."""
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
    """Pack postings into bytes."""
    return zlib.compress(postings.entries.tobytes() + postings.fields.tobytes(), 1)


def unpacked(data: bytes) -> Postings:
    """Give back what was packed.

    Raises:
        ValueError: the bytes are damaged.
    """
    try:
        raw = zlib.decompress(data)
    except zlib.error as error:
        raise ValueError(f"damaged postings: {error}") from error
    count, rest = divmod(len(raw), 6)
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
    return max(1, min(STEPS - 1, round(_SCALE * math.sqrt(weight * _SCALE))))


def weighed(document: Document, measures: Mapping[str, Measure]) -> dict[str, tuple[int, int]]:
    """Give a document's terms with their step and their set of fields."""
    weights: dict[str, float] = {}
    places: dict[str, int] = {}
    for bit, text in enumerate(_texts(document)):
        measure = measures[FIELDS[bit]]
        if not text or not measure.weight:
            continue
        found = terms(text[:MOST_CHARACTERS])[:MOST_TERMS]
        share = measure.weight / (1.0 - measure.length + measure.length * len(found) / measure.usual)
        for term in found:
            weights[term] = weights.get(term, 0.0) + share
            places[term] = places.get(term, 0) | 1 << bit
    return {term: (step_of(weight), places[term]) for term, weight in weights.items()}


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
