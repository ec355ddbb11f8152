"""Undo and redo: choose what is meant, work out what it comes to, write all of it or nothing, and record it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from attrs import define, evolve, field

from inarch.calls.keeping import FILE_LIMIT
from inarch.contract.codec import from_data
from inarch.contract.errors import StoreError, ToolFailed, UsageError
from inarch.contract.events import ChangesUndone, Event, FileChanged
from inarch.contract.files import FileState
from inarch.contract.ports import Workspace
from inarch.contract.workspaces import Restorable
from inarch.journal import Journal
from inarch.journal.history import one_line
from inarch.sessions.undo.checkpoints import Checkpoint, Checkpoints, Standing, kept_changes, kept_checkpoints
from inarch.sessions.undo.looking import add_unrecorded, standing_at
from inarch.sessions.undo.planning import Action, Plan, Step, steps_of, word_for
from inarch.sessions.undo.report import FileConflict, FileOutcome, UndoReport
from inarch.sessions.undo.standings import Unavailable

PROMPT_LENGTH = 60
_ATTEMPTS = 5
_MAYBE_CUT_OFF = "a call that was cut off may have changed it"


@define(eq=False, repr=False)
class Undoing:
    """Undo and redo in one session.

    Args:
        workspace: Where the files are.
        journal: Where it is recorded; its store has the bytes.
        renew: Makes the journal anew where another process has recorded something in the session meanwhile.
        commands: The tools that run commands, of whose doings not all is recorded.
        recorded: The events of what was done.
    """

    workspace: Workspace
    journal: Journal
    renew: Callable[[], Journal] | None = None
    commands: Collection[str] = ()
    recorded: list[Event] = field(init=False, factory=list)
    _unrecorded: Sequence[Event] = field(init=False, factory=tuple)
    _checkpoints: Checkpoints = field(init=False, factory=Checkpoints)
    _plan: Plan = field(init=False)
    _sure: set[str] = field(init=False, factory=set)

    def run(self, action: Action, target: str = "", dry_run: bool = False) -> UndoReport:
        """Take changes back, or put them on again.

        Args:
            action: Which of both.
            target: The beginning of a turn's or call's id, or a turn's number; empty: the last there is.
            dry_run: Whether to say only what would happen.

        Raises:
            UsageError: The target is none, or the workspace can't restore.
            StoreError: The events can't be read, or nothing can be kept and the journal is required.
        """
        if not isinstance(self.workspace, Restorable):
            raise UsageError("this kind of workspace can't put files back")
        store, session_id = self.journal.store, self.journal.session_id
        known = kept_changes(store, session_id)
        self._unrecorded = add_unrecorded(known, session_id, self.workspace)
        self._checkpoints = kept_checkpoints(store, session_id, known)
        chosen = self._chosen(action, target)
        calls = {call_id for _, call_ids in chosen for call_id in call_ids}
        named = tuple(_named(checkpoint, ids) for checkpoint, ids in chosen)
        report = UndoReport(action, named, notes=self._notes(chosen))
        if not calls:
            return report
        changes = [one.change.data for one in known.changes if one.change.call_id in calls]
        self._sure = {str(data.get(side)) for data in changes if data.get("kept") for side in ("before", "after")}
        plan = self._plan = Plan(self._look, self._fetch, action)
        lets_go = self._work_out(plan, steps_of(changes), chosen)
        report = evolve(report, files=_outcomes(plan), conflicts=plan.found_conflicts)
        if dry_run or plan.conflicts or (plan.unavailable and not plan.then and not lets_go):
            return report
        return self._carried_out(report, plan, chosen)

    def _work_out(self, plan: Plan, steps: Sequence[Step], chosen: Sequence[tuple[Checkpoint, Sequence[str]]]) -> bool:
        """Work out what the steps come to; what a call that was cut off may have done to a file holds up no other.

        Returns:
            Whether files are left for that reason: then the turn counts as undone, and an earlier one is next.
        """
        plan.add(steps)
        is_left = False
        first = min(checkpoint.began for checkpoint, _ in chosen)
        if any(one.cut_off for one in self._checkpoints.turns if one.began >= first):
            while plan.conflicts:
                why = {path: f"{_MAYBE_CUT_OFF}: {text.splitlines()[0]}" for path, text in plan.conflicts.items()}
                plan.unavailable |= why
                plan.add(steps)
                is_left = True
        return is_left

    def _chosen(self, action: Action, target: str) -> list[tuple[Checkpoint, tuple[str, ...]]]:
        """Return the checkpoints that are meant with the calls of each, the latest first."""
        if target:
            checkpoint, calls = self._found(target)
            undone = self._checkpoints.undone_calls
            return [(checkpoint, tuple(one for one in calls if (one in undone) == (action == "redo")))]
        if action == "undo":
            for checkpoint in reversed(self._checkpoints.turns):
                if standing := self._checkpoints.standing(checkpoint):
                    return [(checkpoint, standing)]
            return []
        last = set(self._checkpoints.undone[-1]) if self._checkpoints.undone else set()
        found = ((one, tuple(call for call in one.calls if call in last)) for one in self._checkpoints.turns)
        return [(checkpoint, calls) for checkpoint, calls in found if calls]

    def _found(self, target: str) -> tuple[Checkpoint, list[str]]:
        turns = self._checkpoints.turns
        fitting = [(one, [*one.calls]) for one in turns if one.number and str(one.number) == target]
        if not fitting:
            fitting = [(one, [*one.calls]) for one in turns if one.id.startswith(target)]
            fitting += [
                (one, [call]) for one in turns for call in one.calls if call.startswith(target) and call != one.id
            ]
        if not fitting:
            raise UsageError(f"no turn or call {target!r} in this session", "inarch undo --list shows what there is")
        if len(fitting) > 1:
            raise UsageError(f"{len(fitting)} turns and calls begin with {target!r}", "write more of the id")
        if not fitting[0][1]:
            raise UsageError(f"turn {target} changed no files", "inarch undo --list shows those that did")
        return fitting[0]

    def _look(self, path: str) -> Standing:
        try:
            return standing_at(self.workspace, path)
        except ToolFailed as error:
            raise Unavailable(error.message) from error

    def _fetch(self, ref: str) -> bytes:
        try:
            return self._stored(ref)
        except StoreError as error:
            raise Unavailable(f"its bytes are not kept: {error.message}") from error
        except ToolFailed as error:
            raise Unavailable(error.message) from error

    def _carried_out(
        self, report: UndoReport, plan: Plan, chosen: Sequence[tuple[Checkpoint, tuple[str, ...]]]
    ) -> UndoReport:
        kept = {path: self._kept(plan, path) for path in plan.changed}
        states = [self._state(plan, path) for path in plan.changed]
        assert isinstance(self.workspace, Restorable)
        try:
            stayed = self.workspace.restore_all(states, list(plan.now))
        except ToolFailed as error:
            failed = error.message.replace("since it was last read; nothing was written", "while this was worked out")
            return evolve(report, conflicts=(FileConflict("", f"nothing was written: {failed}"),))
        undone = ChangesUndone(
            self.journal.clock.new_id(), report.action, tuple(call for _, calls in chosen for call in calls),
            tuple(checkpoint.id for checkpoint, _ in chosen if checkpoint.number),
        )  # fmt: skip
        changes = [
            FileChanged(undone.id, path, now.hash, then.hash, None, now.mode, then.mode, kept[path])
            for path, now, then in ((path, plan.now[path], plan.then[path]) for path in plan.changed)
            if path not in stayed
        ]
        before = [(from_data(FileChanged, event.data), event.turn_id) for event in self._unrecorded]
        self._record([*before, (undone, None), *((change, None) for change in changes)])
        left = tuple(FileOutcome(path, "left", "there are other files in it") for path in stayed)
        return evolve(report, files=(*(one for one in report.files if one.path not in stayed), *left), done=True)

    def _kept(self, plan: Plan, path: str) -> bool:
        """Keep what stands at a path and what will, before anything is written: a redo and `blame` need both."""
        now, then = plan.now[path], plan.then[path]
        try:
            for ref in (now.hash, then.hash):
                if ref is not None and not self._has(ref):
                    self.journal.store.put_blob(self.journal.session_id, plan.made.get(ref) or self._stored(ref))
        except StoreError:
            if self.journal.required:
                raise
            return False
        except ToolFailed:
            return False
        return True

    def _has(self, ref: str) -> bool:
        if ref in self._sure:
            return True
        try:
            self.journal.store.get_blob(self.journal.session_id, ref)
        except StoreError:
            return False
        return True

    def _stored(self, ref: str) -> bytes:
        """Return bytes that the store has, or that stand somewhere now."""
        try:
            return self.journal.store.get_blob(self.journal.session_id, ref)
        except StoreError:
            path = next((path for path, now in self._plan.now.items() if now.hash == ref), None)
            if path is None:
                raise
            return self._present(path, ref)

    def _present(self, path: str, ref: str) -> bytes:
        entry = self.workspace.stat(path)
        if entry is not None and entry.kind == "link" and isinstance(self.workspace, Restorable):
            return self.workspace.link_target(path)
        found = self.workspace.read(path, 0, FILE_LIMIT)
        if found.hash != ref:
            what = "is too big to be kept" if not found.hash else "has changed while this was worked out"
            raise ToolFailed("conflict", f"{path} {what}")
        return found.data

    def _state(self, plan: Plan, path: str) -> FileState:
        now, then = plan.now[path], plan.then[path]
        data: bytes | Callable[[], bytes] = b""
        if then.hash is not None:
            ref = then.hash
            data = plan.made[ref] if ref in plan.made else lambda: self._stored(ref)
        return FileState(path, then.mode, data, now.hash, now.mode)

    def _record(self, payloads: Sequence[tuple[ChangesUndone | FileChanged, str | None]]) -> None:
        """Record what was done; where another process has recorded something meanwhile, after that."""
        for attempt in range(_ATTEMPTS):
            self.recorded = self.journal.record_all(payloads)
            try:
                self.journal.flush()
            except StoreError as error:
                if self.renew is None or error.kind != "busy" or attempt == _ATTEMPTS - 1:
                    message = f"the files were put back, but that could not be recorded: {error.message}"
                    raise StoreError(error.kind, message, error.remedy) from error
                self.journal = self.renew()
            else:
                return

    def _notes(self, chosen: Sequence[tuple[Checkpoint, Sequence[str]]]) -> tuple[str, ...]:
        notes = []
        for checkpoint, calls in chosen:
            if any(checkpoint.names.get(call) in self.commands for call in calls):
                notes.append("what commands did to files that Git ignores, or outside the workspace, stays as it is")
            notes += [
                f"{checkpoint.names.get(call)} {call} was cut off: whether it changed more is not known"
                for call in sorted(checkpoint.cut_off)
            ]
        return tuple(dict.fromkeys(notes))


def _named(checkpoint: Checkpoint, calls: Sequence[str]) -> str:
    prompt = one_line(checkpoint.prompt, PROMPT_LENGTH)
    what = f"turn {checkpoint.number} {prompt!r}" if checkpoint.number else "your own command"
    if len(calls) == len(checkpoint.calls):
        return what
    names = ", ".join(f"{checkpoint.names.get(call) or 'call'} {call}" for call in calls)
    return f"{names} of {what}" if names else what


def _outcomes(plan: Plan) -> tuple[FileOutcome, ...]:
    changed = {
        path: FileOutcome(path, word_for(now, then, then.hash in plan.made), plan.notes.get(path, ""))
        for path, now, then in ((path, plan.now[path], plan.then[path]) for path in plan.changed)
    }
    notes: Mapping[str, str] = {**plan.notes, **plan.unavailable}
    left = {path: FileOutcome(path, "left", note) for path, note in notes.items() if path not in changed}
    return tuple(one for _, one in sorted({**changed, **left}.items()))
