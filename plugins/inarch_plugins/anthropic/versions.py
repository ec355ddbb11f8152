"""Features of a model by the version in its name: rules also cover unreleased models, lists do not.

Sources: Anthropic's migration guides and its page on thinking, as of Nov 2026.
"""

from __future__ import annotations

import re

Version = tuple[int, int]

NEWEST: Version = (99, 0)
"""Version of a name without one, such as an alias or a model of another company."""
_IN_NAME = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")


def version_of(model: str) -> Version:
    """Return the version in a model's name.

    >>> version_of("claude-sonnet-5-5"), version_of("claude-opus-4-20250514"), version_of("claude-3-7-sonnet-latest")
    ((5, 5), (4, 0), (3, 7))
    """
    found = _IN_NAME.search(model.lower())
    return (int(found[1]), int(found[2] or 0)) if found else NEWEST


def is_adaptive(version: Version) -> bool:
    """Return whether the model itself decides how much it thinks, and accepts an effort; earlier ones get a budget."""
    return version >= (4, 6)


def takes_budget(version: Version) -> bool:
    """Return whether the model thinks within a given budget of tokens."""
    return (3, 7) <= version < (4, 6)


def binds_thoughts(version: Version) -> bool:
    """Return whether a thought is valid only after the very conversation that produced it."""
    return version >= (5, 1)


def takes_forced_calls(version: Version) -> bool:
    """Return whether `tool_choice` may demand a call."""
    return version < (5, 0)
