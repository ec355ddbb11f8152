"""Plan of an undo or redo: the future state of every path. Nothing is written here."""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from attrs import define, field

from inarch import FileConflict, Standing
from inarch_plugins.undo.path_merge import NOTHING, Clashing, Unavailable, bring_together

Action = Literal["undo", "redo"]


class Step(NamedTuple):
    """A change of one path, or a move to `new_path` without a change of bytes."""

    path: str
    before: Standing
    after: Standing
    new_path: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that it affects."""
        return (self.path, self.new_path) if self.new_path else (self.path,)


def steps_of(changes: Sequence[Mapping[str, Any]]) -> list[Step]:
    """Return the changes as steps. Consecutive changes of one path are one step."""
    steps: list[Step] = []
    latest: dict[str, int] = {}
    for data in changes:
        step = Step(data["path"], _side(data, "before"), _side(data, "after"), data.get("new_path") or "")
        known = latest.get(step.path, -1)
        if not step.new_path and known >= 0 and not steps[known].new_path and steps[known].after == step.before:
            steps[known] = steps[known]._replace(after=step.after)
            continue
        latest |= dict.fromkeys(step.paths, len(steps))
        steps.append(step)
    return steps


def _side(data: Mapping[str, Any], name: str) -> Standing:
    return Standing(data.get(name), int(data.get(f"{name}_mode") or 0))


@define(eq=False, repr=False)
class Plan:
    """Present and future states of paths.

    Args:
        look: Returns the present state of a path.
        begin: Returns the state of a path at which the steps begin, given its present state.
        fetch: Returns the bytes of a hash, or raises `Unavailable`.
        action: The direction of the steps.
    """

    look: Callable[[str], Standing]
    fetch: Callable[[str], bytes]
    action: Action
    begin: Callable[[str, Standing], Standing] = lambda path, present: present
    now: dict[str, Standing] = field(init=False, factory=dict)
    then: dict[str, Standing] = field(init=False, factory=dict)
    made: dict[str, bytes] = field(init=False, factory=dict)
    notes: dict[str, str] = field(init=False, factory=dict)
    conflicts: dict[str, str] = field(init=False, factory=dict)
    unavailable: dict[str, str] = field(init=False, factory=dict)

    def add(self, steps: Sequence[Step]) -> None:
        """Compute the result of the steps. Skip paths with missing bytes and those that depend on them."""
        while True:
            self._begin()
            before = len(self.unavailable)
            for step in reversed(steps) if self.action == "undo" else steps:
                if not any(path in self.unavailable for path in step.paths):
                    self._take(step)
            if len(self.unavailable) == before:
                return

    @property
    def found_conflicts(self) -> tuple[FileConflict, ...]:
        """The conflicts by path."""
        return tuple(FileConflict(path, text) for path, text in sorted(self.conflicts.items()))

    @property
    def changed(self) -> list[str]:
        """The paths that will change, sorted."""
        return sorted(path for path, then in self.then.items() if then != self.now[path])

    def _begin(self) -> None:
        self.then.clear()
        for known in (self.notes, self.conflicts):
            known.clear()

    def _take(self, step: Step) -> None:
        try:
            if step.new_path:
                self._move(step)
            else:
                base, theirs = (step.after, step.before) if self.action == "undo" else (step.before, step.after)
                self._bring(step.path, base, theirs)
        except Unavailable as gone:
            self.unavailable |= dict.fromkeys(step.paths, str(gone))
        except Clashing as clash:
            self.conflicts.setdefault(step.path, str(clash))

    def _move(self, step: Step) -> None:
        """Move a file in its changed state, unless it is gone or its target is occupied."""
        source, target = (step.new_path, step.path) if self.action == "undo" else (step.path, step.new_path)
        here, there = self._at(source), self._at(target)
        if here == NOTHING:
            if there == NOTHING:
                self.notes[source] = "you removed it, so it stays removed"
            return
        if there not in (NOTHING, here):  # equal if someone has already moved it back
            raise Clashing(f"{source} would move to {target}, but another file is there now")
        self.then[target], self.then[source] = here, NOTHING

    def _bring(self, path: str, base: Standing, theirs: Standing) -> None:
        if "" in (base.hash, theirs.hash):
            raise Unavailable("it was too large to store")
        standing, data, note = bring_together(base, self._at(path), theirs, self._bytes)
        if data is not None:
            from hashlib import sha256

            ref = sha256(data).hexdigest()
            self.made[ref] = data
            standing = Standing(ref, standing.mode)
        elif standing.hash is not None and standing != self.now[path]:
            self._bytes(standing.hash)  # fetched now, so that missing bytes are found before anything is written
        if note:
            self.notes[path] = note
        self.then[path] = standing

    def _at(self, path: str) -> Standing:
        if path not in self.now:
            self.now[path] = self.look(path)
        return self.then.setdefault(path, self.begin(path, self.now[path]))

    def _bytes(self, ref: str) -> bytes:
        return self.made[ref] if ref in self.made else self.fetch(ref)


def word_for(now: Standing, then: Standing, is_merged: bool) -> str:
    """Return the verb for the change of a path in a report."""
    if then == NOTHING:
        return "removed"
    if now == NOTHING:
        return "made"
    if now.hash == then.hash and stat.S_IFMT(now.mode) == stat.S_IFMT(then.mode):
        return "mode"
    return "merged" if is_merged else "changed"
