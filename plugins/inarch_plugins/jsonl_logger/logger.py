"""Tracer that writes the lines."""

from __future__ import annotations

import errno
import re
import threading
from collections.abc import Sequence
from pathlib import Path

from attrs import define, field

import inarch
from inarch_plugins.jsonl_logger.log_file import LogFile, has_events

SCHEMA = 1
"""Version of the lines, their first field; it grows when a key changes its meaning, not when one is added."""
_IS_LINK = "it is a link, which could lead anywhere: remove it, or name another folder as `path` of the plugin"
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


@define(eq=False, repr=False)
class JsonlLogger:
    """Tracer that appends each event to `FOLDER/SESSION.jsonl` at once; the first event opens it.

    A line that cannot be written is lost here (the store has it) and counted, and the next one is tried. The first turn
    with losses reports them, and so does the first one after which writing works again.

    Args:
        folder: The folder of the files, made when needed.
        max_bytes: The size at which a file is renamed; 0 for never.
        keep: How many renamed files stay; 0 for all.
    """

    folder: str
    max_bytes: int = 0
    keep: int = 0
    name: str = field(init=False, default="jsonl-logger")
    _file: LogFile | None = field(init=False, default=None)
    _session: str = field(init=False, default="")
    _lost: int = field(init=False, default=0)
    _reason: str = field(init=False, default="")
    _fails: bool = field(init=False, default=False)
    _told: bool = field(init=False, default=False)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def path(self, session_id: str) -> Path:
        """Return the path of a session's log."""
        return Path(self.folder, f"{_UNSAFE.sub('_', session_id)}.jsonl")

    def saw(self, event: inarch.Event) -> None:
        """Write the event's line."""
        line = f'{{"schema":{SCHEMA},{event.line[1:]}\n'.encode()
        with self._lock:
            try:
                self._file_of(event.session_id).append(line)
                self._fails = False
            except OSError as error:
                self._lost += 1
                self._fails = True
                self._reason = _IS_LINK if error.errno == errno.ELOOP else error.strerror or str(error)

    def copied(self, event: inarch.Event) -> None:
        """Write the line of an event that the session inherited by a fork: a log is a whole session."""
        self.saw(event)

    def forked(self, first: inarch.Event) -> bool:
        """Begin a fork's log with its first event, which names the original; return False if that log is incomplete."""
        source = self.path(first.data["forked_from"])
        if self.keep:  # often renamed files are removed
            return False
        try:
            if not has_events(source, first.data["forked_from"], first.data["forked_events"]):
                return False
        except OSError:
            return False
        self.saw(first)
        return True

    def files(self, session_id: str) -> Sequence[Path]:
        """Return the existing files of a session's log."""
        path = self.path(session_id)
        names = re.compile(rf"{re.escape(path.stem)}(\.\d+)?\.jsonl")
        return sorted(other for other in path.parent.glob(f"{path.stem}*.jsonl") if names.fullmatch(other.name))

    def logs(self) -> Sequence[Path]:
        """Return the log of each session, including one of which only renamed files are left."""
        found = (path.name.partition(".")[0] for path in Path(self.folder).glob("*.jsonl"))
        return [Path(self.folder, f"{name}.jsonl") for name in sorted({*found})]

    def summary(self, turn_id: str) -> str | None:
        """Report once what went wrong since the last report."""
        with self._lock:
            if self._file is None:
                return None
            said = []
            if self._file.removed:
                self._file.removed = False
                said.append(f"{self._file.path} was removed; the log goes on in a new file")
            if self._lost and not (self._fails and self._told):
                said.append(self._losses(self._file.path))
            return "; ".join(said) or None

    def close(self) -> None:
        """Close the file; the next event opens it again."""
        with self._lock:
            if self._file is not None:
                self._file.close()

    def _file_of(self, session_id: str) -> LogFile:
        if self._file is None or self._session != session_id:
            if self._file is not None:
                self._file.close()
            self._file = LogFile(self.path(session_id), self.max_bytes, self.keep)
            self._session = session_id
        return self._file

    def _losses(self, path: Path) -> str:
        events = "1 event is" if self._lost == 1 else f"{self._lost} events are"
        self._told = self._fails
        if self._fails:
            return f"{events} missing in {path} so far: {self._reason}; it is tried again with every event"
        self._lost = 0
        return f"{events} missing in {path}: {self._reason}"
