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
    words=0.63, nature=1.45, meaning=8.59, explained=1.72, in_head=1.43, in_name=2.62, in_path=4.83, shown=2.8,
    beside=1.21, is_class=-2.67, is_private=0.9, is_described=-0.29, size=0.51,
)  # fmt: skip
