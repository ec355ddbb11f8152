"""Shells, and programs that are given code to run among their words: what such words do can't be read off them."""

from __future__ import annotations

import re
from collections.abc import Sequence

SHELLS = frozenset({
    "sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "csh", "tcsh", "ash", "busybox", "pwsh", "powershell", "eval",
    "osascript",
})  # fmt: skip
_CODE = re.compile(r"--?(?:c|e|r|p|eval|exec|print|command|execute|run)(?:=.*)?|-[A-Za-z]{0,3}[ce]", re.S)


def can_be_kept(words: Sequence[str]) -> bool:
    """Whether an approval of these words may be kept for good: not where one names a shell or is an option for code."""
    names = (word.rpartition("/")[2] for word in words)
    return SHELLS.isdisjoint(names) and not any(_CODE.fullmatch(word) for word in words[1:])
