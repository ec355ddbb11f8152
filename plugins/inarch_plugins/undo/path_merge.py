"""Three-way merge of one path. The only side effect is fetching bytes."""

from __future__ import annotations

import stat
from collections.abc import Callable
from typing import NamedTuple

from inarch import Standing
from inarch_lib.output.line_merge import clash_text, is_binary, merge

NOTHING = Standing()
Fetch = Callable[[str], bytes]
"""Returns the bytes of a hash, or raises `Unavailable`."""
MOST_SHOWN = 40
"""Most lines of a conflict's diff that are shown."""


class Unavailable(Exception):
    """The bytes of a hash are gone. The message says why."""


class Clashing(Exception):
    """The versions of a path conflict. The message shows how."""


class Outcome(NamedTuple):
    """Future state of a path, its bytes if they are new, and a remark."""

    standing: Standing
    data: bytes | None = None
    note: str = ""


def bring_together(base: Standing, ours: Standing, theirs: Standing, fetch: Fetch) -> Outcome:
    """Apply the change from `base` to `theirs` to `ours`.

    Raises:
        Clashing: Both changed the same.
        Unavailable: Bytes that the merge needs are gone.
    """
    if ours == base:
        return Outcome(theirs)
    if ours == theirs or base == theirs:
        return Outcome(ours)
    if ours == NOTHING:
        return Outcome(ours, note="you removed it, so it stays removed")
    kinds = {stat.S_IFMT(one.mode) for one in (base, ours, theirs) if one.mode}
    if kinds == {stat.S_IFDIR} and NOTHING in (base, theirs):
        return Outcome(ours if base == NOTHING else NOTHING)  # checked later: the folder must be empty
    if theirs == NOTHING:
        raise Clashing(f"it would be removed, but it changed since then:\n{_difference(base, ours, fetch)}")
    if base == NOTHING:
        raise Clashing("another file is there now")
    if kinds not in ({stat.S_IFREG}, {stat.S_IFDIR}):
        raise Clashing("it was replaced since then")
    mode = _mode(base.mode, ours.mode, theirs.mode)
    if ours.hash == base.hash:
        return Outcome(Standing(theirs.hash, mode))
    if ours.hash == theirs.hash or base.hash == theirs.hash:
        return Outcome(Standing(ours.hash, mode))
    return Outcome(Standing("", mode), _merged(base, ours, theirs, fetch))


def _mode(base: int, ours: int, theirs: int) -> int:
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    shown = (f"{stat.S_IMODE(one):03o}" for one in (ours, base, theirs))
    raise Clashing("its mode is {}, was {} after the turn; undo sets {}".format(*shown))


def _merged(base: Standing, ours: Standing, theirs: Standing, fetch: Fetch) -> bytes:
    versions = [fetch(one.hash or "") for one in (base, ours, theirs)]
    if any(map(is_binary, versions)):
        raise Clashing("it is a binary file that changed since then")
    merged = merge(*versions)
    if merged.clashes:
        raise Clashing(clash_text(merged.clashes[:10]))
    return merged.data


def _difference(base: Standing, ours: Standing, fetch: Fetch) -> str:
    try:
        old, new = fetch(base.hash or ""), fetch(ours.hash or "")
    except Unavailable as gone:
        return str(gone)
    if stat.S_IFMT(base.mode) != stat.S_IFMT(ours.mode):
        return "it has another type now"
    if old == new:
        return f"its mode was {stat.S_IMODE(base.mode):03o}, now it is {stat.S_IMODE(ours.mode):03o}"
    if is_binary(old) or is_binary(new):
        return "it is a binary file"
    from inarch_lib.output.line_matches import unified

    left, now = (data.decode("utf-8", "replace").splitlines() for data in (old, new))
    lines = list(unified(left, now, ("after the turn", "now"), 1))
    more = [f"… {len(lines) - MOST_SHOWN} more lines"] if len(lines) > MOST_SHOWN else []
    return "\n".join(lines[:MOST_SHOWN] + more)
