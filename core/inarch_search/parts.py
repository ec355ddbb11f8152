"""The parts of finding, so that what each is worth can be measured."""

from __future__ import annotations

from typing import NamedTuple

from inarch_search.traits import WEIGHTS, Traits


class Parts(NamedTuple):
    """Which parts take part; all, but where a benchmark leaves one out.

    Args:
        joined: two words of a question written as one: "file system", filesystem.
        near: near words of programming: remove, delete; environment, env.
        plain: plain words for what programs call otherwise: crash, exception; seconds, interval.
        feedback: words of the repository's own prose beside those of the question.
        names: names written as code in the question.
        frames: places that a traceback or `path:line` names.
        natures: tests, vendored code, examples and generated code count less.
        weights: what each trait of a place counts.
    """

    joined: bool = True
    near: bool = True
    plain: bool = True
    feedback: bool = True
    names: bool = True
    frames: bool = True
    natures: bool = True
    weights: Traits = WEIGHTS


ALL = Parts()
