"""The ids of sessions as people write and read them: the beginning is enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inarch.contract.errors import UsageError

if TYPE_CHECKING:
    from inarch.contract.ports import ContextStore
    from inarch.contract.records import SessionInfo

SHORTEST_ID = 8


def find(store: ContextStore, beginning: str) -> SessionInfo:
    """Return the one session whose id begins so.

    Raises:
        UsageError: None does, or several do.
    """
    fitting = [info for info in store.sessions() if info.id.startswith(beginning)]
    exact = [info for info in fitting if info.id == beginning]
    if len(exact or fitting) == 1:
        return (exact or fitting)[0]
    if not fitting:
        raise UsageError(f"there is no session {beginning!r}", "inarch sessions list --all shows those there are")
    raise UsageError(f"{len(fitting)} sessions begin with {beginning!r}", "write more of the id")


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """Return for each id as much of its beginning as tells it from all others."""
    ordered = sorted(ids)
    short: dict[str, str] = {}
    for before, this, after in zip(["", *ordered], ordered, [*ordered[1:], ""], strict=False):
        shared = max(_shared(this, before), _shared(this, after))
        short[this] = this[: max(shared + 1, SHORTEST_ID)]
    return short


def local_time(time: str) -> str:
    """Return a time of the record as the clock of this place shows it, to the minute."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):  # a damaged record
        return "????-??-?? ??:??"


def latest(store: ContextStore, root: str) -> SessionInfo:
    """Return the session of a directory in which something happened last: that is the one to go on with.

    Raises:
        UsageError: There is none.
    """
    known = store.sessions(root)
    if not known:
        raise UsageError(f"no session of {root} to continue", "leave --continue out to begin one")
    return max(known, key=lambda info: (max(info.started, info.updated), info.id))


def _shared(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
