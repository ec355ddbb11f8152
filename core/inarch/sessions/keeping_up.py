"""A session that goes on for long leaves snapshots behind, so that whoever reads it next begins near its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define

from inarch.contract.errors import PluginError, StoreError

if TYPE_CHECKING:
    from inarch.turns.session_state import SessionState

EVERY = 2_000
"""Events between two times that snapshots are made, twice `KEEP_AFTER`: that takes little beside making the events."""


@define(eq=False, repr=False)
class KeepingUp:
    """Makes the snapshots of one session, between its turns, from what the store has; it holds nothing itself."""

    done: int

    def after_turn(self, state: SessionState) -> None:
        """Make them if many events came since the last time."""
        journal = state.journal
        if journal.seq - self.done < EVERY:
            return
        self.done = journal.seq
        if hasattr(journal.store, "put_snapshot") and journal.degraded is None:
            try:
                self._make(state)
            except (StoreError, PluginError):
                return  # nothing depends on it

    def _make(self, state: SessionState) -> None:
        from inarch.journal.changes import kept_changes
        from inarch.journal.redaction.redactor import Redactor
        from inarch.journal.resuming import keep_resumable
        from inarch.sessions.contents import Contents
        from inarch.sessions.hearing import Heard
        from inarch_sdk.snapshots import folded

        store, session_id = state.journal.store, state.session_id
        keep_resumable(store, session_id, lambda: Heard(Redactor()))
        folded(store, session_id, Contents)
        kept_changes(store, session_id, looks_back=False)
