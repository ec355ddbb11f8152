"""Undo and redo: select the changes, plan the result, write all or nothing, and record it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from stat import S_ISDIR

from attrs import define, evolve, field

from inarch import (
    FileConflict,
    FileOutcome,
    PutBack,
    SessionAccess,
    Standing,
    StoreError,
    ToolFailed,
    UndoReport,
    UsageError,
    capabilities,
)
from inarch.host import changes_now, contents_of
from inarch_plugins.undo.checkpoints import Checkpoint, Checkpoints, is_cache, kept_checkpoints
from inarch_plugins.undo.line_blame import BlamedLine, blamed
from inarch_plugins.undo.path_merge import Unavailable
from inarch_plugins.undo.prompts import last_prompt
from inarch_plugins.undo.session_patch import ChangedFile
from inarch_plugins.undo.undo_plan import Action, Plan, Step, steps_of, word_for
from inarch_sdk.snapshots import scan

PROMPT_LENGTH = 60
MOST_CACHES = 10
_MAYBE_CUT_OFF = "an interrupted call may have changed it"


@define(eq=False, repr=False)
class Undoing:
    """Session extension for undo and redo."""

    _session: SessionAccess
    _checkpoints: Checkpoints = field(init=False, factory=Checkpoints)
    _plan: Plan = field(init=False)
    _ignored: set[str] = field(init=False, factory=set)

    def undo(self, target: str = "", dry_run: bool = False) -> UndoReport:
        """Revert changes, as in `Session.undo`."""
        return self.run("undo", target, dry_run)

    def redo(self, target: str = "", dry_run: bool = False) -> UndoReport:
        """Reapply changes, as in `Session.redo`."""
        return self.run("redo", target, dry_run)

    def rewind(self, target: str, dry_run: bool = False) -> UndoReport:
        """Revert the changes of a turn and of all later ones as one undo.

        Raises:
            UsageError, StoreError: As in `run`.
        """
        return self.run("undo", target, dry_run, onward=True)

    def changed(self, target: str = "") -> list[ChangedFile]:
        """Return the changes of the session, or of one turn or call, that are still in effect.

        Files that Git ignores and those with later changes in the same lines are left out. `undo` with `dry_run`
        reports them.

        Raises:
            UsageError: The target is invalid, a turn is running, or the workspace cannot restore.
            StoreError: The events cannot be read.
        """
        report = self.run("undo", target, dry_run=True, onward=not target)
        if not report.files:
            return []
        plan = self._plan
        sides = ((path, plan.then[path], plan.now[path]) for path in plan.changed if path not in self._ignored)
        files = (side for side in sides if not any(S_ISDIR(standing.mode) for standing in side[1:]))
        return [ChangedFile(path, self._bytes(then), self._bytes(now)) for path, then, now in files]

    def blame(self, path: str) -> list[BlamedLine]:
        """Return the lines of a file with their authors in any session of this directory.

        Raises:
            UsageError: The file does not exist.
            StoreError: The record cannot be read.
        """
        return blamed(self._session.store, self._session.workspace, path)

    def checkpoints(self) -> Checkpoints:
        """Return the checkpoints of the session.

        Raises:
            StoreError: The events cannot be read.
        """
        session = self._session
        known, _ = changes_now(session.store, session.session_id, session.workspace)
        return kept_checkpoints(session.store, session.session_id, known)

    def last(self) -> tuple[str, list[str]]:
        """Return the last prompt and the files that its turn changed. Undone changes are left out.

        Raises:
            StoreError: The events cannot be read.
        """
        store, session_id = self._session.store, self._session.session_id
        last, paths, is_undone = "", dict[str, None](), False
        for event in scan(store, session_id, contents_of(store, session_id).before_last):
            if event.kind == "turn.started" and event.data["turn"]["type"] == "agent":
                last, paths, is_undone = event.turn_id or "", {}, False
            elif event.kind == "file.changed" and event.turn_id == last:
                paths[str(event.data["path"])] = None
            elif event.kind == "changes.undone" and last in (event.data.get("turns") or ()):
                is_undone = event.data.get("action") == "undo"
        return last_prompt(store, session_id), [] if is_undone else [*paths]

    def run(self, action: Action, target: str = "", dry_run: bool = False, *, onward: bool = False) -> UndoReport:
        """Revert or reapply changes.

        Args:
            action: The direction.
            target: The beginning of a turn's or call's id, or a turn's number; empty for the last.
            dry_run: Whether to report only.
            onward: Whether to include everything after the target. With an empty target, everything.

        Raises:
            UsageError: The target is invalid, a turn is running, or the workspace cannot restore.
            StoreError: The events cannot be read, or the journal is required and cannot be written.
        """
        session = self._session
        if capabilities.able(session.workspace, capabilities.Restorable) is None:
            raise UsageError("this kind of workspace can't put files back")
        with session.alone(action):
            return self._run(action, target, dry_run, onward)

    def _run(self, action: Action, target: str, dry_run: bool, onward: bool) -> UndoReport:
        session = self._session
        known, _ = changes_now(session.store, session.session_id, session.workspace)
        self._checkpoints = kept_checkpoints(session.store, session.session_id, known)
        chosen = self._onward(target) if onward else self._chosen(action, target)
        calls = {call_id for _, call_ids in chosen for call_id in call_ids}
        named = tuple(_named(checkpoint, ids) for checkpoint, ids in chosen)
        report = UndoReport(action, named, notes=self._notes(chosen))
        if not calls:
            return report if target or action == "redo" else evolve(report, notes=(self._nothing(),))
        changes = [
            one.change.data for one in known.changes if one.change.call_id in calls and not is_cache(one.change.data)
        ]
        self._ignored = {one.change.data["path"] for one in known.changes if one.change.data.get("ignored")}
        plan = self._plan = Plan(self._look, self._fetch, action, known.before_undoing)
        lets_go = self._work_out(plan, steps_of(changes), chosen)
        report = evolve(report, files=_outcomes(plan), conflicts=plan.found_conflicts)
        if dry_run or plan.conflicts or (plan.unavailable and not plan.then and not lets_go):
            return report
        return self._carried_out(report, plan, chosen)

    def _work_out(self, plan: Plan, steps: Sequence[Step], chosen: Sequence[tuple[Checkpoint, Sequence[str]]]) -> bool:
        """Plan the steps. Interrupted calls with unknown changes to a file do not block other files.

        Returns:
            Whether files are left out for that reason. The turn then counts as undone, and the next undo is an earlier
                one.
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
        """Return the selected checkpoints with their calls, the latest first."""
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

    def _onward(self, target: str) -> list[tuple[Checkpoint, tuple[str, ...]]]:
        """Return the checkpoints from a turn on with changes in effect, the latest first."""
        began = self._turn(target).began if target else 0
        after = [one for one in reversed(self._checkpoints.turns) if one.began >= began]
        return [(one, calls) for one in after if (calls := self._checkpoints.standing(one))]

    def _turn(self, target: str) -> Checkpoint:
        """Return a turn by its number or id, even if it changed nothing."""
        turns = [one for one in self._checkpoints.turns if one.number]
        fitting = [one for one in turns if str(one.number) == target] or [
            one for one in turns if one.id.startswith(target)
        ]
        if len(fitting) != 1:
            raise UsageError(f"no turn {target!r} in this session", "turns are numbered from 1")
        return fitting[0]

    def _found(self, target: str) -> tuple[Checkpoint, list[str]]:
        turns = self._checkpoints.turns
        fitting = [(one, [*one.calls]) for one in turns if one.number and str(one.number) == target]
        if not fitting:
            fitting = [(one, [*one.calls]) for one in turns if one.id.startswith(target)]
            fitting += [
                (one, [call]) for one in turns for call in one.calls if call.startswith(target) and call != one.id
            ]
        if not fitting:
            raise UsageError(f"no turn or call {target!r} in this session", "inarch undo --list shows them")
        if len(fitting) > 1:
            raise UsageError(f"{len(fitting)} turns and calls begin with {target!r}", "give more of the id")
        if not fitting[0][1]:
            raise UsageError(f"turn {target} changed no files", "inarch undo --list shows those that did")
        return fitting[0]

    def _look(self, path: str) -> Standing:
        try:
            return self._session.standing(path)
        except ToolFailed as error:
            raise Unavailable(error.message) from error

    def _fetch(self, ref: str) -> bytes:
        try:
            return self._stored(ref)
        except StoreError as error:
            raise Unavailable(f"its contents are not stored: {error.message}") from error
        except ToolFailed as error:
            raise Unavailable(error.message) from error

    def _carried_out(
        self, report: UndoReport, plan: Plan, chosen: Sequence[tuple[Checkpoint, tuple[str, ...]]]
    ) -> UndoReport:
        calls = [call for _, ids in chosen for call in ids]
        turns = [checkpoint.id for checkpoint, _ in chosen if checkpoint.number]
        files = [self._put_back(plan, path) for path in plan.changed]
        try:
            stayed = self._session.put_back(report.action, calls, turns, files, [*plan.now])
        except ToolFailed as error:
            failed = error.message.replace("since it was last read; nothing was written", "while this was worked out")
            return evolve(report, conflicts=(FileConflict("", f"nothing was written: {failed}"),))
        left = tuple(FileOutcome(path, "left", "it contains other files") for path in stayed)
        return evolve(report, files=(*(one for one in report.files if one.path not in stayed), *left), done=True)

    def _put_back(self, plan: Plan, path: str) -> PutBack:
        ref = plan.then[path].hash or ""
        return PutBack(
            path, plan.now[path], plan.then[path], lambda: plan.made[ref] if ref in plan.made else self._stored(ref)
        )

    def _stored(self, ref: str) -> bytes:
        """Return bytes from the store, or from a file that has them now."""
        session = self._session
        try:
            return session.store.get_blob(session.session_id, ref)
        except StoreError:
            path = next((path for path, now in self._plan.now.items() if now.hash == ref), None)
            if path is None:
                raise
            return session.present(path, ref)

    def _bytes(self, standing: Standing) -> bytes | None:
        ref = standing.hash
        if ref is None:
            return None
        return self._plan.made[ref] if ref in self._plan.made else self._fetch(ref)

    def _nothing(self) -> str:
        """Return why there is nothing to undo."""
        if any(one.calls for one in self._checkpoints.turns):
            return "all changes of this session are already undone"
        if self._checkpoints.turns:
            return "no turn of this session changed files"
        return "undo cannot revert `inarch tools call`, which belongs to no session"

    def _notes(self, chosen: Sequence[tuple[Checkpoint, Sequence[str]]]) -> tuple[str, ...]:
        notes = []
        for checkpoint, calls in chosen:
            if any(checkpoint.names.get(call) in self._session.runners for call in calls):
                notes.append("changes by commands outside the workspace are not undone")
            notes += [
                f"{checkpoint.names.get(call)} {call} was interrupted: it may have changed more"
                for call in sorted(checkpoint.cut_off)
            ]
        first = min((checkpoint.began for checkpoint, _ in chosen), default=0)
        caches = sorted({path for one in self._checkpoints.turns if one.began >= first for path in one.caches})
        if caches:
            more = f" and {len(caches) - MOST_CACHES} more" if len(caches) > MOST_CACHES else ""
            notes.append(f"caches that commands changed are not undone: {', '.join(caches[:MOST_CACHES])}{more}")
        return tuple(dict.fromkeys(notes))


def _named(checkpoint: Checkpoint, calls: Sequence[str]) -> str:
    words = " ".join(checkpoint.prompt.split())
    prompt = words if len(words) <= PROMPT_LENGTH else f"{words[: PROMPT_LENGTH - 1]}…"
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
