"""What stands at a path of a workspace now, and with it what calls did that were cut off."""

from __future__ import annotations

from inarch.contract.events import Event, event_data
from inarch.contract.files import whole_mode
from inarch.contract.ids import utc_now
from inarch.contract.ports import Workspace
from inarch.contract.workspaces import Restorable
from inarch.journal.settling import settle
from inarch.sessions.undo.checkpoints import NOTHING, Changes, Standing


def standing_at(workspace: Workspace, path: str) -> Standing:
    """Return what stands at a path; the hash of a link is that of its target.

    Raises:
        ToolFailed: Nobody can tell.
    """
    entry = workspace.stat(path)
    mode = whole_mode(entry)
    if entry is None:
        return NOTHING
    if entry.kind == "link" and isinstance(workspace, Restorable):
        from hashlib import sha256

        return Standing(sha256(workspace.link_target(path)).hexdigest(), mode)
    return Standing(workspace.digest(path), mode) if entry.kind == "file" else Standing(None, mode or 1)


def add_unrecorded(changes: Changes, session_id: str, workspace: Workspace) -> list[Event]:
    """Add the changes that calls announced, made, and could no longer record; return them, as events of no number."""
    found: list[Event] = []
    for call in changes.open.calls.values():
        made = settle(call, lambda path: standing_at(workspace, path)).changes
        found += [Event(0, utc_now(), session_id, call.turn_id or None, one.kind, event_data(one)) for one in made]
    for event in found:
        changes.take(event)
    return found
