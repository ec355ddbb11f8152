"""The tracer that writes the lines."""

from __future__ import annotations

import os
import re
from pathlib import Path

from attrs import define, field

import inarch

SCHEMA = 1
"""Version of the lines, their first field; it grows when a key of an event changes its meaning."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


@define(eq=False, repr=False)
class JsonlLogger:
    """Appends each event to `FOLDER/SESSION.jsonl` at once; nothing is opened before the first event.

    A line that can't be written is lost here (the store has it), counted, and told once a turn; later ones are tried.
    """

    folder: str
    rotate_bytes: int = 0
    name: str = field(init=False, default="jsonl-logger")
    _session: str = field(init=False, default="")
    _file: int | None = field(init=False, default=None)
    _size: int = field(init=False, default=0)
    _torn: bool = field(init=False, default=False)
    _lost: int = field(init=False, default=0)
    _reason: str = field(init=False, default="")

    def path(self, session_id: str) -> Path:
        """Return where a session's log is."""
        return Path(self.folder, f"{_UNSAFE.sub('_', session_id)}.jsonl")

    def saw(self, event: inarch.Event) -> None:
        """Write the event's line."""
        line = f'{{"schema":{SCHEMA},{event.line[1:]}\n'.encode()
        try:
            if self._file is None or event.session_id != self._session:
                self._open(event.session_id)
            if self.rotate_bytes and self._size and self._size + len(line) > self.rotate_bytes:
                self._rotate()
            self._write(line)
        except OSError as error:
            self._lost += 1
            self._reason = error.strerror or str(error)

    def summary(self, turn_id: str) -> str | None:
        """Say what was lost since the last turn."""
        if not self._lost:
            return None
        lost, self._lost = self._lost, 0
        events = "1 event is" if lost == 1 else f"{lost} events are"
        return f"{events} missing in {self.path(self._session)}: {self._reason}"

    def close(self) -> None:
        """Let go of the file; the next event opens it again."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self, session_id: str) -> None:
        self.close()
        self._session = session_id
        Path(self.folder).mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = os.open(self.path(session_id), os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        self._size = os.fstat(self._file).st_size
        # A process that was killed in the middle of a line left half of one: it must not spoil ours.
        self._torn = self._size > 0 and os.pread(self._file, 1, self._size - 1) != b"\n"

    def _write(self, line: bytes) -> None:
        assert self._file is not None
        rest = memoryview(b"\n" + line if self._torn else line)
        while rest:
            written = os.write(self._file, rest)
            self._size += written
            rest = rest[written:]
            self._torn = bool(rest)

    def _rotate(self) -> None:
        path = self.path(self._session)
        number = 1
        while (aside := path.with_suffix(f".{number}.jsonl")).exists():
            number += 1
        path.rename(aside)
        self._open(self._session)
