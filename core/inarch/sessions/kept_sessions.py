"""Stored sessions of an application: found by name, read, forked and deleted.

Names are stored in `names.json` in the state folder; the name of a deleted session is free.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from attrs import define

from inarch.contract.capabilities import CopiesSessions, ForksSessions, HasFiles, HasLogs, able
from inarch.contract.errors import PluginError, UsageError
from inarch.contract.guard import guarded

if TYPE_CHECKING:
    from inarch.contract.event import Event
    from inarch.contract.ports import Tracer
    from inarch.contract.records import SessionInfo
    from inarch.contract.stores import ContextStore
    from inarch.journal.fold import History
    from inarch.plugins.registration import Bound
    from inarch.sessions.contents import Contents, KeptTranscript
    from inarch.sessions.parts import Parts

T = TypeVar("T")
NAMES_FILE = "names.json"
LONGEST = 60
"""Characters of a name."""


@define(eq=False, repr=False)
class KeptSessions:
    """Stored data of sessions: in the store, in the state folder, and in tracers' files."""

    parts: Parts

    def transcript(self, info: SessionInfo, *, hides: bool = True) -> KeptTranscript:
        """Return a session for reading; `hides` redacts secrets that became known since."""
        from inarch.sessions.contents import KeptTranscript

        return KeptTranscript(self.parts.store, info, self.parts.redactor if hides else None)

    def contents(self, session_id: str) -> Contents:
        """Return the event ranges of a session's prompts, and their usage."""
        from inarch.sessions.contents import contents_of

        return contents_of(self.parts.store, session_id)

    def histories(
        self, session_id: str, first_turn: int = 1, last_turn: int | None = None
    ) -> Iterator[tuple[Sequence[Event], History]]:
        """Yield the events of each prompt that has such turns of the agent, with their history."""
        from inarch.journal.fold import fold
        from inarch_sdk.snapshots import between

        for first, last in self.contents(session_id).parts(first_turn, last_turn):
            events = list(between(self.parts.store, session_id, first, last))
            yield events, fold(events)

    def fork(self, session_id: str, at: int | None = None, root: str = "") -> str:
        """Return the id of a new session that begins with the first `at` agent turns of another; None takes all.

        `root` is the fork's workspace if it is a copy of the source's; then the fork may have no turns at all.
        """
        from inarch.sessions.fork import fork_session

        fork_id = fork_session(self.parts.store, session_id, at, root=root, clock=self.parts.clock)
        self._tell_copied(fork_id)
        return fork_id

    def _tell_copied(self, session_id: str) -> None:
        """Pass a fork's copied events to the tracers that copy every session's events."""
        from inarch_sdk.snapshots import scan

        for tracer in self.parts.composition.tracers:
            copying, forking = able(tracer.value, CopiesSessions), able(tracer.value, ForksSessions)
            if copying is None:
                continue
            try:
                with guarded(tracer.plugin, "tracer", passes=()):
                    begun = next(scan(self.parts.store, session_id))
                    if forking is not None and begun.data.get("forked_events") and forking.forked(begun):
                        continue
                    for event in scan(self.parts.store, session_id):
                        copying.copied(event)
            except PluginError:
                continue  # it will fail again at the first recorded event, and is reported then

    def logs(self) -> Iterator[Path]:
        """Yield the log of each session from tracers that write one; readers also read logs that were set aside."""
        for tracer in self.parts.composition.tracers:
            yield from self._logs_by(tracer)

    def _logs_by(self, tracer: Bound[Tracer]) -> Sequence[Path]:
        return self._files_of(tracer, HasLogs, lambda keeping: keeping.logs())

    def _files_of(
        self, tracer: Bound[Tracer], capability: type[T], ask: Callable[[T], Iterable[str | os.PathLike[str]]]
    ) -> Sequence[Path]:
        keeping = able(tracer.value, capability)
        if keeping is None:
            return ()
        try:
            with guarded(tracer.plugin, "tracer", passes=()):
                found = [Path(file) for file in ask(keeping)]
            if tracer.plugin not in self.parts.composition.outcome.elsewhere:  # those are real paths
                found = [Path(os.path.realpath(file.parent), file.name) for file in found]
        except PluginError:
            return ()
        return found

    def delete(self, session_id: str, *, keeps_logs: bool = True) -> Sequence[Path]:
        """Delete a session and its name; return its logs, for a caller who must remove them."""
        if not keeps_logs:
            self._keep_for_forks(session_id)
        forget_name(self.parts.config.state_dir, session_id)
        self.parts.store.delete(session_id)
        tracers = self.parts.composition.tracers
        return [file for one in tracers for file in self._files_of(one, HasFiles, lambda it: it.files(session_id))]

    def _keep_for_forks(self, session_id: str) -> None:
        """Copy events that forks share with a log to the forks' own logs before that log is deleted."""
        from inarch_sdk.event_log import first_event, forked_with, read_sessions

        for tracer in self.parts.composition.tracers:
            copying = able(tracer.value, CopiesSessions)
            if copying is None:
                continue
            for log in self._logs_by(tracer):
                source, last = forked_with(first_event(log))
                if source != session_id or source == log.stem:
                    continue
                with guarded(tracer.plugin, "tracer", passes=()):
                    for event in read_sessions(log).sessions.get(log.stem, ()):
                        if 1 < event.seq <= last:
                            copying.copied(event)


def names_of(state_dir: Path) -> Mapping[str, str]:
    """Return the ids of sessions by their names, including those of deleted sessions."""
    from inarch.config.private_files import read_kept

    return read_kept(state_dir / NAMES_FILE, str)


def give_name(
    state_dir: Path, store: ContextStore, session_id: str, name: str, keep: Callable[[], object] = lambda: None
) -> None:
    """Name a session, replacing its earlier name.

    Args:
        state_dir: The folder of the names.
        store: The store of the session.
        session_id: The session.
        name: Its name from now on.
        keep: Puts a new session into the store once the name is known to be free.
    """
    from inarch.config.private_files import changing_kept
    from inarch.journal.redactor import hide_in_message
    from inarch_sdk.memory_store import MemoryStore

    if hide_in_message(name) != name:
        raise UsageError("the name holds a secret, and names are stored and shown unredacted", "take another")
    if not name.isprintable() or name != name.strip() or not 0 < len(name) <= LONGEST or name.startswith("-"):
        raise UsageError(
            f"{name!r} is not a valid session name", f"write 1 to {LONGEST} characters, without line breaks"
        )
    with changing_kept(state_dir / NAMES_FILE, str, "names of sessions") as names:
        others = {info.id for info in store.sessions()} - {session_id}
        if names.get(name) in others or any(other.startswith(name) for other in others):
            raise UsageError(f"{name!r} is a session's already", f"take another, or resume it: --session {name!r}")
        keep()
        # The name of a session that is not stored would lead nowhere.
        if isinstance(store, MemoryStore) or all(info.id != session_id for info in store.sessions()):
            raise UsageError(f"session {session_id} is not stored, so it can't have a name", "name one that has a turn")
        _forget(names, session_id)
        names[name] = session_id


def forget_name(state_dir: Path, session_id: str) -> None:
    """Free the name of a session, if it has one."""
    from inarch.config.private_files import changing_kept

    if session_id in names_of(state_dir).values():
        with changing_kept(state_dir / NAMES_FILE, str, "names of sessions") as names:
            _forget(names, session_id)


def _forget(names: dict[str, str], session_id: str) -> None:
    for name in [name for name, of in names.items() if of == session_id]:
        del names[name]


def find_session(store: ContextStore, beginning: str, names: Mapping[str, str] = MappingProxyType({})) -> SessionInfo:
    """Return the one session with this name or this beginning of its id; `names` maps names to ids."""
    named = names.get(beginning, beginning)
    fitting = [info for info in store.sessions() if info.id.startswith((named, beginning))]
    exact = [info for info in fitting if info.id == named]
    if len(exact or fitting) == 1:
        return (exact or fitting)[0]
    if not fitting:
        raise UsageError(f"there is no session {beginning!r}", "inarch sessions list --all shows those there are")
    raise UsageError(f"{len(fitting)} sessions begin with {beginning!r}", "write more of the id")


def latest_session(store: ContextStore, root: str) -> SessionInfo | None:
    """Return a directory's session with the latest event, None for none.

    For a child it returns the parent.
    """
    known = {info.id: info for info in store.sessions(root)}
    latest = max(known.values(), key=lambda info: (max(info.started, info.updated), info.id), default=None)
    while latest is not None and (parent := known.get(_parent(store, latest.id))) is not None:
        latest = parent
    return latest


def _parent(store: ContextStore, session_id: str) -> str:
    """Return the session whose call began this one; empty for none."""
    from inarch_sdk.snapshots import scan

    first = next(scan(store, session_id), None)
    branch = first.data.get("branch") if first is not None and first.kind == "session.started" else None
    return str(branch["parent"]) if isinstance(branch, dict) else ""
