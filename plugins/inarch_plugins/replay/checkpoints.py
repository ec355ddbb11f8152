"""The workspace as it was when a session began, from the images of files that it and later sessions kept.

Where what stands there now is not what these sessions left, or what the session read is nowhere, the workspace has
drifted: that is said by name, and nothing is replayed.
"""

from __future__ import annotations

import hashlib
import stat
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from inarch import ContextStore, FileState, Standing, StoreError, ToolFailed, Workspace, capabilities
from inarch_plugins.replay.recorded_turns import NOTHING
from inarch_plugins.replay.survey import Move, Record
from inarch_plugins.replay.workspace_copy import standing_at

PLAIN = stat.S_IFREG | 0o644
Blob = Callable[[str], bytes]
"""Returns the bytes of a hash, or raises `StoreError`."""


@define(eq=False, repr=False)
class Checkpoint:
    """What a replay begins with.

    Args:
        start: How each path stood that was changed since, by path.
        end: How each path stood that the session changed, when it ended.
        outside: What somebody else changed while the session went on, by the place of the step before which it was.
        drifted: A sentence for each path that is not as the record has it.
    """

    start: dict[str, Standing] = field(factory=dict)
    end: dict[str, Standing] = field(factory=dict)
    outside: dict[int, dict[str, Standing]] = field(factory=dict)
    drifted: list[str] = field(factory=list)


def checkpoint_of(record: Record, later: Iterable[Move], blob: Blob, place: Path) -> Checkpoint:
    """Return what the workspace has to be brought to before a replay.

    Args:
        record: The session.
        later: What other sessions about the same root changed, and this one after what is played.
        blob: The bytes that are kept.
        place: The workspace as it is now.
    """
    own = [move for move in record.moves if move.after is not None]
    others = [move for move in later if move.time > record.began]
    if others:  # a fork shares some of them
        mine = {(move.time, move.call_id, move.path) for move in own}
        others = [move for move in others if (move.time, move.call_id, move.path) not in mine]
    merged = sorted([*own, *others], key=lambda move: move.time)
    found = Checkpoint()
    left: dict[str, Standing] = {}
    for move in merged:
        found.start.setdefault(move.path, move.before)
        left[move.path] = move.after or NOTHING
    for path, was in left.items():
        present = standing_at(place, path)
        if present[0] != was.hash or bool(present[1]) != bool(was.mode or was.hash):
            found.drifted.append(f"{path}: {_how(present[0], was.hash)} since the session ended")
    for path, was in found.start.items():
        if was.hash is not None and not has(blob, was.hash):
            found.drifted.append(f"{path}: its contents from before the session are not stored")
    others.sort(key=lambda move: move.time)
    _Walk(record, found, blob, place, deque(others)).run()
    found.drifted.sort()
    return found


def _how(present: str | None, left: str | None) -> str:
    if present is None:
        return "it has gone"
    return "it has come back" if left is None else "it has changed"


@define(eq=False, repr=False)
class _Walk:
    """Goes through the record and notes how each path stands, and where somebody else must have had a hand in it."""

    record: Record
    found: Checkpoint
    blob: Blob
    place: Path
    others: deque[Move]
    now: dict[str, str | None] = field(factory=dict)
    touched: dict[str, int] = field(factory=dict)
    step: int = 0

    def run(self) -> None:
        self.now = {path: was.hash for path, was in self.found.start.items()}
        begun = 0
        for move in self.record.moves:
            while begun <= move.step:
                self._begin(begun)
                begun += 1
            self.step = move.step
            self._expect(move.path, move.before)
            if move.after is not None:
                self.now[move.path] = move.after.hash
                self.touched[move.path] = self.step
                self.found.end[move.path] = move.after
        for step in range(begun, len(self.record.begun)):
            self._begin(step)

    def _begin(self, step: int) -> None:
        """Note what other sessions changed before a step."""
        self.step = step
        while self.others and self.others[0].time < self.record.begun[step]:
            move = self.others.popleft()
            path, after = move.path, move.after or NOTHING
            if self.now.get(path) != after.hash and (after.hash is None or has(self.blob, after.hash)):
                self.now[path] = after.hash
                self.found.outside.setdefault(step, {})[path] = after
                if path in self.found.end:
                    self.found.end[path] = after

    def _expect(self, path: str, known: Standing) -> None:
        if path not in self.now:
            self.now[path] = standing_at(self.place, path)[0]
        if self.now[path] == known.hash or (known.mode and stat.S_ISDIR(known.mode)):
            return
        self.now[path] = known.hash
        if self.touched.get(path) != self.step and (known.hash is None or has(self.blob, known.hash)):
            self.found.outside.setdefault(self.step, {})[path] = Standing(known.hash, known.mode)
            return
        number = bisect_left(self.record.numbers, self.step) + 1
        number = 0 if number > len(self.record.numbers) else number
        sentence = f"{path}: its contents from turn {number} are neither in the workspace nor stored"
        if sentence not in self.found.drifted:
            self.found.drifted.append(sentence)


def states_for(wanted: Mapping[str, Standing], blob: Blob, place: Path) -> list[FileState]:
    """Return what brings paths of a workspace to how they stood; those that stand so already are left out."""
    states = []
    for path, was in wanted.items():
        present, present_mode = standing_at(place, path)
        mode = was.mode or (0 if was.hash is None else present_mode or PLAIN)
        if present == was.hash and (present_mode == mode or (not was.mode and bool(present_mode) == bool(mode))):
            continue
        data = b"" if was.hash is None else blob(was.hash)
        states.append(FileState(path, mode, data, present, present_mode))
    return states


def tree_of(paths: Iterable[str], place: Path) -> dict[str, tuple[str | None, int]]:
    """Return how paths of a workspace stand."""
    return {path: standing_at(place, path) for path in paths}


def tree_hash(tree: Mapping[str, tuple[str | None, int] | Standing]) -> str:
    """Return the SHA-256 over paths, hashes and modes, in the order of the paths."""
    lines = (f"{mode:o} {known or '-'} {path}\n" for path, (known, mode) in sorted(tree.items()))
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def expected_tree(end: Mapping[str, Standing], came: Mapping[str, tuple[str | None, int]]) -> dict[str, Standing]:
    """Return how the paths should stand; a mode that the record doesn't know is that which came."""
    return {
        path: was if was.mode or was.hash is None else Standing(was.hash, came[path][1]) for path, was in end.items()
    }


def has(blob: Blob, ref: str) -> bool:
    """Whether bytes are kept."""
    try:
        blob(ref)
    except StoreError:
        return False
    return True


def blobs_of(store: ContextStore, session_ids: Sequence[str]) -> Blob:
    """Return what finds bytes in the first of some sessions that has them."""

    def blob(ref: str) -> bytes:
        error = StoreError("missing", f"no session has the bytes {ref}")
        for session_id in session_ids:
            try:
                return store.get_blob(session_id, ref)
            except StoreError as failure:
                error = failure
        raise error

    return blob


@frozen(eq=False, repr=False)
class CopiedRoot:
    """Where the copy is.

    Args:
        recorded_root: The workspace of the record.
        place: The copy.
        blob: The bytes that were kept.
    """

    recorded_root: str
    place: Path
    blob: Blob

    def here(self, value: Any) -> Any:
        """Return plain data with the copy's path where the record has the workspace's."""
        if isinstance(value, str):
            return value.replace(self.recorded_root, str(self.place)) if len(self.recorded_root) > 1 else value
        if isinstance(value, Mapping):
            return {key: self.here(item) for key, item in value.items()}
        return [self.here(item) for item in value] if isinstance(value, list) else value

    def bring(self, workspace: Workspace, wanted: Mapping[str, Standing]) -> str:
        """Bring paths to a state; return why they can't be, else nothing."""
        try:
            if wanted:
                _restore(workspace, states_for(wanted, self.blob, self.place))
        except (StoreError, ToolFailed) as error:
            return f"{', '.join(sorted(wanted)[:3])}: the recorded change can't be made in the copy: {error}"
        return ""


def _restore(workspace: Workspace, states: Sequence[FileState]) -> None:
    """Bring paths of a workspace to a state.

    Raises:
        ToolFailed: They can't be; then nothing has changed.
    """
    if not states:
        return
    restoring = capabilities.able(workspace, capabilities.Restorable)
    if restoring is None:
        raise ToolFailed("execution", "this kind of workspace can't put files back")
    restoring.restore_all(states)
