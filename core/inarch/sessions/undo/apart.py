"""Undo and redo from outside a conversation: no model is needed, and the session may be open elsewhere."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from inarch.contract.doors import guarded
from inarch.contract.errors import PluginError, UsageError
from inarch.journal import Journal
from inarch.sessions.undo.checkpoints import kept_changes
from inarch.sessions.undo.undoing import Undoing

if TYPE_CHECKING:
    from inarch.contract.events import Event
    from inarch.sessions.parts import Parts
    from inarch.sessions.undo.planning import Action
    from inarch.sessions.undo.report import UndoReport


def put_back_apart(parts: Parts, session_id: str, action: Action, target: str, dry_run: bool) -> UndoReport:
    """Undo or redo in a kept session of this directory.

    Raises:
        UsageError: The session is about another directory, or the target is none.
        StoreError: What was recorded can't be read, or what was done not be recorded.
    """
    root = kept_changes(parts.store, session_id, looks_back=False).root
    if root and root != parts.config.root:
        raise UsageError(f"session {session_id} is about {root}", "undo it there, or with that as --root")

    def journal() -> Journal:
        last = kept_changes(parts.store, session_id, looks_back=False).seq
        return Journal(parts.store, session_id, redactor=parts.redactor, seq=last)

    undoing = Undoing(parts.workspace, journal(), journal, parts.runners)
    report = undoing.run(action, target, dry_run)
    _tell_tracers(parts, undoing.recorded)
    return report


def _tell_tracers(parts: Parts, events: list[Event]) -> None:
    """Let those that keep a copy of every event have these, too."""
    for tracer in parts.composition.tracers if events else ():
        with suppress(PluginError), guarded(tracer.plugin, "tracer"):
            for event in events:
                tracer.value.saw(event)
