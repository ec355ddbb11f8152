"""Model families, read from the version in a name: whether they think, and which efforts they accept."""

from __future__ import annotations

import re
from collections.abc import Sequence

ORDER = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""All words for effort, the lowest first."""
_PLAIN = ("low", "medium", "high")
# Model pages at developers.openai.com, as of Nov 2026: from this version on these words are accepted. `none` is not
# among them: the largest models refuse it, and Inarch has no such effort.
_SINCE: Sequence[tuple[tuple[int, int], tuple[str, ...]]] = (
    ((5, 6), (*_PLAIN, "xhigh", "max")),
    ((5, 2), (*_PLAIN, "xhigh")),
    ((5, 1), _PLAIN),
    ((5, 0), ("minimal", *_PLAIN)),
)


def known_to_think(model: str) -> bool:
    """Return whether the name is that of an OpenAI model that reasons; False for every other company's model."""
    version = _version(model)
    return re.search(r"(?:^|/)o\d", model) is not None or (version is not None and version >= (5, 0))


def known_not_to_think(model: str) -> bool:
    """Return whether the name is that of an OpenAI model that does not reason, such as gpt-4.1."""
    return _version(model) is not None and not known_to_think(model)


def efforts_of(model: str) -> tuple[str, ...]:
    """Return the words that a model accepts; three of them if it is not known."""
    version = _version(model)
    return next((words for since, words in _SINCE if version is not None and version >= since), _PLAIN)


def nearest(effort: str, words: Sequence[str]) -> str:
    """Return the word nearest to an effort, the greater of two; `none` only if there is no other."""
    thinking = [word for word in words if word in ORDER and word != "none"]
    place = ORDER.index(effort)
    return min(thinking or ["none"], key=lambda word: (abs(ORDER.index(word) - place), ORDER.index(word) < place))


def _version(model: str) -> tuple[int, int] | None:
    """Return the version of an OpenAI model, also after the company's name as gateways write it."""
    found = re.search(r"(?:^|/)gpt-(\d+)(?:\.(\d+))?(.*)", model)
    if found is None:
        return None
    if "-chat" in found[3]:
        return 4, 0  # `gpt-5-chat-latest` and similar models answer without reasoning
    return int(found[1]), int(found[2] or 0)
