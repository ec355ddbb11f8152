"""Changes of a copy, each compared with the original as it is now and as it was."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import ClassVar

from attrs import define, evolve, field, frozen

from inarch import FileState, InarchError
from inarch_lib.confinement.overlay import UPPER
from inarch_lib.output.line_matches import hunks, split_lines
from inarch_lib.output.line_merge import is_binary, merge
from inarch_lib.staging.steering_names import steers
from inarch_plugins.sandbox_fs.changes.session_changes import SessionChanges
from inarch_plugins.sandbox_fs.trial_changes import Change, Side, TrialChanges, kind_of

NOTHING = Side()
_EXECUTABLE = 0o111
_UNKNOWN = "it was changed meanwhile, and its state before is not stored"


@define(eq=False, repr=False)
class CopyChanges(TrialChanges):
    """Differences between a copy and the original as it is now.

    `problems` say why single paths can't be applied, `touched` are those that changed in the original since.
    """

    most_paths: ClassVar[int] = 1_000_000
    most_bytes: ClassVar[int] = 1 << 50
    problems: dict[str, str] = field(init=False, factory=dict)
    touched: set[str] = field(init=False, factory=set)

    def _block(self, why: str, path: str = "") -> None:
        if path:
            self.problems.setdefault(path, why)
        else:
            self.obstacle = self.obstacle or why

    def _links_lost(self, path: str, why: str) -> None:
        """Do nothing: a file with several names becomes a file of its own, as it did in the copy."""

    def _changed_meanwhile(self, path: str) -> None:
        self.touched.add(path)


@frozen
class Reviewed:
    """Change of one path for review.

    Args:
        path: The path.
        base: Its state when the session first changed it.
        ours: Its present state in the original.
        theirs: Its state in the copy.
        after: Its state after applying, the present one if it stays.
        data: Its bytes after applying, None for those of the copy.
        problem: Why it can't be applied, empty if it can.
        marks: What needs a look of its own, such as `runs on the project's CI`.
    """

    path: str
    base: Side
    ours: Side
    theirs: Side
    after: Side
    data: bytes | None = None
    problem: str = ""
    marks: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """What the session did: `add`, `change`, `mode` or `delete`."""
        return kind_of(self.base, self.theirs)


@define(eq=False, repr=False)
class Review:
    """All changes of a copy, ready to be shown and applied."""

    changes: CopyChanges
    bases: Mapping[str, tuple[str | None, int]]
    session: SessionChanges
    stored: Callable[[str], bytes]
    found: list[Reviewed] = field(init=False)

    def __attrs_post_init__(self) -> None:
        judged = map(self._judged, self.changes.found)
        left = [one for one in judged if one.theirs != one.base and (one.problem or one.after != one.ours)]
        self.found = sorted(left, key=lambda one: (not one.marks, one.path))

    @property
    def plain(self) -> list[Reviewed]:
        """What can be applied without a look at each."""
        return [one for one in self.found if not one.marks and not one.problem]

    def named(self, paths: Sequence[str]) -> list[Reviewed]:
        """Return the changes of paths and of all below them, and the folders that they need."""
        chosen = {one.path for one in self.found if any(_lies_in(one.path, path) for path in paths)}
        above = {path[:at] for path in chosen for at in range(len(path)) if path[at] == "/"}
        return [one for one in self.found if one.path in chosen or (one.path in above and one.theirs.is_folder)]

    def states(self, chosen: Sequence[Reviewed]) -> list[FileState]:
        """Return what to give every path, and what it must be before."""
        return [
            FileState(one.path, one.after.mode, self._giving(one), one.ours.hash, one.ours.mode)
            for one in chosen if one.after != one.ours
        ]  # fmt: skip

    def hunk(self, one: Reviewed, number: int) -> tuple[Reviewed, bytes]:
        """Return a change with one of its hunks alone, counted from 1, and the base that then is left."""
        if one.problem == _UNKNOWN or not all(stat.S_ISREG(side.mode) for side in (one.base, one.theirs)):
            raise InarchError(f"{one.path} has no hunks to apply", one.problem or "apply it whole")
        base, theirs = self._bytes(one, one.base), self._bytes(one, one.theirs)
        old, new = split_lines(base), split_lines(theirs)
        found = hunks(old, new)
        if is_binary(theirs) or not 0 < number <= len(found):
            raise InarchError(f"{one.path} has {len(found)} hunks", "name one, counted from 1")
        start, end, new_start, new_end = found[number - 1]
        part = b"".join([*old[:start], *new[new_start:new_end], *old[end:]])
        side = Side(one.base.mode, sha256(part).hexdigest(), len(part))
        # The other side of the merge is what the hunk leaves, not the copy.
        return self._merged(evolve(one, theirs=side, problem=""), {side.hash or "": part}), part

    def texts(self, one: Reviewed) -> tuple[bytes, bytes] | None:
        """Return the bytes before and after, None if one of them is not those of a file or is gone."""
        sides = one.base, one.theirs
        if any(side.mode and not stat.S_ISREG(side.mode) for side in sides):
            return None
        try:
            before, after = (self._bytes(one, side) for side in sides)
        except (InarchError, OSError):
            return None
        return before, after

    def _judged(self, change: Change) -> Reviewed:
        path, ours, theirs = change.path, change.before, change.after
        base = self._base(path, ours, theirs)
        marks = [what for what in (steers(path),) if what]
        gains = theirs.mode & _EXECUTABLE and not (base or ours).mode & _EXECUTABLE
        if gains and stat.S_ISREG(theirs.mode):
            marks.append("can be run as a program")
        one = Reviewed(path, base or ours, ours, theirs, ours, None, self.changes.problems.get(path, ""), tuple(marks))
        if one.problem:
            return one
        if base is None:
            return evolve(one, problem=_UNKNOWN)
        return self._merged(one, {})

    def _base(self, path: str, ours: Side, theirs: Side) -> Side | None:
        first = self.session.first.get(path)
        if path in self.bases and (first is None or ours != _side(first)):  # otherwise that was undone
            return _side(self.bases[path])
        if path not in self.changes.touched and (ours.mode or first is None):
            return ours
        if first is None and theirs.mode and (ours.is_folder or self._is_untouched(path)):
            return theirs
        return None if first is None or first[0] == "" else _side(first)

    def _is_untouched(self, path: str) -> bool:
        """Return whether the copy has a file only because a program opened it to write, and left it as it was."""
        found = os.lstat(os.path.join(self.changes.folder.path, UPPER, path))
        return stat.S_ISREG(found.st_mode) and found.st_mtime_ns < self.changes.folder.began_ns

    def _merged(self, one: Reviewed, known: Mapping[str, bytes]) -> Reviewed:
        """Return a change with its state after applying: the change from base to theirs, made to ours."""
        base, ours, theirs = ((side.hash, side.mode) for side in (one.base, one.ours, one.theirs))
        if theirs in (ours, base):
            return evolve(one, after=one.ours)
        if ours == base:
            return evolve(one, after=one.theirs, data=known.get(one.theirs.hash or ""))
        if not one.ours.mode or not one.theirs.mode:
            return evolve(one, problem=f"it was {'changed' if one.ours.mode else 'removed'} meanwhile")
        if not all(stat.S_ISREG(side.mode) for side in (one.base, one.ours, one.theirs) if side.mode):
            return evolve(one, problem="it was replaced meanwhile")
        if one.base.mode not in (one.ours.mode, one.theirs.mode) and one.ours.mode != one.theirs.mode:
            return evolve(one, problem="its mode was changed meanwhile")
        mode = one.ours.mode if one.theirs.mode == one.base.mode else one.theirs.mode
        try:
            sides = [self._bytes(one, side, known) for side in (one.base, one.ours, one.theirs)]
        except (InarchError, OSError):
            return evolve(one, problem=_UNKNOWN)
        merged = merge(*sides)
        if merged.clashes or (any(map(is_binary, sides)) and len(set(sides)) == len(sides)):
            lines = ", ".join(str(clash.line) for clash in merged.clashes[:5])
            return evolve(one, problem=f"the same lines were changed meanwhile{f': line {lines}' if lines else ''}")
        return evolve(one, after=Side(mode, sha256(merged.data).hexdigest(), len(merged.data)), data=merged.data)

    def _bytes(self, one: Reviewed, side: Side, known: Mapping[str, bytes] = MappingProxyType({})) -> bytes:
        if not side.mode or side.hash in known:
            return known.get(side.hash or "", b"")
        if side == one.theirs:
            return self.changes.data(Change(one.path, one.base, side))
        if side == one.ours:
            return self.changes.data_before(Change(one.path, side, one.theirs))
        return self.stored(side.hash or "")

    def _giving(self, one: Reviewed) -> Callable[[], bytes]:
        return lambda: self.changes.data(Change(one.path, one.ours, one.theirs)) if one.data is None else one.data


def _side(state: tuple[str | None, int]) -> Side:
    return Side(state[1], state[0]) if state[1] else NOTHING


def _lies_in(path: str, above: str) -> bool:
    return above in (".", path) or path.startswith(f"{above.rstrip('/')}/")
