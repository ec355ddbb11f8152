"""Stored sessions of an application: found by name, read, forked and deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define

from inarch.contract.capabilities import CopiesSessions, ForksSessions, able
from inarch.contract.errors import PluginError
from inarch.contract.guard import guarded

if TYPE_CHECKING:
    from inarch.contract.event import Event
    from inarch.contract.records import SessionInfo
    from inarch.journal.fold import History
    from inarch.sessions.contents import Contents, KeptTranscript
    from inarch.sessions.parts import Parts


@define(eq=False, repr=False)
class KeptSessions:
    """Stored data of sessions: in the store, in the state folder, and in tracers' files."""

    parts: Parts

    @property
    def names(self) -> Mapping[str, str]:
        """The ids of sessions by the names that the user gave them."""
        from inarch.sessions.session_names import names_of

        return names_of(self.parts.config.state_dir)

    def find(self, words: str) -> SessionInfo:
        """Return the session with this name or this beginning of its id.

        Raises:
            UsageError: None matches, or several do.
        """
        from inarch.sessions.session_names import find_session

        return find_session(self.parts.store, words, self.names)

    def transcript(self, info: SessionInfo, *, hides: bool = True) -> KeptTranscript:
        """Return a session for reading; `hides` redacts secrets that became known since."""
        from inarch.sessions.contents import KeptTranscript

        return KeptTranscript(self.parts.store, info, self.parts.redactor if hides else None)

    def contents(self, session_id: str) -> Contents:
        """Return the event ranges of a session's prompts, and their usage.

        Raises:
            StoreError: Its events cannot be read.
        """
        from inarch.sessions.contents import contents_of

        return contents_of(self.parts.store, session_id)

    def histories(
        self, session_id: str, first_turn: int = 1, last_turn: int | None = None
    ) -> Iterator[tuple[Sequence[Event], History]]:
        """Yield the events of each prompt that has such turns of the agent, with their history.

        Raises:
            StoreError: They cannot be read.
        """
        from inarch.journal.fold import fold
        from inarch_sdk.snapshots import between

        for first, last in self.contents(session_id).parts(first_turn, last_turn):
            events = list(between(self.parts.store, session_id, first, last))
            yield events, fold(events)

    def fork(self, session_id: str, at: int | None = None, root: str = "") -> str:
        """Return the id of a new session that begins with the first `at` agent turns of another; None takes all.

        `root` is the fork's workspace if it is a copy of the source's; then the fork may have no turns at all.

        Raises:
            UsageError: There is no such session, or it has no such turn.
            StoreError: The store cannot be opened or read, or is full.
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
        from inarch.sessions.repair import all_logs

        return all_logs(self.parts)

    def delete(self, session_id: str, *, keeps_logs: bool = True) -> Sequence[Path]:
        """Delete a session and its name; return its logs, for a caller who must remove them.

        Raises:
            OSError: A log cannot be read.
            PluginError: A tracer cannot write the events that a fork needs.
            StoreError: The store cannot delete it, or its name cannot be dropped.
        """
        from inarch.sessions.repair import logs_of
        from inarch.sessions.session_names import forget_name

        if not keeps_logs:
            self._keep_for_forks(session_id)
        forget_name(self.parts.config.state_dir, session_id)
        self.parts.store.delete(session_id)
        return [*logs_of(self.parts, session_id)]

    def _keep_for_forks(self, session_id: str) -> None:
        """Copy events that forks share with a log to the forks' own logs before that log is deleted."""
        from inarch.sessions.repair import logs_by
        from inarch_sdk.event_log import first_event, forked_with, read_sessions

        for tracer in self.parts.composition.tracers:
            copying = able(tracer.value, CopiesSessions)
            if copying is None:
                continue
            for log in logs_by(self.parts, tracer):
                source, last = forked_with(first_event(log))
                if source != session_id or source == log.stem:
                    continue
                with guarded(tracer.plugin, "tracer", passes=()):
                    for event in read_sessions(log).sessions.get(log.stem, ()):
                        if 1 < event.seq <= last:
                            copying.copied(event)
