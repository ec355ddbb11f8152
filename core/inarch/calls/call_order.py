"""Order of the calls of a batch: happens-before edges from declared effects, in call order."""

from __future__ import annotations

from collections.abc import Sequence

from inarch.contract.records import Effects
from inarch_lib.staging.spellings import folded

MOST_COMPARED = 256
"""Calls with which a call is compared; one after so many keeps its order with all, so that the time stays linear."""

PROTECTED = (".git", ".inarch")
"""Names below which no tool writes; a program may, if its call declared exactly that."""

Path = tuple[str, ...]


def components(path: str) -> Path:
    """Return a path's components, `()` for the root; `./a`, `a//b` and `a/` are read as `a`, `a/b` and `a`.

    A path with `..` is not resolved; it counts as everything.
    """
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    return () if ".." in parts else parts


def normalised(path: str) -> str:
    """Return a path in its plain form, without a trailing slash; `""` is the root."""
    return "/".join(components(path))


def may_write(effects: Effects, path: str) -> bool:
    """Return whether a path is at or below one that a call declared to write."""
    parts = components(path)
    declared = map(components, effects.writes)
    return any(parts[: len(one)] == one for one in declared)


def changes_protected(effects: Effects) -> bool:
    """Return whether a call declared changes to Git's or Inarch's own files; such calls always ask."""
    return any(folded(part) in PROTECTED for path in effects.writes for part in components(path))


def edges(batch: Sequence[Effects]) -> list[tuple[int, ...]]:
    """Return, for each call, the positions of the earlier calls it must wait for."""
    found: list[tuple[int, ...]] = []
    since: list[tuple[int, set[Path], set[Path]]] = []
    barrier: tuple[int, ...] = ()
    for position, effects in enumerate(batch):
        if effects.exclusive or len(since) == MOST_COMPARED:
            found.append(tuple(earlier for earlier, _, _ in since) or barrier)
            since, barrier = [], (position,)
            continue
        reads, writes = set(map(components, effects.reads)), set(map(components, effects.writes))
        waits = [at for at, read, written in since if _meet(reads, written) or _meet(writes, read | written)]
        found.append(tuple(waits) or barrier)  # an earlier call that it waits for has waited for the barrier
        since.append((position, reads, writes))
    return found


def _meet(some: set[Path], others: set[Path]) -> bool:
    """Return whether any path of the one set is at, below or above one of the other."""
    return any(one[: len(other)] == other[: len(one)] for one in some for other in others)
