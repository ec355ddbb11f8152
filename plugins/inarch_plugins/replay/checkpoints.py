"""The workspace at the start of a session, rebuilt from the file versions that it and later sessions stored.

If the present files differ from the record, or a file that the session read is gone, the workspace has drifted. The
report then names these files, and nothing is replayed.
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
from inarch_plugins.replay.recorded_turn import NOTHING
from inarch_plugins.replay.survey import Move, Record
from inarch_plugins.replay.workspace_copy import standing_at

PLAIN = stat.S_IFREG | 0o644
Blob = Callable[[str], bytes]
"""Returns the bytes of a hash, or raises `StoreError`."""


@define(eq=False, repr=False)
class Checkpoint:
    """Start of a replay.

    Args:
        start: The state at the start of each path that changed since.
        end: The state at the session's end of each path that it changed.
        outside: Changes by others during the session, by the step before which they happened.
        drifted: A sentence for each path that differs from the record.
    """

    start: dict[str, Standing] = field(factory=dict)
    end: dict[str, Standing] = field(factory=dict)
    outside: dict[int, dict[str, Standing]] = field(factory=dict)
    drifted: list[str] = field(factory=list)


def checkpoint_of(record: Record, later: Iterable[Move], blob: Blob, place: Path) -> Checkpoint:
    """Return the state that the workspace must have before a replay.

    Args:
        record: The session.
        later: Later changes: those of other sessions in the same root, and this session's after the replayed part.
        blob: Returns stored bytes.
        place: The present workspace.
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
    """Walk through the record that tracks the state of each path and detects changes by others."""

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
        """Apply the changes of other sessions before a step."""
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
    """Return the file states that restore these paths. Paths already in that state are omitted."""
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
    """Return the states of paths in a workspace."""
    return {path: standing_at(place, path) for path in paths}


def tree_hash(tree: Mapping[str, tuple[str | None, int] | Standing]) -> str:
    """Return the SHA-256 over paths, hashes and modes, sorted by path."""
    lines = (f"{mode:o} {known or '-'} {path}\n" for path, (known, mode) in sorted(tree.items()))
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def expected_tree(end: Mapping[str, Standing], came: Mapping[str, tuple[str | None, int]]) -> dict[str, Standing]:
    """Return the expected states of the paths. A mode missing in the record is taken from the replay."""
    return {
        path: was if was.mode or was.hash is None else Standing(was.hash, came[path][1]) for path, was in end.items()
    }


def has(blob: Blob, ref: str) -> bool:
    """Return whether the bytes are stored."""
    try:
        blob(ref)
    except StoreError:
        return False
    return True


def blobs_of(store: ContextStore, session_ids: Sequence[str]) -> Blob:
    """Return a function that reads bytes from the first of some sessions that has them."""

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
    """The copy of the workspace.

    Args:
        recorded_root: The workspace of the record.
        place: The copy.
        blob: Returns stored bytes.
    """

    recorded_root: str
    place: Path
    blob: Blob

    def here(self, value: Any) -> Any:
        """Replace the recorded workspace's path in plain data with the copy's."""
        if isinstance(value, str):
            return value.replace(self.recorded_root, str(self.place)) if len(self.recorded_root) > 1 else value
        if isinstance(value, Mapping):
            return {key: self.here(item) for key, item in value.items()}
        return [self.here(item) for item in value] if isinstance(value, list) else value

    def bring(self, workspace: Workspace, wanted: Mapping[str, Standing]) -> str:
        """Restore paths to a state. Return the error if that fails."""
        try:
            if wanted:
                _restore(workspace, states_for(wanted, self.blob, self.place))
        except (StoreError, ToolFailed) as error:
            return f"{', '.join(sorted(wanted)[:3])}: the recorded change can't be made in the copy: {error}"
        return ""


def _restore(workspace: Workspace, states: Sequence[FileState]) -> None:
    """Restore paths of a workspace to a state.

    Raises:
        ToolFailed: It failed, and nothing has changed.
    """
    if not states:
        return
    restoring = capabilities.able(workspace, capabilities.Restorable)
    if restoring is None:
        raise ToolFailed("execution", "this kind of workspace can't put files back")
    restoring.restore_all(states)
