"""Blame over all sessions of a directory: trace each line back through the recorded versions of its file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from attrs import define, field, frozen

from inarch import ContextStore, StoreError, ToolFailed, UsageError, Workspace
from inarch.host import kept_changes
from inarch_lib.output.line_matches import same_lines, split_lines
from inarch_plugins.undo.checkpoints import Checkpoint, kept_checkpoints

Fetch = Callable[[str, str], bytes | None]
"""Returns a session's bytes by hash, or None if they are gone."""


@frozen
class BlamedLine:
    """A line and its author: `agent`, `you`, or `unknown` if a version of the file is gone.

    The fields after `by` are set only for the agent. A user's own command has turn 0. `line` counts from 1.
    """

    line: int
    text: str
    by: Literal["agent", "you", "unknown"]
    session_id: str = ""
    turn: int = 0
    turn_id: str = ""
    call_id: str = ""
    tool: str = ""
    prompt: str = ""
    time: str = ""


def blamed(store: ContextStore, workspace: Workspace, path: str) -> list[BlamedLine]:
    """Return the lines of a file with their authors in any session of the directory.

    Raises:
        UsageError: The file does not exist.
        StoreError: The record cannot be read.
    """
    try:
        data = workspace.read(path).data
    except ToolFailed as error:
        raise UsageError(error.message, error.remedy or "name a file of this directory") from None

    def fetch(session_id: str, ref: str) -> bytes | None:
        try:
            return store.get_blob(session_id, ref)
        except StoreError:
            return None

    found = Blame(fetch)
    for info in store.sessions(workspace.root):
        found.add(store, info.id)
    return found.of(path, data)


class _Version(NamedTuple):
    """A recorded change in the merged history of all sessions, by a checkpoint or by an undo or redo."""

    time: str
    session_id: str
    seq: int
    turn_id: str
    data: Mapping[str, Any]
    checkpoint: Checkpoint | None
    undid: tuple[str, ...]
    is_redo: bool


class _Branch(NamedTuple):
    """Lines of the present file still to trace: their indexes in `lines`, in the text before version `at`."""

    at: int
    path: str
    lines: Sequence[bytes]
    places: Mapping[int, int]
    has_gap: bool


@define(eq=False, repr=False)
class Blame:
    """The recorded changes of all sessions of a directory, by time."""

    fetch: Fetch
    _versions: list[_Version] = field(init=False, factory=list)
    _found: dict[int, BlamedLine] = field(init=False, factory=dict)
    _branches: list[_Branch] = field(init=False, factory=list)
    _texts: list[str] = field(init=False, factory=list)

    def add(self, store: ContextStore, session_id: str) -> None:
        """Add the changes of a stored session.

        Raises:
            StoreError: Its events cannot be read.
        """
        known = kept_changes(store, session_id)
        checkpoints = kept_checkpoints(store, session_id, known).turns
        of_call = {call: checkpoint for checkpoint in checkpoints for call in checkpoint.calls}
        redos = _redos(known.undos)
        for seq, time, (turn_id, call_id, data), _ in known.changes:
            undid, checkpoint = known.undos.get(call_id, ()), of_call.get(call_id)
            version = _Version(time, session_id, seq, turn_id, data, checkpoint, undid, call_id in redos)
            self._versions.append(version)

    def of(self, path: str, data: bytes) -> list[BlamedLine]:
        """Return the lines of a file with their authors. `data` is the present file."""
        self._versions.sort(key=lambda version: (version.time, version.session_id, version.seq))
        once: dict[tuple[Any, ...], _Version] = {}
        for version in self._versions:  # a fork repeats the events of its origin
            once.setdefault((version.time, *map(version.data.get, ("call_id", "path", "after"))), version)
        self._versions = [*once.values()]
        lines = split_lines(data)
        self._texts = [line.decode("utf-8", "replace").rstrip("\r\n") for line in lines]
        self._found = {}
        places = dict(enumerate(range(len(lines))))
        self._branches = [_Branch(len(self._versions) - 1, path, lines, places, has_gap=False)]
        while self._branches:
            self._trace(self._branches.pop())
        return [self._found[place] for place in range(len(lines))]

    def _trace(self, branch: _Branch) -> None:
        """Go back to the last change of the branch's path and attribute its lines."""
        at = branch.at
        while at >= 0 and branch.path not in (self._versions[at].data["path"], self._versions[at].data.get("new_path")):
            at -= 1
        if at < 0 or not branch.places:
            return self._give(branch.places.values(), None, branch.has_gap)
        version = self._versions[at]
        if version.data.get("new_path") == branch.path:
            self._branches.append(branch._replace(at=at - 1, path=version.data["path"]))
            return None
        if version.data.get("new_path"):  # created again later, but not by an agent
            return self._give(branch.places.values(), None, branch.has_gap)
        after = self._bytes(version, "after")
        if after is None:
            self._branches.append(branch._replace(at=at - 1, has_gap=True))
            return None
        return self._before(self._through(branch, split_lines(after), at), version)

    def _before(self, branch: _Branch, version: _Version) -> None:
        """Continue with the lines older than a change. It wrote or restored the others."""
        if version.undid and (at := self._same_again(branch, version)) is not None:
            self._branches.append(branch._replace(at=at))
            return
        before = self._bytes(version, "before")
        if before is None:
            self._branches.append(branch._replace(at=branch.at - 1, has_gap=True))
            return
        lines = split_lines(before)
        kept = same_lines(lines, branch.lines)
        new = {at: place for at, place in branch.places.items() if at not in kept}
        older = {kept[at]: place for at, place in branch.places.items() if at in kept}
        self._branches.append(_Branch(branch.at - 1, branch.path, lines, older, branch.has_gap))
        if version.undid:
            self._brought_back(branch._replace(places=new), version)
        else:
            self._give(new.values(), version, branch.has_gap)

    def _same_again(self, branch: _Branch, version: _Version) -> int | None:
        """Return the index of the earlier version that an undo restored, if there is one."""
        for at in range(branch.at - 1, -1, -1):
            data = self._versions[at].data
            if data["path"] == branch.path and not data.get("new_path"):
                if data["after"] == version.data["after"]:
                    return at
                if data["before"] == version.data["after"]:
                    return at - 1
        return None

    def _brought_back(self, branch: _Branch, version: _Version) -> None:
        """Continue with restored lines: before the first undone call, or after the last redone one."""
        side, back = ("after", 0) if version.is_redo else ("before", 1)
        places = range(branch.at)
        for at in reversed(places) if version.is_redo else places:
            other = self._versions[at]
            path = (version.is_redo and other.data.get("new_path")) or other.data["path"]
            if other.data["call_id"] in version.undid and path == branch.path:
                text = self._bytes(other, side)
                if text is None:
                    self._branches.append(branch._replace(at=at - back, has_gap=True))
                else:
                    self._branches.append(self._through(branch, split_lines(text), at - back))
                return
        self._give(branch.places.values(), None, branch.has_gap)

    def _through(self, branch: _Branch, lines: Sequence[bytes], at: int) -> _Branch:
        """Return the branch in an older text. No agent wrote the lines missing there."""
        kept = same_lines(lines, branch.lines)
        self._give([place for at, place in branch.places.items() if at not in kept], None, branch.has_gap)
        older = {kept[at]: place for at, place in branch.places.items() if at in kept}
        return branch._replace(at=at, lines=lines, places=older)

    def _bytes(self, version: _Version, side: str) -> bytes | None:
        """Return the text on one side of a change, or None if it is gone."""
        ref = version.data[side]
        return self.fetch(version.session_id, ref) if ref else b""

    def _give(self, places: Iterable[int], version: _Version | None, has_gap: bool) -> None:
        for place in places:
            text = self._texts[place]
            if version is None or version.checkpoint is None:
                self._found[place] = BlamedLine(place + 1, text, "unknown" if has_gap else "you")
                continue
            checkpoint, call_id = version.checkpoint, version.data["call_id"]
            self._found[place] = BlamedLine(
                place + 1, text, "agent", version.session_id, checkpoint.number, version.turn_id, call_id,
                checkpoint.names.get(call_id, ""), checkpoint.prompt, version.time,
            )  # fmt: skip


def _redos(undos: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the redos that reapplied what an earlier undo reverted."""
    undone: set[str] = set()
    found: set[str] = set()
    for one, calls in undos.items():
        if undone.isdisjoint(calls):
            undone.update(calls)
        else:
            undone.difference_update(calls)
            found.add(one)
    return found
