"""What a damaged store lost of a session is brought back from the session's event log, where there is one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inarch.contract.errors import PluginError, StoreError
from inarch.contract.guarding import guarded

if TYPE_CHECKING:
    from inarch.contract.ports import Tracer
    from inarch.plugins.composition import Bound
    from inarch.sessions.parts import Parts


def all_logs(parts: Parts) -> Iterator[Path]:
    """Yield the log of each session that tracers keep one of; what was set aside before it is read with it."""
    for tracer in parts.composition.tracers:
        yield from logs_of(parts, tracer, "logs")


def logs_of(parts: Parts, tracer: Bound[Tracer], method: str, *arguments: str) -> Sequence[Path]:
    """Return the files that a tracer keeps: all of them (`logs`), or those of a session (`files`)."""
    ask = getattr(tracer.value, method, None)
    if ask is None:
        return ()
    try:
        with guarded(tracer.plugin, "tracer", passes=()):
            found = [Path(file) for file in ask(*arguments)]
        if tracer.plugin not in parts.composition.elsewhere:  # else they are real paths, whatever has become of them
            found = [Path(os.path.realpath(file.parent), file.name) for file in found]
    except PluginError:
        return ()
    return found


def bring_back(parts: Parts, session_id: str, holes: Sequence[tuple[int, int]]) -> tuple[bool, list[str]]:
    """Add to the store what the logs of a session have of it; return whether that was anything, and what to tell."""
    from inarch_sdk.restoring import restore_log

    count = 0
    for log in all_logs(parts):
        if log.stem != session_id:
            continue
        try:
            done = restore_log(parts.store, log, parts.config.root, only=session_id)
        except (OSError, StoreError):
            continue  # what is missing is told below
        for session in done.sessions:
            count += session.events
            holes = session.missing
    said = []
    if count:
        said.append(f"{'1 event' if count == 1 else f'{count} events'} that the store had lost came back from the log")
    if holes:
        from inarch_sdk.event_log import WAY_ON, gap_words

        said.append(f"of this session {', '.join(gap_words(*gap) for gap in holes[:5])}; {WAY_ON}")
    return bool(count), said
