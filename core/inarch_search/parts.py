"""The parts of finding, so that what each is worth can be measured."""

from __future__ import annotations

from typing import NamedTuple


class Parts(NamedTuple):
    """Which parts take part; all, but where a benchmark leaves one out.

    Args:
        joined: two words of a question written as one: "file system", filesystem.
        near: near words of programming: remove, delete; environment, env.
        plain: plain words for what programs call otherwise: crash, exception; seconds, interval.
        feedback: words of the repository's own prose beside those of the question.
        meaning: places near in meaning, by vectors of words.
        coverage: a place that explains more of the question comes first.
        names: names written as code in the question.
        whole_names: a name of which the question has every word.
        frames: places that a traceback or `path:line` names.
        coherence: a place in a file whose other places match, too.
        natures: tests, vendored code, examples and generated code count less.
        decay: the second place of one file counts less.
    """

    joined: bool = True
    near: bool = True
    plain: bool = True
    feedback: bool = True
    meaning: bool = True
    coverage: bool = True
    names: bool = True
    whole_names: bool = True
    frames: bool = True
    coherence: bool = True
    natures: bool = True
    decay: bool = True


ALL = Parts()
