"""The tool `apply_changes`: write what was reviewed into the original, all of it or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import inarch
from inarch.capabilities import AppliesTrials, able
from inarch_plugins.sandbox_fs.changes.change_folder import ChangeFolder
from inarch_plugins.sandbox_fs.changes.copy_changes import CopyChanges, Review
from inarch_plugins.sandbox_fs.changes.session_changes import SessionChanges
from inarch_plugins.sandbox_fs.trial_changes import Compares

if TYPE_CHECKING:
    from inarch import ContextStore

NAME = "apply_changes"
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["change"],
    "additionalProperties": False,
    "properties": {
        "change": {"type": "string", "description": "The change."},
        "files": {"type": "array", "items": {"type": "string"}, "description": "Only these. All by default."},
        "hunk": {"type": "integer", "minimum": 1, "description": "Only this hunk of the one file."},
    },
}


def review_of(change: ChangeFolder, workspace: Any, store: ContextStore) -> Review:
    """Return the changes of a copy, compared with a workspace that is or shows the original."""
    compares = able(workspace, Compares)
    if compares is None:
        raise inarch.ToolFailed("execution", "this workspace cannot apply a change", "use the workspace sandbox-fs")
    session = SessionChanges(store, change.sessions, change.began)

    def stored(ref: str) -> bytes:
        try:
            return change.get(ref)
        except OSError:
            return session.bytes_of(ref)

    return Review(compares.compared(partial(CopyChanges, folder=change)), change.bases, session, stored)


reviewing: dict[str, tuple[ChangeFolder, ContextStore]] = {}
"""Changes that a person reviews in this process, with the store of their sessions. No other can be applied."""


def made() -> inarch.Tool:
    """Return the tool."""

    def apply_changes(context: inarch.ToolContext, change: str, files: list[str] | None = None, hunk: int = 0) -> Any:
        """Apply changes of a copy to the workspace."""
        if change not in reviewing:
            raise inarch.ToolFailed("permission", "only a review applies a change", f"inarch apply {change}")
        folder, store = reviewing[change]
        return _applied(folder, review_of(folder, context.workspace, store), context, files, hunk)

    return inarch.tool(name=NAME, input_schema=_SCHEMA, effects=_effects)(apply_changes)


def _effects(arguments: Mapping[str, Any]) -> inarch.Effects:
    return inarch.Effects(reads=frozenset({""}), writes=frozenset({"", *arguments.get("files", ())}))


def _applied(
    change: ChangeFolder, review: Review, context: inarch.ToolContext, files: list[str] | None, hunk: int
) -> dict[str, Any]:
    chosen = review.plain if files is None else review.named(files)
    bases = {one.path: (one.theirs.hash, one.theirs.mode) for one in chosen}
    if hunk:
        (whole,) = [one for one in chosen if not one.theirs.is_folder]
        one, part = review.hunk(whole, hunk)
        ref = sha256(part).hexdigest()
        change.put(ref, part)
        chosen, bases[one.path] = [one, *(up for up in chosen if up.theirs.is_folder)], (ref, whole.base.mode)
    if failed := [one for one in chosen if one.problem]:
        told = "; ".join(f"{one.path}: {one.problem}" for one in failed[:10])
        raise inarch.ToolFailed("conflict", f"{told}; nothing was written", "leave these out, or merge them yourself")
    applies = able(context.workspace, AppliesTrials)
    assert applies is not None
    left = applies.apply_trial(review.states(chosen))
    change.bases |= bases
    change.save()
    return {"applied": [one.path for one in chosen if one.path not in left], "left": list(left)}
