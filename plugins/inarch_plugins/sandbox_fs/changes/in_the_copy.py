"""Parts of a session that works in a copy: the note of its id, and `/changes`."""

from __future__ import annotations

import os
from functools import partial

from attrs import define, field

from inarch import Event, escape
from inarch_lib.confinement.overlay import BELOW
from inarch_plugins.sandbox_fs.changes.change_folder import ChangeFolder, note_session
from inarch_plugins.sandbox_fs.changes.copy_changes import CopyChanges, Review
from inarch_plugins.sandbox_fs.changes.session_changes import SessionChanges
from inarch_plugins.sandbox_fs.changes.texts import diff_lines, review_lines
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace


@define(eq=False)
class Sessions:
    """Tracer that notes the sessions of a copy and what their calls change."""

    folder: str
    name: str = field(init=False, default="review")
    changes: SessionChanges = field(init=False, factory=lambda: SessionChanges(None, [], ""))
    _noted: set[str] = field(init=False, factory=set)

    def saw(self, event: Event) -> None:
        """Follow an event."""
        if event.session_id not in self._noted:
            self._noted.add(event.session_id)
            note_session(self.folder, event.session_id)
        self.changes.take(event)

    def summary(self, turn_id: str) -> str | None:
        """Return nothing: the end of the run says what waits."""
        return None

    def close(self) -> None:
        """Do nothing."""


_known: dict[str, Sessions] = {}


def sessions(folder: str) -> Sessions:
    """Return the tracer of a copy."""
    return _known.setdefault(folder, Sessions(folder))


def shown(folder: str, words: str) -> str:
    """Return the changes of this copy as text, or the changed lines of a path."""
    change = ChangeFolder.read(folder)
    original = FolderWorkspace.open(os.path.join(folder, BELOW))
    try:
        review = Review(
            original.compared(partial(CopyChanges, folder=change)), change.bases, sessions(folder).changes, change.get
        )
        if words:
            lines = list(diff_lines(review, review.named([words])))
            return "\n".join(lines) or f"{words} has no changed lines"
        ignored = original.ignored([one.path for one in review.found])
        return escape("\n".join(review_lines(change, review, ignored)))
    finally:
        original.close()
