"""Approval modes: which calls run without a question."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

__all__ = [
    "BYPASS", "CHANGEABLE", "COPY", "MODES", "NAMES", "REVIEW", "USERS_MODES", "ApproveMode", "Mode", "may_tighten",
    "rank",
]  # fmt: skip

ApproveMode = Literal["none", "plan", "ask", "edits", "auto", "review", "all", "bypass"]
"""Name of a mode, the strictest first."""


class Mode(NamedTuple):
    """An approval mode: its name, a short title, and what runs in it."""

    name: ApproveMode
    title: str
    help: str


MODES: tuple[Mode, ...] = (
    Mode("none", "Read only", "Reads run; nothing else does."),
    Mode("plan", "Plan", "Reads run; nothing changes until you approve a plan."),
    Mode("ask", "Ask", "Reads run; edits and commands ask."),
    Mode("edits", "Edits", "Reads and edits run; commands ask."),
    Mode("auto", "Auto", "Edits and sandboxed commands that undo covers run; what goes beyond asks."),
    Mode("review", "Review", "Work runs in a copy, git too; you review one diff at the end."),
    Mode("all", "All", "Edits and sandboxed commands run, and all that only the mode asks about."),
    Mode("bypass", "Bypass", "Everything that no rule denies runs, without asking and without the sandbox."),
)
"""Every mode, the strictest first."""

NAMES: tuple[ApproveMode, ...] = get_args(ApproveMode)
BYPASS: ApproveMode = "bypass"
"""The mode without the sandbox, and the right that a call has in it."""
REVIEW: ApproveMode = "review"
"""The mode in a copy of the workspace."""
COPY = "copy"
"""Promise that is kept in a copy: what a call does here waits for a review."""
CHANGEABLE = tuple(one for one in MODES if one.name not in (REVIEW, BYPASS))
"""Modes that every session can change to. The command line and the user's own file set the others."""
USERS_MODES = frozenset({"auto", REVIEW, "all", BYPASS})
"""Modes that no project can set, because commands run in them that no person has seen."""


def rank(mode: str) -> int:
    """Return a mode's place: a higher one lets more calls run.

    Raises:
        ValueError: There is no such mode.
    """
    return NAMES.index(mode)


def may_tighten(mode: str, limit: str) -> bool:
    """Return whether a project may set a mode under the user's: a stricter one that changes nothing unseen."""
    changes_at_once = limit == REVIEW and rank(mode) > rank("ask")  # the user expects a review
    return rank(mode) < rank(limit) and mode not in USERS_MODES and not changes_at_once
