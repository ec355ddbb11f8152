"""Approval modes: which calls run without a question."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

__all__ = ["BYPASS", "CHANGEABLE", "MODES", "NAMES", "USERS_MODES", "ApproveMode", "Mode", "rank"]

ApproveMode = Literal["none", "plan", "ask", "edits", "auto", "all", "bypass"]
"""Name of a mode, the strictest first."""


class Mode(NamedTuple):
    """An approval mode: its name, a short title, and what runs in it."""

    name: ApproveMode
    title: str
    help: str


MODES: tuple[Mode, ...] = (
    Mode("none", "Read only", "Nothing that has effects runs."),
    Mode("plan", "Plan", "Nothing that has effects runs until you approve a plan."),
    Mode("ask", "Ask", "Nothing that has effects runs without a question."),
    Mode("edits", "Edits", "Edits of files run without a question."),
    Mode("auto", "Auto", "Edits run, and commands that the sandbox holds and undo covers; what goes beyond asks."),
    Mode("all", "All", "As auto, and everything else that only the mode asks about."),
    Mode("bypass", "Bypass", "Everything that no rule denies runs, and commands run without the sandbox."),
)
"""Every mode, the strictest first."""

NAMES: tuple[ApproveMode, ...] = get_args(ApproveMode)
CHANGEABLE = MODES[:-1]
"""Modes that a session can change to. Only the command line and the user's own file can set `bypass`."""
BYPASS: ApproveMode = "bypass"
"""The mode without the sandbox, and the right that a call has in it."""
USERS_MODES = frozenset({"auto", "all", BYPASS})
"""Modes that no project can set, because commands run in them that no person has seen."""


def rank(mode: str) -> int:
    """Return a mode's place: a higher one lets more calls run.

    Raises:
        ValueError: There is no such mode.
    """
    return NAMES.index(mode)
