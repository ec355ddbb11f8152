"""What speaks for a place and against it, and what each of it counts: learned from questions whose answers are known.

`benchmarks/finding/fit_ranking.py` learns the weights.
"""

from __future__ import annotations

from typing import NamedTuple


class Traits(NamedTuple):
    """What speaks for a place, and against it.

    Args:
        words: the logarithm of what its words come to (BM25F), as a share of what the question's weigh.
        nature: the logarithm of what its nature counts: a test less than code of the product.
        meaning: how much nearer to the question it is in meaning than others.
        explained: the logarithm of the share of the question that it explains.
        in_head: the share that it explains by what is read first.
        in_name: the share that it explains by its name.
        in_path: the share that it explains by the path of its file.
        shown: the share that it explains by texts that people see.
        beside: what the places of its file come to together, as a share of the file where that is most.
        is_class: 1 for a class: what it does stands in its methods.
        is_private: 1 for a name that begins with one underscore: what is offered hands the work to it.
        is_described: 1 for what has a docstring: it has more words to be found by.
        size: the logarithm of its lines.
    """

    words: float
    nature: float
    meaning: float
    explained: float
    in_head: float
    in_name: float
    in_path: float
    shown: float
    beside: float
    is_class: float
    is_private: float
    is_described: float
    size: float


WEIGHTS = Traits(
    words=0.51, nature=1.49, meaning=9.02, explained=1.77, in_head=1.27, in_name=2.44, in_path=3.78, shown=2.51,
    beside=1.41, is_class=-2.72, is_private=0.87, is_described=-0.29, size=0.56,
)  # fmt: skip
