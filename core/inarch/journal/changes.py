"""Changes of a session to files: their authors, undos, earlier states and present states."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from stat import S_ISDIR
from typing import Any, ClassVar, NamedTuple

from attrs import define, field

from inarch.contract.capabilities import able
from inarch.contract.events import Event, event_data
from inarch.contract.files import whole_mode
from inarch.contract.ids import utc_now
from inarch.contract.stores import ContextStore
from inarch.contract.undo_records import Standing as Standing
from inarch.contract.workspaces import Restorable, Workspace
from inarch.journal.interrupted_calls import OpenCalls, settle
from inarch_sdk.snapshots import Rows, folded


class Change(NamedTuple):
    """One `file.changed` event: the turn (empty for a user's own command or an undo), the call, and its data."""

    turn_id: str
    call_id: str
    data: Mapping[str, Any]


NOTHING = Standing()


class Began(NamedTuple):
    """Turn of the agent: the numbers of its first event and of its prompt's, which is 0 if it has none."""

    seq: int
    turn_id: str
    asked: int


class Changed(NamedTuple):
    """Change with the number and the time of its event, and the name of the called tool."""

    seq: int
    time: str
    change: Change
    tool: str


def _row_of(data: Any) -> Began | Changed:
    seq, said, *more = data
    return Changed(seq, said, Change(*more[0]), more[1]) if len(more) == 2 else Began(seq, said, *more)


@define(eq=False, repr=False)
class Changes:
    """Changes of a session to files, as undo and blame need them: no prompts, and only calls with changes.

    `open` are the calls without a result. `rows` are the agent's turns and the changes, in order. `undoing` has the
    announced changes of each unfinished undo or redo, by its calls.
    """

    NAME: ClassVar[str] = "changes"
    VERSION: ClassVar[int] = 4
    rows: Rows[Began | Changed] = field(factory=lambda: Rows(_row_of))
    undos: dict[str, tuple[str, ...]] = field(factory=dict)
    undone: list[tuple[str, ...]] = field(factory=list)
    undoing: dict[tuple[str, ...], list[Mapping[str, Any]]] = field(factory=dict)
    root: str = ""
    seq: int = 0
    open: OpenCalls = field(factory=OpenCalls)
    _recent: dict[str, str] = field(factory=dict)
    _running: dict[str, tuple[str, int]] = field(factory=dict)
    _asked: tuple[str, int] = ("", 0)

    def take(self, event: Event) -> None:
        """Process an event."""
        self.seq = max(self.seq, event.seq)
        self.open.take(event)
        handler = _HANDLERS.get(event.kind)
        if handler is not None:
            try:
                handler(self, event)
            except (KeyError, TypeError, ValueError, AttributeError):
                return  # written by another version: the events around it still count

    def opened(self, event: Event) -> None:
        """Note the session's directory."""
        self.root = self.root or str(event.data.get("root", ""))

    def started(self, event: Event) -> None:
        """Note a turn; the calls before it have reported their changes."""
        turn = event.data["turn"]
        if turn["type"] == "user":
            self._asked = turn["id"], event.seq
            return
        self._recent = {one: name for one, name in self._recent.items() if one in self._running}
        parent, asked = self._asked
        self.rows.add(Began(event.seq, turn["id"], asked if turn.get("parent_id") == parent else 0))

    def called(self, event: Event) -> None:
        """Note a call's name, and that it runs."""
        call_id = event.data["call_id"]
        self._recent[call_id] = event.data["name"]
        if event.data["status"] == "executing" and not event.data.get("announces"):
            self._running[call_id] = event.turn_id or "", event.seq

    def ended(self, event: Event) -> None:
        """Note that a call has reported all its changes, unless its outcome is unknown."""
        error = event.data["result"].get("error") or {}
        if error.get("code") != "unknown_outcome":
            self._running.pop(event.data["call_id"], None)

    def changed(self, event: Event) -> None:
        """Note a change."""
        if isinstance(event.data["path"], str):
            call_id = str(event.data.get("call_id", ""))
            change = Change(event.turn_id or "", call_id, event.data)
            self.rows.add(Changed(event.seq, event.time, change, self._recent.get(call_id, "")))

    def takes_back(self, event: Event) -> None:
        """Note the announced changes of an undo or redo; an earlier announcement for the same calls is replaced."""
        calls = tuple(event.data["calls"])
        self.undoing = {one: changes for one, changes in self.undoing.items() if not {*one} & {*calls}}
        if changes := event.data.get("changes"):
            self.undoing[calls] = list(changes)

    def took_back(self, event: Event) -> None:
        """Note the calls of an undo or redo."""
        self.takes_back(event)
        calls = self.undos[event.data["id"]] = tuple(event.data["calls"])
        if event.data["action"] == "undo":
            self.undone.append(calls)
        else:
            left = (tuple(call_id for call_id in one if call_id not in calls) for one in self.undone)
            self.undone = [one for one in left if one]

    def unfinished(self, calls: Collection[str]) -> list[Mapping[str, Any]]:
        """Return the announced changes of interrupted undos of any of these calls."""
        return [one for about, changes in self.undoing.items() if {*about} & {*calls} for one in changes]

    def before_undoing(self, path: str, present: Standing) -> Standing:
        """Return a path's state before an interrupted undo, if its present state may be the undo's result."""
        found = [one for changes in self.undoing.values() for one in changes if one["path"] == path]
        if not found:
            return present
        sides = ((found[-1][side], int(found[-1][f"{side}_mode"])) for side in ("before", "after"))
        before, after = (Standing(*side) for side in sides)
        is_new_folder = S_ISDIR(present.mode) and S_ISDIR(after.mode) and not S_ISDIR(before.mode)
        return before if present in (after, NOTHING) or is_new_folder else present

    @property
    def changes(self) -> list[Changed]:
        """The changes, in order."""
        return [row for row in self.rows if isinstance(row, Changed)]

    @property
    def turns(self) -> list[Began]:
        """The agent's turns, in order."""
        return [row for row in self.rows if isinstance(row, Began)]

    @property
    def cut_off(self) -> Iterator[tuple[str, str, str]]:
        """Calls that may have changed more than they could report: turn, call, and name of the tool."""
        return ((turn_id, call_id, self._recent.get(call_id, "")) for call_id, (turn_id, _) in self._running.items())

    def to_data(self) -> Any:
        """Return all of it as plain JSON data."""
        return [
            self.rows.to_data(), self.undos, self.undone, [*self.undoing.items()], self.root, self.seq,
            self._recent, self._running, self._asked, self.open.to_data(),
        ]  # fmt: skip

    def go_on_from(self, data: Any) -> None:
        """Restore it from the data of `to_data`."""
        rows, undos, undone, undoing, self.root, self.seq, self._recent, running, asked, calls = data
        self.rows.go_on_from(rows)
        self.undos = {one: tuple(calls) for one, calls in undos.items()}
        self.undone = [tuple(calls) for calls in undone]
        self.undoing = {tuple(calls): changes for calls, changes in undoing}
        self._running = {call_id: (turn_id, seq) for call_id, (turn_id, seq) in running.items()}
        self._asked = asked[0], asked[1]
        self.open.go_on_from(calls)


_HANDLERS = {
    "session.started": Changes.opened,
    "turn.started": Changes.started,
    "call.state": Changes.called,
    "call.result": Changes.ended,
    "file.changed": Changes.changed,
    "changes.undoing": Changes.takes_back,
    "changes.undone": Changes.took_back,
}


def kept_changes(store: ContextStore, session_id: str, looks_back: bool = True) -> Changes:
    """Return the changes of a stored session to files; all of them, unless the caller needs no past ones.

    Raises:
        StoreError: Its events cannot be read.
    """
    return folded(store, session_id, lambda: Changes(Rows(_row_of, looks_back)))


def standing_at(workspace: Workspace, path: str) -> Standing:
    """Return the present state of a path; the hash of a link is that of its target.

    Raises:
        ToolFailed: The state cannot be read.
    """
    entry = workspace.stat(path)
    mode = whole_mode(entry)
    if entry is None:
        return NOTHING
    if entry.kind == "link" and (restoring := able(workspace, Restorable)) is not None:
        from hashlib import sha256

        return Standing(sha256(restoring.link_target(path)).hexdigest(), mode)
    # Mode 0 without a hash means that nothing is there.
    return Standing(workspace.digest(path), mode) if entry.kind == "file" else Standing(None, mode or 1)


def changes_now(store: ContextStore, session_id: str, workspace: Workspace) -> tuple[Changes, list[Event]]:
    """Return the changes of a stored session, including those that interrupted calls made but did not record.

    The unrecorded changes are the events in the second place, without numbers.

    Raises:
        StoreError: Its events cannot be read.
    """
    changes = kept_changes(store, session_id)
    found: list[Event] = []
    for call in changes.open.calls.values():
        made = settle(call, lambda path: standing_at(workspace, path)).changes
        found += [Event(0, utc_now(), session_id, call.turn_id or None, one.kind, event_data(one)) for one in made]
    for event in found:
        changes.take(event)
    return changes, found
