"""A session leaves the store; what forks of it have only in its event log goes into theirs before that does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from inarch.host import forget_name, guarded, logs_of

if TYPE_CHECKING:
    from inarch import App


def delete_session(app: App, session_id: str, *, keeps_logs: bool = True) -> list[Path]:
    """Delete a session from the store; return its event logs, which whoever keeps none has to remove.

    Raises:
        OSError: A log can't be read.
        PluginError: The tracer can't write what a fork is to keep.
        StoreError: The store can't delete it, or its name can't be dropped.
    """
    if not keeps_logs:
        _keep_for_forks(app, session_id)
    forget_name(app.config.state_dir, session_id)
    app.store.delete(session_id)
    return [file for tracer in app.composition.tracers for file in logs_of(app, tracer, "files", session_id)]


def _keep_for_forks(app: App, session_id: str) -> None:
    """Copy what the logs of a session's forks have only in its own log, which is going to be deleted, into theirs."""
    from inarch_sdk.event_log import first_event, forked_with, read_sessions

    for tracer in app.composition.tracers:
        copied = getattr(tracer.value, "copied", None)
        if copied is None:
            continue
        for log in logs_of(app, tracer, "logs"):
            source, last = forked_with(first_event(log))
            if source == session_id != log.stem:
                with guarded(tracer.plugin, "tracer", passes=()):
                    for event in read_sessions(log).sessions.get(log.stem, ()):
                        if 1 < event.seq <= last:
                            copied(event)
