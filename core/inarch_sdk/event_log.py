"""Reader of event logs, one JSON object a line, that tolerates cut, mixed and overwritten lines.

Logs come from `jsonl-logger`, `--output jsonl` and exports. Their lines may have a field `schema` in front.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from attrs import define, field

from inarch.contract.events import Event
from inarch.contract.frozen import frozen
from inarch_sdk.bounds import fault_of

SCHEMA = 1
"""The newest known version of the lines."""
WAY_ON = "inarch sessions restore brings back what event logs have"
"""The remedy when a store has lost events."""
MOST_PROBLEMS = 1000
"""Number of faulty lines that are listed; a file that is not a log may have more, and these are only counted."""
LONGEST_FIRST = 1 << 20
"""Bytes of the first line that are read to identify the log's session."""
_BEGINNING = re.compile(rb'\{"(?:schema|seq)":')
_FIELDS = ("seq", "time", "session_id", "turn_id", "kind", "data")
_SEQ_END = 1 << 32
LONGEST_LINE = 64 << 20
"""Bytes of a line. No event is nearly as long, and an endless line must not fill the memory."""
# A log may come from anywhere. Ids become file names, and all of these values are shown.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_KIND = re.compile(r"[a-z][a-z0-9_.-]{0,99}")
_TIME = re.compile(r"[0-9T:Z.+-]{1,40}")
_NUL = b"\0"
_MOST_FORKS = 100
"""Maximum depth of forks; a log may come from anywhere."""


@frozen
class LogProblem:
    """Fault in a log; `line` is 1-based, or 0 if the fault concerns the whole log."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}" if self.line else f"{self.file}: {self.what}"


class SessionsRead(NamedTuple):
    """Sessions of a log, by id, in order of their starts."""

    sessions: Mapping[str, tuple[Event, ...]]
    problems: tuple[LogProblem, ...]


def read_sessions(path: Path) -> SessionsRead:
    """Return the events of a log and of its rotated files NAME.1.jsonl, NAME.2.jsonl, …

    A line that is not an event is skipped. Events are returned as they were written. If two events with one number
    differ, the second is skipped.

    Raises:
        OSError: A file cannot be read.
    """
    reading = _Reading()
    _take_files(path, reading)
    for session_id in reading.sessions:
        _borrow(path, reading.sessions, session_id, frozenset())
    return reading.all(path.name)


def first_event(path: Path) -> Event | None:
    """Return the first event of a log, None if its first line is not an event.

    Raises:
        OSError: A file cannot be read.
    """
    with log_files(path)[0].open("rb") as lines:
        return _event_of(lines.readline(LONGEST_FIRST).strip())[0]


def log_files(path: Path) -> list[Path]:
    """Return the files of a log, oldest first; the last one may have just been rotated."""
    name = re.compile(rf"{re.escape(path.stem)}\.(\d+){re.escape(path.suffix)}")
    found = [(int(match[1]), other) for other in path.parent.iterdir() if (match := name.fullmatch(other.name))]
    return [*(other for _, other in sorted(found)), *([path] if path.exists() or not found else [])]


def missing(seqs: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and last number of each gap in ascending numbers that should start with 1."""
    gaps, before = [], 0
    for seq in seqs:
        if seq > before + 1:
            gaps.append((before + 1, seq - 1))
        before = seq
    return gaps


def gap_words(first: int, last: int) -> str:
    """Describe which events are missing."""
    return f"event {first} is missing" if first == last else f"events {first} to {last} are missing"


def _take_files(path: Path, reading: _Reading) -> None:
    for file in log_files(path):
        with file.open("rb") as lines:
            reading.take(file.name, _lines(lines))


def forked_with(first: Event | None) -> tuple[str, int]:
    """Return the session and last number of the events that a fork shares, by its first event; ("", 0) for none."""
    if first is None or first.kind != "session.started":
        return "", 0
    source, last = first.data.get("forked_from"), first.data.get("forked_events")
    return (str(source), last) if _is(_ID, source) and type(last) is int and last > 1 else ("", 0)


def _borrow(path: Path, sessions: dict[str, dict[int, Event]], session_id: str, above: frozenset[str]) -> None:
    """Add a fork's events that only the other session's log holds, in this file or one beside it."""
    events = sessions.get(session_id, {})
    source, last = forked_with(events.get(1))
    if source in above or len(above) > _MOST_FORKS or sum(1 < seq <= last for seq in events) >= last - 1:
        return
    other, lenders = path, sessions
    if source not in sessions:
        other, reading = path.with_name(f"{source}{path.suffix}"), _Reading()
        if other.is_symlink() or not other.is_file():
            return
        _take_files(other, reading)
        lenders = reading.sessions
    _borrow(other, lenders, source, above | {session_id})
    for seq, event in lenders.get(source, {}).items():
        if 1 < seq <= last:
            events.setdefault(seq, event.moved(session_id))


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file; a line that is too long is cut, so that it is not an event."""
    while line := file.readline(LONGEST_LINE):
        yield line
        while not line.endswith(b"\n") and line:
            line = file.readline(LONGEST_LINE)


@define
class _Reading:
    sessions: dict[str, dict[int, Event]] = field(factory=dict)
    problems: list[LogProblem] = field(factory=list)
    more: int = 0

    def take(self, file: str, lines: Iterable[bytes]) -> None:
        """Read lines of a file."""
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            for event, what in _events_of(line):
                wrong = what or (self._keep(event) if event else "")
                if wrong and len(self.problems) < MOST_PROBLEMS:
                    self.problems.append(LogProblem(file, number, wrong))
                elif wrong:
                    self.more += 1

    def _keep(self, event: Event) -> str:
        """Store an event, or return why it is skipped."""
        kept = self.sessions.setdefault(event.session_id, {}).setdefault(event.seq, event)
        return f"a second, different event {event.seq} was left out" if kept.line != event.line else ""

    def all(self, file: str) -> SessionsRead:
        """Return the events of each session in order."""
        more = [LogProblem(file, 0, f"{self.more} more lines are broken")] if self.more else []
        sessions = {session_id: _ordered(events) for session_id, events in self.sessions.items()}
        return SessionsRead(sessions, (*self.problems, *more))


def _ordered(events: Mapping[int, Event]) -> tuple[Event, ...]:
    return tuple(events[seq] for seq in sorted(events))


def _events_of(line: bytes) -> Iterator[tuple[Event | None, str]]:
    """Yield the event of a line, or its fault; if a whole line follows a broken one, yield both."""
    clean = line.strip(b"\0 \t\r\n\v\f")
    if _NUL in line:
        yield None, f"{line.count(_NUL)} bytes are zero, as after a power loss"
    if not clean:
        return
    event, what = _event_of(clean)
    yield event, what
    if event is None:
        # Two processes wrote at once, and one was killed in the middle of its line.
        behind = (_event_of(clean[match.start() :])[0] for match in _BEGINNING.finditer(clean, 1))
        rescued = next((found for found in behind if found is not None), None)
        if rescued is not None:
            yield rescued, ""


def _event_of(line: bytes) -> tuple[Event | None, str]:
    try:
        item = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None, "this is no whole line of JSON"
    if not isinstance(item, dict):
        return None, "this is no event"
    schema = item.pop("schema", SCHEMA)
    if type(schema) is int and schema != SCHEMA:
        return None, f"written by another version of Inarch: schema {schema}, known here is {SCHEMA}"
    if type(schema) is not int or not _is_event(item):
        return None, "this is no event"
    if fault := fault_of(item["data"]):  # a newer Python reads values that are too deep for other code
        return None, f"this is no event of Inarch's: {fault}"
    return Event(*(item[name] for name in _FIELDS)), ""


def _is(shape: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and shape.fullmatch(value) is not None


def _is_event(item: dict[str, Any]) -> bool:
    seq, turn_id = item.get("seq"), item.get("turn_id", 0)
    return (
        type(seq) is int
        and 0 < seq < _SEQ_END
        and (turn_id is None or _is(_ID, turn_id))
        and _is(_ID, item.get("session_id"))
        and _is(_KIND, item.get("kind"))
        and _is(_TIME, item.get("time"))
        and isinstance(item.get("data"), dict)
    )
