"""Branches of a session: replay its first turns in a copy, and continue there in a new session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from inarch import UsageError, new_id
from inarch_plugins.replay.replay_run import replay
from inarch_plugins.replay.report import ReplayReport
from inarch_plugins.replay.steps import prompts_of
from inarch_sdk.snapshots import scan

if TYPE_CHECKING:
    from inarch import App


@frozen
class Branch:
    """A branch of a session.

    Args:
        report: The report of the replayed turns. If they differ, there is no new session.
        session_id: The new session; empty if there is none.
        root: Its workspace, a copy that stays.
        prompts: The prompts of the remaining turns, to be asked again.
    """

    report: ReplayReport
    session_id: str = ""
    root: str = ""
    prompts: tuple[str, ...] = ()


async def branch(session_id: str, at: int, *, keep: str | Path | None = None, **options: Any) -> Branch:
    """Replay the turns before turn `at`, and begin a new session with them on the copy of the workspace.

    Args:
        session_id: The session, or the beginning of its id.
        at: The first turn that is not replayed, counted from 1.
        keep: The folder for the copy; None for one in Inarch's state folder.
        options: Those of `inarch.compose`.

    Raises:
        UsageError: The session or turn does not exist, or the copy cannot be made.
        StoreError: The store cannot be read or has no space.
    """
    from inarch import compose

    app = compose(**options)
    try:
        found = app.find_session(session_id).id
        prompts = prompts_of(scan(app.store, found))
        if not 1 <= at <= len(prompts):
            many = "1 turn" if len(prompts) == 1 else f"{len(prompts)} turns"
            raise UsageError(f"no turn {at}: the session has {many}", "inarch sessions show ID shows them")
        place = Path(keep) if keep is not None else _place(app)
        report = await replay(found, keep=place, turns=at - 1, **options)
        if not report.same:
            return Branch(report)
        fork_id = app.kept.fork(found, at - 1, root=report.copy)
        await app.store.sync()
        return Branch(evolve(report, copy=""), fork_id, report.copy, tuple(prompts[at - 1 :]))
    finally:
        await app.aclose()


def _place(app: App) -> Path:
    name = Path(app.config.root).name or "root"
    return app.config.state_dir / "replays" / new_id()[-12:] / name
