"""A change opened for review: shown, applied in its session, kept or removed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch import Approval, ApprovalRequest, Event, InarchError, PlannedCall, ToolFailed
from inarch.commands import compose_given, interrupts
from inarch_plugins.sandbox_fs.changes.apply_tool import NAME, review_of, reviewing
from inarch_plugins.sandbox_fs.changes.change_folder import ChangeFolder
from inarch_plugins.sandbox_fs.changes.copy_changes import Review
from inarch_plugins.sandbox_fs.changes.git_branches import bring, new_tips

if TYPE_CHECKING:
    from inarch import App, Session

PLUGIN = "changes"


@define(eq=False)
class Agreeing:
    """Front end of a call that the person has already decided about."""

    name: str = "review"
    asks_always: bool = field(init=False, default=True)

    def show(self, event: Event) -> None:
        """Do nothing."""

    async def approve(self, batch: Sequence[ApprovalRequest]) -> Sequence[Approval]:
        """Approve."""
        return [Approval(one.call.id, "approve") for one in batch]

    def close(self) -> None:
        """Do nothing."""


@define(eq=False, repr=False)
class Opened:
    """A change with the application that shows and applies it."""

    change: ChangeFolder
    app: App

    def review(self) -> Review:
        """Return its changes, compared with the original as it is now."""
        return review_of(self.change, self.app.workspace, self.app.store)

    def ignored(self, review: Review) -> set[str]:
        """Return the changed paths that Git ignores."""
        workspace: Any = self.app.workspace
        return set(workspace.ignored([one.path for one in review.found]))

    def apply(self, files: Sequence[str] | None, hunk: int = 0) -> dict[str, Any]:
        """Apply changes as one call of the session that made them; None takes all plain ones."""
        review = self.review()
        if files is None and not review.plain:
            return {"applied": [], "left": []}
        arguments: dict[str, Any] = {"change": self.change.id}
        if files is not None:  # the call declares each path that steers other tools
            arguments["files"] = [one.path for one in review.named(files)]
        if hunk:
            arguments["hunk"] = hunk
        reviewing[self.change.id] = self.change, self.app.store
        try:
            return asyncio.run(self._call(arguments))
        finally:
            del reviewing[self.change.id]

    async def _call(self, arguments: dict[str, Any]) -> dict[str, Any]:
        loop = asyncio.get_running_loop()
        scheduler = self._session().state.scheduler
        calls = scheduler.run("", [PlannedCall(NAME, arguments)], "user", person=Agreeing())
        task = loop.create_task(calls)
        with interrupts(lambda _: loop.call_soon_threadsafe(task.cancel)):
            (call,) = await task
        assert call.result is not None
        if call.result.error is not None:
            raise ToolFailed(call.result.error.code, call.result.error.message, call.result.error.remedy or "")
        return dict(call.result.data)

    def _session(self) -> Session:
        for session_id in self.change.sessions:
            try:
                return self.app.session(session_id)
            except InarchError:
                continue  # deleted, or never stored
        return self.app.session()

    def bring_commits(self) -> dict[str, str]:
        """Bring commits of the copy into the repository, as new branches; return their names and commits."""
        return bring(self.change, self.app.workspace)

    def remove_if_done(self) -> bool:
        """Remove the change if nothing of it waits; return whether it is gone."""
        review = self.review()
        if review.found or new_tips(self.change):
            return False
        self.change.remove()
        return True


@contextmanager
def opened(change: ChangeFolder, given: dict[str, Any]) -> Iterator[Opened]:
    """Open a change for review, while no session works with it."""
    # The mode `review` itself would ask for another copy.
    app = compose_given({**given, "root": change.root}, tells=False, naming=PLUGIN, approve="ask")
    with app, change.locked():
        yield Opened(change, app)
