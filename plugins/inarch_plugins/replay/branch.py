"""Going another way: the first turns of a session replayed in a copy, and a new session that goes on from there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from inarch import UsageError, new_id
from inarch_plugins.replay.record_reader import prompts_of
from inarch_plugins.replay.replay_run import replay
from inarch_plugins.replay.report import ReplayReport
from inarch_sdk.snapshots import scan

if TYPE_CHECKING:
    from inarch import App


@frozen
class Branch:
    """A session that goes another way.

    Args:
        report: What came of the turns that were replayed; where they did not come to the same there is no session.
        session_id: The new session; empty where there is none.
        root: Its workspace, the copy, which is kept.
        prompts: What was asked in the turns that are left, to be asked anew.
    """

    report: ReplayReport
    session_id: str = ""
    root: str = ""
    prompts: tuple[str, ...] = ()


async def branch(session_id: str, at: int, *, keep: str | Path | None = None, **options: Any) -> Branch:
    """Replay the turns before turn `at` and begin a new session with them, about the copy of the workspace.

    Args:
        session_id: The session, or the beginning of its id.
        at: The first turn that is not replayed, counted from 1.
        keep: Where the copy is left; None: below the folder of our state.
        options: Those of `inarch.compose`.

    Raises:
        UsageError: There is no such session or turn, or the copy can't be made.
        StoreError: The store can't be read or has no room.
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
