"""Access of a session extension: the session's record and files, and the restoring of files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Literal

from attrs import define, evolve, field

from inarch.calls.before_images import FILE_LIMIT
from inarch.contract.call_events import ChangesUndoing, ChangesUndone, FileChanged
from inarch.contract.codec import from_data
from inarch.contract.errors import PluginError, StoreError, ToolFailed, UsageError
from inarch.contract.events import Event
from inarch.contract.files import FileState
from inarch.contract.guard import guarded
from inarch.contract.ids import new_id
from inarch.contract.session_extensions import SessionExtension
from inarch.contract.stores import ContextStore
from inarch.contract.undo_records import PutBack, Standing
from inarch.contract.workspaces import Restorable, Workspace
from inarch.journal.changes import changes_now, kept_changes, standing_at
from inarch.journal.journal import Journal

if TYPE_CHECKING:
    from inarch.plugins.registration import Bound, DeclaredEvents
    from inarch.sessions.parts import Parts

_ATTEMPTS = 5


@define(eq=False, repr=False)
class Access:
    """`SessionAccess` of one plugin.

    Args:
        workspace: The workspace of the files.
        journal: Records events; its store has the bytes.
        renew: Opens the journal anew if another process has recorded an event in the session meanwhile.
        runners: The tools that run command lines.
        alone: Keeps turns from running.
        recorded: Receives the events of finished work.
        checked: Makes an event of the plugin's record, if the plugin may record it.
    """

    workspace: Workspace
    journal: Journal
    renew: Callable[[], Journal] | None = None
    runners: Collection[str] = ()
    alone: Callable[[str], AbstractContextManager[None]] = field(default=lambda action: nullcontext())
    recorded: Callable[[Sequence[Event]], object] = field(default=lambda events: None)
    checked: Callable[[str, Mapping[str, Any]], Any] | None = None

    @property
    def session_id(self) -> str:
        """The session."""
        return self.journal.session_id

    @property
    def store(self) -> ContextStore:
        """The store of its events and of the bytes that they name."""
        return self.journal.store

    def record(self, name: str, data: Mapping[str, Any]) -> None:
        """Record an event of a kind that the plugin declares."""
        assert self.checked is not None
        self._keep([(self.checked(name, data), None)])

    def standing(self, path: str) -> Standing:
        """Return the present state of a path."""
        return standing_at(self.workspace, path)

    def present(self, path: str, ref: str) -> bytes:
        """Return the present bytes of a path."""
        entry = self.workspace.stat(path)
        if entry is not None and entry.kind == "link" and isinstance(self.workspace, Restorable):
            return self.workspace.link_target(path)
        found = self.workspace.read(path, 0, FILE_LIMIT)
        if found.hash != ref:
            what = "is too big to be stored" if not found.hash else "has changed while this was worked out"
            raise ToolFailed("conflict", f"{path} {what}")
        return found.data

    def put_back(
        self,
        action: Literal["undo", "redo"],
        calls: Sequence[str],
        turns: Sequence[str],
        files: Sequence[PutBack],
        also: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Change files, all of them or none, and record it."""
        if not isinstance(self.workspace, Restorable):
            raise UsageError("this kind of workspace can't put files back")
        known, unrecorded = changes_now(self.store, self.session_id, self.workspace)
        kept = {one.path: self._has_both(one) for one in files}
        states = [
            FileState(one.path, one.then.mode, one.data if one.then.hash else b"", one.now.hash, one.now.mode)
            for one in files
        ]
        undone = ChangesUndone(new_id(), action, tuple(calls), tuple(turns))
        changes = _with_what_was_cut_off(
            undone.id,
            [from_data(FileChanged, data) for data in known.unfinished(undone.calls)],
            [
                FileChanged(undone.id, path, now.hash, then.hash, None, now.mode, then.mode, kept[path])
                for path, now, then in ((one.path, one.now, one.then) for one in files)
            ],
        )
        before = [(from_data(FileChanged, event.data), event.turn_id) for event in unrecorded]
        undoing = ChangesUndoing(undone.id, action, undone.calls, changes)
        # Announced first: after a kill, the next undo begins where this one began.
        with _reported_as("nothing was written, for that could not be recorded"):
            self._keep([*before, (undoing, None)])
        try:
            stayed = tuple(self.workspace.restore_all(states, [*dict.fromkeys([*(one.path for one in files), *also])]))
        except ToolFailed:
            # No file was changed, so an empty announcement replaces the one above.
            with suppress(StoreError):
                self._keep([(evolve(undoing, changes=()), None)])
            raise
        with _reported_as("the files were put back, but that could not be recorded"):
            self._keep([(undone, None), *((change, None) for change in changes if change.path not in stayed)])
        return stayed

    def _has_both(self, one: PutBack) -> bool:
        """Store a path's present and future bytes before anything is written: redo and `blame` need both."""
        try:
            for ref in (one.now.hash, one.then.hash):
                if ref is not None:
                    data = one.data() if ref == one.then.hash else self.present(one.path, ref)
                    self.store.put_blob(self.session_id, data)
        except StoreError:
            if self.journal.required:
                raise
            return False
        except ToolFailed:
            return False
        return True

    def _keep(self, payloads: Sequence[tuple[Any, str | None]]) -> None:
        """Record finished work, after another process's events if there are any."""
        for attempt in range(_ATTEMPTS):
            events = self.journal.record_all(payloads)
            try:
                self.journal.flush()
            except StoreError as error:
                if self.renew is None or error.kind != "busy" or attempt == _ATTEMPTS - 1:
                    raise
                self.journal = self.renew()
            else:
                break
        self.recorded(events)


@contextmanager
def _reported_as(what: str) -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise StoreError(error.kind, f"{what}: {error.message}", error.remedy) from error


def _with_what_was_cut_off(
    undo_id: str, earlier: Sequence[FileChanged], changes: Sequence[FileChanged]
) -> tuple[FileChanged, ...]:
    """Return the changes as if an interrupted undo had not begun."""
    whole = {one.path: one for one in earlier}
    for one in changes:
        known = whole.get(one.path, one)
        whole[one.path] = evolve(one, before=known.before, before_mode=known.before_mode, kept=one.kept and known.kept)
    return tuple(evolve(one, call_id=undo_id) for one in whole.values())


def opened(extensions: Mapping[str, Bound[SessionExtension]], name: str, events: DeclaredEvents, access: Access) -> Any:
    """Return an extension of a session."""
    found = extensions.get(name)
    if found is None:
        from inarch.contract.guard import left_out
        from inarch.plugins.discovery import discover

        if name in discover().builtins:
            raise left_out(f"the session extension {name!r}", name)
        raise UsageError(f"no plugin provides the session extension {name!r}", f"there are {', '.join(extensions)}")
    plugin = found.plugin
    with guarded(plugin, "extension", passes=(UsageError, StoreError)):
        return found.value.open(evolve(access, checked=lambda kind, data: events.checked(plugin, kind, data)))


def access_apart(parts: Parts, session_id: str) -> Access:
    """Return the access to a stored session of this directory, without a model, even if it is open elsewhere."""
    root = kept_changes(parts.store, session_id, looks_back=False).root
    if root and root != parts.config.root:
        raise UsageError(f"session {session_id} is about {root}", "do it there, or with that as --root")

    def journal() -> Journal:
        last = kept_changes(parts.store, session_id, looks_back=False).seq
        return Journal(parts.store, session_id, redactor=parts.redactor, seq=last)

    def tell_tracers(events: Sequence[Event]) -> None:
        # Tracers get events from an open session, and none is open here.
        for tracer in parts.composition.tracers if events else ():
            with suppress(PluginError), guarded(tracer.plugin, "tracer"):
                for event in events:
                    tracer.value.saw(event)

    return Access(parts.workspace, journal(), journal, parts.tools.runners, recorded=tell_tracers)
