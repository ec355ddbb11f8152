"""Report of a replay and its text output."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from inarch_plugins.replay.session_diff import Difference, Divergence


@frozen
class ReplayReport:
    """Result of a replay.

    Args:
        session_id: The session.
        same: Whether events and files are the same.
        turns: The number of replayed turns.
        events: The number of new events.
        digest: SHA-256 over the normal form of the record.
        replayed_digest: The same over the replay.
        tree: SHA-256 over the paths that the session changed, in their recorded final state.
        replayed_tree: The same over the copy.
        first_difference: The first difference between replay and record.
        refused: Why the replay was aborted, such as a reply missing in the record.
        drifted: A sentence for each workspace path that differs from the record. If there are any, nothing was played.
        files: A sentence for each path that ended differently in the replay.
        notes: Further remarks: differences in composition, files left out of the copy, interruptions.
        copy: The copy of the workspace, if it was kept.
    """

    session_id: str
    same: bool
    turns: int = 0
    events: int = 0
    digest: str = ""
    replayed_digest: str = ""
    tree: str = ""
    replayed_tree: str = ""
    first_difference: Difference | None = None
    refused: str = ""
    drifted: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    copy: str = ""


def report_lines(report: ReplayReport) -> Iterator[str]:
    """Yield a report's lines for users, unescaped."""
    yield from (f"note: {note}" for note in report.notes)
    if report.drifted:
        yield "the workspace has drifted from the checkpoints; nothing was replayed"
        yield from (f"  {one}" for one in report.drifted)
    elif report.same:
        yield f"same: {_count(report.turns, 'turn')}, {_count(report.events, 'event')}"
        yield f"digest {report.digest}"
        yield f"tree   {report.tree}"
    else:
        if report.refused:
            yield f"stopped: {report.refused}"
        if report.first_difference is not None:
            yield from difference_lines(report.first_difference, "recorded", "came")
        yield from (f"file: {one}" for one in report.files)
    if report.copy:
        yield f"copy   {report.copy}"


def difference_lines(found: Difference, first: str, second: str) -> Iterator[str]:
    """Yield lines that describe the first difference. `first` and `second` are the labels of the sessions."""
    place = f"event {found.event}" if found.event else "one extra event"
    turn = f" in turn {found.turn}" if found.turn else ""
    where = f", {found.where}" if found.where else ""
    yield f"first difference: {place}{turn} ({found.kind}{where})"
    width = max(len(first), len(second)) + 1
    for name, said in ((first, found.recorded), (second, found.came)):
        yield f"  {name + ':':<{width}} {'nothing' if said is None else said}"


def divergence_lines(found: Divergence | None, first: str, second: str) -> Iterator[str]:
    """Yield lines that describe where two sessions diverge."""
    if found is None:
        yield "the same"
        return
    yield f"the same before: {_count(found.turns, 'turn')}, {_count(found.events, 'event')}"
    yield from difference_lines(found.first, first, second)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
