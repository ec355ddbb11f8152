"""What a model takes, by the version in its name: rules hold for models that are not out yet, lists do not.

Sources: Anthropic's migration guides and its page on thinking, seen Nov 2026.
"""

from __future__ import annotations

import re

Version = tuple[int, int]

NEWEST: Version = (99, 0)
"""What a name without a version counts as, such as an alias or one of another company."""
_IN_NAME = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")


def version_of(model: str) -> Version:
    """Return the version in a model's name.

    >>> version_of("claude-sonnet-5-5"), version_of("claude-opus-4-20250514"), version_of("claude-3-7-sonnet-latest")
    ((5, 5), (4, 0), (3, 7))
    """
    found = _IN_NAME.search(model.lower())
    return (int(found[1]), int(found[2] or 0)) if found else NEWEST


def is_adaptive(version: Version) -> bool:
    """Whether the model itself decides how much it thinks, and takes an effort; earlier ones get a budget."""
    return version >= (4, 6)


def takes_budget(version: Version) -> bool:
    """Whether the model thinks within a budget of tokens that it is given."""
    return (3, 7) <= version < (4, 6)


def binds_thoughts(version: Version) -> bool:
    """Whether a thought is valid only behind the very conversation that it was made in."""
    return version >= (5, 1)


def takes_forced_calls(version: Version) -> bool:
    """Whether `tool_choice` may demand a call."""
    return version < (5, 0)
