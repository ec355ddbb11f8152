"""Replay of a session: copy the workspace in its earlier state, play the record there, and compare the result."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve

from inarch import UsageError, capabilities
from inarch_plugins.replay.checkpoints import (
    Checkpoint,
    CopiedRoot,
    blobs_of,
    checkpoint_of,
    expected_tree,
    tree_hash,
    tree_of,
)
from inarch_plugins.replay.player import Player
from inarch_plugins.replay.replay_app import compose_copy, differences_of
from inarch_plugins.replay.report import ReplayReport
from inarch_plugins.replay.session_diff import digest_of
from inarch_plugins.replay.stand_ins import CopyStore
from inarch_plugins.replay.steps import first_turns
from inarch_plugins.replay.survey import Record, changes_in, survey
from inarch_plugins.replay.workspace_copy import changed, copy_workspace, stamps
from inarch_sdk.snapshots import scan

if TYPE_CHECKING:
    from inarch import App, Event


async def replay(
    session_id: str, *, keep: str | Path | None = None, turns: int | None = None, **options: Any
) -> ReplayReport:
    """Run a session again from its record in a copy of its workspace, and report whether the result is the same.

    The kernel and the plugins run with the recorded replies, user answers, ids and times. Nothing is sent, and no
    command is run.

    Args:
        session_id: The session, or the beginning of its id.
        keep: The folder for the copy, missing or empty; None to remove the copy at the end.
        turns: The number of turns to play; None for all.
        options: Those of `inarch.compose`. Their store must have the session.

    Raises:
        UsageError: The session does not exist, its workspace is gone, or the copy cannot be made.
        StoreError: The store cannot be read.
    """
    from inarch import compose

    app = compose(**options)
    scratch = _scratch()
    try:
        return await _replay(app, app.find_session(session_id).id, scratch, keep, turns, options)
    finally:
        await app.aclose()
        shutil.rmtree(scratch, ignore_errors=True)


def _scratch() -> Path:
    return Path(tempfile.mkdtemp(prefix="inarch-replay-")).resolve()


async def _replay(
    app: App, session_id: str, scratch: Path, keep: str | Path | None, turns: int | None, options: dict[str, Any]
) -> ReplayReport:
    record = _survey(session_id, lambda: first_turns(scan(app.store, session_id), turns))
    damaged = capabilities.able(app.store, capabilities.Damaged)
    known = [info for info in app.store.sessions(record.root) if info.id != session_id and info.updated >= record.began]
    others = [info.id for info in known]
    later = [scan(app.store, one) for one in others]
    later.append(scan(app.store, session_id, record.last))  # the session's later changes are reverted, too
    blob = blobs_of(app.store, [session_id, *others])
    root = _root(record, app)
    if why := _gaps(record) or _in_added_folder(record, root):
        return ReplayReport(session_id, False, refused=why)
    checkpoint = checkpoint_of(record, changes_in(chain.from_iterable(later)), blob, root)
    report = ReplayReport(session_id, False, notes=tuple(damaged.damage) if damaged is not None else ())
    if checkpoint.drifted:
        return evolve(report, drifted=tuple(checkpoint.drifted))
    target = _place(keep, scratch, root)
    left_out = copy_workspace(root, target, app.workspace.walk().paths)
    place = target.resolve()
    player = Player(record, checkpoint, CopiedRoot(record.root, place, blob), CopyStore(blob))
    player.app = compose_copy(player, scratch, options)
    try:
        differences = differences_of(record, player.app)
        notes = (*report.notes, *differences, *(f"not copied: {one}" for one in left_out))
        report = evolve(report, notes=notes, copy=str(place) if keep is not None else "")
        return await _played(player, report)
    finally:
        await player.app.aclose()


def _survey(session_id: str, read: Callable[[], Iterator[Event]]) -> Record:
    try:
        return survey(session_id, read)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        message = f"the record can't be replayed: it contains an invalid event ({error!r:.100})"
        raise UsageError(message, "inarch sessions show prints the readable part") from error


def _place(keep: str | Path | None, scratch: Path, root: Path) -> Path:
    return Path(keep).absolute() if keep is not None else scratch / (root.name or "root")


async def _played(player: Player, report: ReplayReport) -> ReplayReport:
    copy = player.copy
    if why := copy.bring(player.app.workspace, player.checkpoint.start):
        return evolve(report, refused=why)
    before = stamps(copy.place)
    await player.run()
    return _compared(player, report, before, stamps(copy.place))


def _compared(player: Player, report: ReplayReport, before: dict[str, Any], after: dict[str, Any]) -> ReplayReport:
    checkpoint = player.checkpoint
    first = player.follower.first
    came = tree_of(checkpoint.end, player.copy.place)
    expected = expected_tree(checkpoint.end, came)
    files: list[str] = []
    if first is None and not player.refusal:
        files += [f"{path}: not as the session left it" for path in came if tuple(expected[path]) != came[path]]
        meant = _meant(checkpoint)
        files += [f"{path}: changed, but not by the session" for path in changed(before, after, meant)]
    digest = player.follower.digester.hexdigest()
    is_equal = first is None and not player.refusal
    return evolve(
        report,
        same=first is None and not player.refusal and not files,
        turns=player.turns,
        events=player.events,
        digest=digest,
        replayed_digest=digest if is_equal else digest_of(player.came(), str(player.copy.place)),
        tree=tree_hash(expected),
        replayed_tree=tree_hash(came),
        first_difference=first,
        refused=player.refusal,
        files=tuple(files),
        notes=(*report.notes, *player.notes),
    )


def _meant(checkpoint: Checkpoint) -> Any:
    """Return a predicate for the paths changed by the session or others during it, and their parents."""
    paths = {*checkpoint.end, *(path for places in checkpoint.outside.values() for path in places)}
    above = {path[:place] for path in paths for place, mark in enumerate(path) if mark == "/"}
    return (paths | above).__contains__


def _gaps(record: Record) -> str:
    """Return why a record with lost events cannot be replayed, or an empty string if it has all."""
    missing = record.last - record.count
    return f"the record lacks {missing} of its {record.last} events" if missing else ""


def _in_added_folder(record: Record, root: Path) -> str:
    """Return why a session with files in an added folder cannot be replayed, or an empty string if it has none."""
    if (root / "+").exists():
        return ""
    path = next((move.path for move in record.moves if move.path.startswith("+/")), "")
    return f"the session used {path} in an added folder, but a replay copies only the root" if path else ""


def _root(record: Record, app: App) -> Path:
    root = Path(record.root)
    if record.root and root.is_dir():
        return root
    if not record.root:
        raise UsageError("the directory of the record is unknown", "its first event is lost")
    return Path(app.config.root)
