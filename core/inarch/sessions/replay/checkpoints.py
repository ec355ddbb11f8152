"""The workspace as it was when a session began, from the images of files that it and later sessions kept.

Where what stands there now is not what these sessions left, or what the session read is nowhere, the workspace has
drifted: that is said by name, and nothing is replayed.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from attrs import define, field

from inarch.contract.errors import StoreError, ToolFailed
from inarch.contract.events import Event
from inarch.contract.files import FileState
from inarch.contract.ports import ContextStore, Workspace
from inarch.contract.workspaces import Restorable
from inarch.sessions.replay.copying import standing_at
from inarch.sessions.replay.recorded import Record, RecordedTurn
from inarch.sessions.undo.checkpoints import Standing, changes_of, files_at_start, transitions_of

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


def checkpoint_of(record: Record, later: Iterable[Sequence[Event]], blob: Blob, place: Path) -> Checkpoint:
    """Return what the workspace has to be brought to before a replay.

    Args:
        record: The session.
        later: Other sessions about the same root; what they changed since this one began counts.
        blob: The bytes that are kept.
        place: The workspace as it is now.
    """
    own = [event for event in record.events if event.kind == "file.changed"]
    mine = {(event.time, event.data["call_id"], event.data["path"]) for event in own}  # a fork shares some of them
    others = [
        event
        for events in later
        for event in events
        if event.kind == "file.changed" and event.time > record.began
        and (event.time, event.data["call_id"], event.data["path"]) not in mine
    ]  # fmt: skip
    merged = sorted([*own, *others], key=lambda event: event.time)
    found = Checkpoint({path: Standing(*was) for path, was in files_at_start(merged).items()})
    for path, left in _left(merged).items():
        present = standing_at(place, path)
        if present[0] != left.hash or bool(present[1]) != bool(left.mode or left.hash):
            found.drifted.append(f"{path}: {_how(present[0], left.hash)} since a session left it")
    for path, was in found.start.items():
        if was.hash is not None and not has(blob, was.hash):
            found.drifted.append(f"{path}: its bytes from before the session were not kept")
    others.sort(key=lambda event: event.time)
    _Walk(record, found, blob, place, others).run()
    found.drifted.sort()
    return found


def _how(present: str | None, left: str | None) -> str:
    if present is None:
        return "it has gone"
    return "it has come back" if left is None else "it has changed"


def _left(events: Iterable[Event]) -> dict[str, Standing]:
    transitions = (one for change in changes_of(events) for one in transitions_of(change.data))
    return {path: after for path, _, after in transitions}


@define(eq=False, repr=False)
class _Walk:
    """Goes through the record and notes how each path stands, and where somebody else must have had a hand in it."""

    record: Record
    found: Checkpoint
    blob: Blob
    place: Path
    others: list[Event]
    now: dict[str, str | None] = field(factory=dict)
    touched: dict[str, int] = field(factory=dict)
    step: int = 0

    def run(self) -> None:
        self.now = {path: was.hash for path, was in self.found.start.items()}
        begun = -1
        for event in self.record.events:
            self.step = self.record.step_of[event.seq]
            if self.step > begun:
                begun = self.step
                self._meanwhile(event.time)
            if event.kind == "file.changed":
                self._changed(event)
            elif event.kind == "call.result":
                self._read(event.data.get("result") or {})

    def _meanwhile(self, time: str) -> None:
        """Note what other sessions changed before a step."""
        while self.others and self.others[0].time < time:
            for path, _, after in transitions_of(self.others.pop(0).data):
                if self.now.get(path) != after.hash and (after.hash is None or has(self.blob, after.hash)):
                    self.now[path] = after.hash
                    self.found.outside.setdefault(self.step, {})[path] = after
                    if path in self.found.end:
                        self.found.end[path] = after

    def _changed(self, event: Event) -> None:
        for path, before, after in transitions_of(event.data):
            self._expect(path, before)
            self.now[path] = after.hash
            self.touched[path] = self.step
            self.found.end[path] = after

    def _read(self, result: Mapping[str, object]) -> None:
        metadata = result.get("metadata")
        files = metadata.get("files") if isinstance(metadata, Mapping) else None
        for path, known in (files or {}).items():
            if known is not None:
                self._expect(path, Standing(known, 0))

    def _expect(self, path: str, known: Standing) -> None:
        if path not in self.now:
            self.now[path] = standing_at(self.place, path)[0]
        if self.now[path] == known.hash or (known.mode and stat.S_ISDIR(known.mode)):
            return
        self.now[path] = known.hash
        if self.touched.get(path) != self.step and (known.hash is None or has(self.blob, known.hash)):
            self.found.outside.setdefault(self.step, {})[path] = Standing(known.hash, known.mode)
            return
        number = next((step.number for step in self.record.steps[self.step :] if isinstance(step, RecordedTurn)), 0)
        sentence = f"{path}: what the session knew in turn {number} is neither there nor kept"
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


def restore(workspace: Workspace, states: Sequence[FileState]) -> None:
    """Bring paths of a workspace to a state.

    Raises:
        ToolFailed: They can't be; then nothing has changed.
    """
    if not states:
        return
    if not isinstance(workspace, Restorable):
        raise ToolFailed("execution", "this kind of workspace can't put files back")
    workspace.restore_all(states)
