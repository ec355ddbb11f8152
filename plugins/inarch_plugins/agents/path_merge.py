"""What becomes of one path: as the task began, as it is in the workspace, and as the agent left it. Pure."""

from __future__ import annotations

import stat
from collections.abc import Callable
from typing import NamedTuple

import inarch
from inarch_lib.output.line_merge import Merged, clash_text, is_binary, merge

NOTHING = inarch.Standing(None, 0)
Fetch = Callable[[inarch.Standing], bytes]
MOST_CLASHES = 10
"""Conflicts of a file that are shown."""


class Brought(NamedTuple):
    """What is to stand at a path: its bytes and whole mode; `clash` shows both sides where they can't both be kept.

    With a clash, `data` has both with marks around them, or is None where no text can have them.
    """

    data: bytes | None
    mode: int
    clash: str = ""


def bring(base: inarch.Standing, ours: inarch.Standing, theirs: inarch.Standing, fetch: Fetch) -> Brought | None:
    """Return `ours` with what was changed from `base` to `theirs`; None where it stays as it is.

    `fetch` returns the bytes of one of these.
    """
    if theirs in (ours, base):
        return None
    if ours == base:
        return Brought(None if theirs == NOTHING else fetch(theirs), theirs.mode)
    if ours == NOTHING:
        return Brought(None, 0, "it was removed here, and changed by the agent")
    if theirs == NOTHING:
        return Brought(None, 0, "it was changed here, and removed by the agent")
    sides = [one for one in (base, ours, theirs) if one != NOTHING]
    if any(not stat.S_ISREG(one.mode) for one in sides):
        return Brought(None, 0, "it is no plain file on each side, and both changed it")
    return _file(base, ours, theirs, fetch)


def _file(base: inarch.Standing, ours: inarch.Standing, theirs: inarch.Standing, fetch: Fetch) -> Brought:
    mode = ours.mode if theirs.mode == base.mode else theirs.mode
    modes = "" if ours.mode in (base.mode, theirs.mode) or theirs.mode == base.mode else _modes(base, ours, theirs)
    if ours.hash == theirs.hash or theirs.hash == base.hash:
        return Brought(fetch(ours), mode, modes)
    if ours.hash == base.hash:
        return Brought(fetch(theirs), mode, modes)
    versions = [fetch(one) if one != NOTHING else b"" for one in (base, ours, theirs)]
    if any(map(is_binary, versions)):
        return Brought(None, 0, "it is binary, and both changed it")
    merged: Merged = merge(*versions)
    told = [clash_text(merged.clashes[:MOST_CLASHES], ("here", "before", "of the agent"))] if merged.clashes else []
    if len(merged.clashes) > MOST_CLASHES:
        told.append(f"… {len(merged.clashes) - MOST_CLASHES} more conflicts")
    return Brought(merged.data, mode, "\n".join([*told, *filter(None, [modes])]))


def _modes(*sides: inarch.Standing) -> str:
    base, ours, theirs = (f"{stat.S_IMODE(one.mode):03o}" for one in sides)
    return f"its mode was {base}, is {ours} here, and {theirs} by the agent"
