"""What came of a replay, and how it is told."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from inarch_plugins.replay.session_diff import Difference, Divergence


@frozen
class ReplayReport:
    """What came of a replay.

    Args:
        session_id: The session.
        same: Whether it came to the same, in events and in files.
        turns: Turns that were played.
        events: Events that came.
        digest: SHA-256 over the normal form of what was recorded.
        replayed_digest: The same of what came.
        tree: SHA-256 over the paths that the session changed, as they should stand at its end.
        replayed_tree: The same as they stand in the copy.
        first_difference: Where the run differs from the record.
        refused: Why the replay gave up, such as a reply that the record doesn't have.
        drifted: A sentence for each path of the workspace that isn't as the record has it; then nothing was played.
        files: A sentence for each path that the replay left otherwise than the session.
        notes: What else is to be known: what is composed otherwise, what was left out of the copy, where it was cut.
        copy: The copy of the workspace, if it is kept.
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
    """Yield the lines that tell a person what came of a replay; they are not escaped."""
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
    """Yield the lines that tell where two sessions differ first; `first` and `second` are what they are called."""
    place = f"event {found.event}" if found.event else "one extra event"
    turn = f" in turn {found.turn}" if found.turn else ""
    where = f", {found.where}" if found.where else ""
    yield f"first difference: {place}{turn} ({found.kind}{where})"
    width = max(len(first), len(second)) + 1
    for name, said in ((first, found.recorded), (second, found.came)):
        yield f"  {name + ':':<{width}} {'nothing' if said is None else said}"


def divergence_lines(found: Divergence | None, first: str, second: str) -> Iterator[str]:
    """Yield the lines that tell where two sessions part."""
    if found is None:
        yield "the same"
        return
    yield f"the same before: {_count(found.turns, 'turn')}, {_count(found.events, 'event')}"
    yield from difference_lines(found.first, first, second)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
