"""How well a place explains a question: what a shared ranking will know of itself is worked out here from searches.

`judge` is the one door. A question's informative words are weighed by how rare they are in the files. A place explains
a word where its name, signature or first sentence has it; its code counts a little. The name of the package that it is
in explains nothing. Below `LINE` an answer says that nothing here clearly answers the question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from inarch import ToolResult
from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.layout import is_test
from inarch_offline.material import Context, Symbol, hits
from inarch_offline.plans.searching import stem

LINE = 0.45
"""Chosen on the tune halves of the questions in `benchmarks`: more coverage below it, fewer wrong answers above it."""

SURE = 0.75
"""What a place must explain of a question that asks what happens in some case: the case is most of it."""

_LIMIT = 60
_MOST_WORDS = 8
_IN_CODE = 0.3
_BEHIND = 0.15
"""How much more of the question another place may explain."""
_SAYS_LITTLE = frozenset(
    re.findall(
        r"\w+",
        """get gets make makes made kept keep given give gives use used uses using way ways thing things want own out
    without several many much long first last new old let let's before after more than not happen case cases time again
    only same other others another onto over under come comes need needed needs take taken takes put ask asked value
    values know done see seen itself themselves something else one two three both possible example parts behind back
    still kind say says mechanism support supported supports feature functionality facility function""",
    )
)


class Match(NamedTuple):
    """What a place explains of a question.

    Args:
        share: From 0 to 1, the informative words weighed by their rarity.
        missing: Words that stand in no file at all.
    """

    share: float
    missing: tuple[str, ...] = ()

    @property
    def is_clear(self) -> bool:
        """Whether the place may be given as the answer."""
        return self.share >= LINE


def judge(subject: str, found: Context) -> Asking[Match]:
    """Say how well the place that was found explains what is asked."""
    package = found.target.qualname.partition(".")[0].lower() if found.target else ""
    words = [word for word in informative(subject) if word.lower() != package]
    if not words:
        return Match(0.0)
    results = yield [calls.search(calls.literal(stem(word)), ignore_case=True, limit=_LIMIT) for word in words]
    weights = {word: _weight(result) for word, result in zip(words, results, strict=True)}
    looked = [(word, result) for word, result in zip(words, results, strict=True) if result.success]
    missing = tuple(word for word, result in looked if not hits(result))
    target = found.target
    if target is None or is_test(target.place.path) or target.name.startswith("__all__"):
        return Match(0.0, missing)
    by_name = _share(target, weights, 0.0)
    ahead = max((_share(other, weights, 0.0) for other in found.others), default=0.0)
    alone = len(words) < 2 and len(subject.split()) > 1  # one word of many says too little
    share = 0.0 if missing or alone else _share(target, weights, _IN_CODE)
    return Match(share / 2 if ahead - by_name > _BEHIND else share, missing)


def informative(subject: str) -> list[str]:
    """Give the words of a subject that say what is asked about."""
    words = [word for word in dict.fromkeys(subject.split()) if len(word) > 2 and word.lower() not in _SAYS_LITTLE]
    return words[:_MOST_WORDS]


def _weight(result: ToolResult) -> float:
    return 1 / math.log2(2 + (len(hits(result)) if result.success else _LIMIT)) if hits(result) else 0.6


def _share(place: Symbol, weights: Mapping[str, float], in_code: float) -> float:
    told = _words(f"{place.qualname.partition('.')[2]} {place.signature} {place.doc}")
    code = _words(place.code)
    got = sum(weight * _explained(_words(stem(word)), told, code, in_code) for word, weight in weights.items())
    return got / sum(weights.values())


def _explained(word: Sequence[str], told: Sequence[str], code: Sequence[str], in_code: float) -> float:
    """Whether a text has a word, or one that begins like it."""
    start = " " + " ".join(word)
    return 1.0 if start in " " + " ".join(told) else in_code if start in " " + " ".join(code) else 0.0


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text).lower())
