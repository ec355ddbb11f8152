"""Reading a log of events, one JSON object a line, however it was cut, mixed up or written over.

What `jsonl-logger` writes, `--output jsonl` prints and an export holds: with or without the field `schema` in front.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from attrs import define, field

from inarch.contract.events import Event
from inarch.contract.frozen import frozen

SCHEMA = 1
"""The newest version of the lines that is known here."""
MOST_PROBLEMS = 1000
"""Of a file that is no log at all, more lines than these are only counted."""
_BEGINNING = re.compile(rb'\{"(?:schema|seq)":')
_FIELDS = ("seq", "time", "session_id", "turn_id", "kind", "data")
_SEQ_END = 1 << 32
_NUL = b"\0"


@frozen
class LogProblem:
    """Something that is wrong with a log; `line` counts from 1 and is 0 where it is the whole."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}" if self.line else f"{self.file}: {self.what}"


class LogRead(NamedTuple):
    """What a log holds: events of one session, in order, each number once; and what is wrong with it."""

    events: tuple[Event, ...]
    problems: tuple[LogProblem, ...]


def read_log(path: Path) -> LogRead:
    """Return the events of a log, with those of the files NAME.1.jsonl, NAME.2.jsonl, … that were set aside before it.

    A line that isn't an event costs that line; an event that can be read is as it was written. Events of another
    session than the first one's, and second events of one number that differ, are left out.

    Raises:
        OSError: A file can't be read.
    """
    reading = _Reading()
    for file in log_files(path):
        with file.open("rb") as lines:
            reading.take(file.name, lines)
    return reading.result(path.name)


def log_files(path: Path) -> list[Path]:
    """Return the files of a log, oldest first."""
    name = re.compile(rf"{re.escape(path.stem)}\.(\d+){re.escape(path.suffix)}")
    found = [(int(match[1]), other) for other in path.parent.iterdir() if (match := name.fullmatch(other.name))]
    return [*(other for _, other in sorted(found)), path]


@define
class _Reading:
    events: dict[int, Event] = field(factory=dict)
    problems: list[LogProblem] = field(factory=list)
    session_id: str | None = None
    more: int = 0

    def take(self, file: str, lines: Iterable[bytes]) -> None:
        """Read the lines of a file."""
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
        """Keep an event, or say why not."""
        if self.session_id is None:
            self.session_id = event.session_id
        if event.session_id != self.session_id:
            return f"an event of another session, {event.session_id}, was left out"
        kept = self.events.setdefault(event.seq, event)
        return f"a second, different event {event.seq} was left out" if kept.line != event.line else ""

    def result(self, file: str) -> LogRead:
        """Put the events in order and find the gaps between them."""
        seqs = sorted(self.events)
        wrong = [*_gaps(seqs)][:MOST_PROBLEMS]
        if self.more:
            wrong.append(f"{self.more} more lines are broken")
        problems = (*self.problems, *(LogProblem(file, 0, what) for what in wrong))
        return LogRead(tuple(self.events[seq] for seq in seqs), problems)


def _events_of(line: bytes) -> Iterator[tuple[Event | None, str]]:
    """Yield the event of a line, or what is wrong; of a broken line with a whole one behind it, both."""
    clean = line.strip(b"\0 \t\r\n\v\f")
    if _NUL in line:
        yield None, f"{line.count(_NUL)} bytes are zero, as after a power loss"
    if not clean:
        return
    event, what = _event_of(clean)
    yield event, what
    if event is None:
        # Two processes wrote, and one was killed in the middle of its line.
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
    return Event(*(item[name] for name in _FIELDS)), ""


def _is_event(item: dict[str, Any]) -> bool:
    seq, turn_id = item.get("seq"), item.get("turn_id", 0)
    return (
        type(seq) is int
        and 0 < seq < _SEQ_END
        and (turn_id is None or isinstance(turn_id, str))
        and all(isinstance(item.get(name), str) for name in ("time", "session_id", "kind"))
        and isinstance(item.get("data"), dict)
    )


def _gaps(seqs: list[int]) -> Iterator[str]:
    before = 0
    for seq in seqs:
        if seq == before + 2:
            yield f"event {before + 1} is missing"
        elif seq > before + 2:
            yield f"events {before + 1} to {seq - 1} are missing"
        before = seq
