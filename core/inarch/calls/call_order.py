"""Order of the calls of a batch: happens-before edges from declared effects, in call order.

A tree of path components holds the accesses since the last barrier. A write supersedes everything at and below its
path, because an access that conflicts with those conflicts with the write too. So each call waits for few others, and
10,000 calls cost about as much as reading them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import define, field

from inarch.contract.records import Effects
from inarch_lib.staging.spellings import folded

MANY_WAITS = 256
"""Calls to wait for above which a call becomes a barrier: more order than needed, but few edges."""

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
    """Return, for each call, the positions of the earlier calls it must wait for.

    The edges are reduced: a call that waits for another omits the calls that the other waited for.
    """
    order = _Order()
    return [order.add(position, effects) for position, effects in enumerate(batch)]


@define(eq=False, repr=False)
class _Node:
    """The accesses to one path since the last barrier."""

    writers: list[int] = field(factory=list)
    readers: list[int] = field(factory=list)
    children: dict[str, _Node] = field(factory=dict)
    written_below: bool = False

    def here(self, writing: bool) -> list[int]:
        """Return the calls that a read or write of this path must wait for."""
        # The readers have waited for the writers.
        return self.readers if writing and self.readers else self.writers

    def below(self, writing: bool) -> Iterator[int]:
        """Yield the same for everything below this path."""
        waiting = list(self.children.values())
        while waiting:
            node = waiting.pop()
            yield from node.here(writing)
            if writing or node.written_below:
                waiting.extend(node.children.values())


@define(eq=False, repr=False)
class _Order:
    """The accesses of the calls so far."""

    barrier: int | None = None
    since: list[int] = field(factory=list)
    root: _Node = field(factory=_Node)

    def add(self, position: int, effects: Effects) -> tuple[int, ...]:
        """Take the next call and return what it waits for."""
        if effects.exclusive:
            return self._add_barrier(position)
        reads = {components(path) for path in effects.reads}
        writes = {components(path) for path in effects.writes}
        waits: set[int] = set()
        for path in reads:
            waits.update(self._conflicting(path, writing=False))
        for path in writes:
            waits.update(self._conflicting(path, writing=True))
        # Later calls wait for this one alone.
        if len(waits) > MANY_WAITS:
            return self._add_barrier(position)
        for path in reads:
            self._record(position, path, writing=False)
        for path in writes:
            self._record(position, path, writing=True)
        self.since.append(position)
        return tuple(sorted(waits)) if waits else self._after_barrier()

    def _after_barrier(self) -> tuple[int, ...]:
        return () if self.barrier is None else (self.barrier,)

    def _add_barrier(self, position: int) -> tuple[int, ...]:
        waits = tuple(self.since) or self._after_barrier()
        self.barrier, self.since, self.root = position, [], _Node()
        return waits

    def _conflicting(self, path: Path, writing: bool) -> Iterator[int]:
        node = self.root
        yield from node.here(writing)
        for part in path:
            child = node.children.get(part)
            if child is None:
                return
            node = child
            yield from node.here(writing)
        if writing or node.written_below:
            yield from node.below(writing)

    def _record(self, position: int, path: Path, writing: bool) -> None:
        node = self.root
        for part in path:
            if writing:
                node.written_below = True
            node = node.children.setdefault(part, _Node())
        if writing:
            node.writers, node.readers, node.children, node.written_below = [position], [], {}, False
        else:
            node.readers.append(position)
