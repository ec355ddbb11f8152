"""What a server writes to its standard error: kept in a file of limited length, its last line in memory."""

from __future__ import annotations

import os
from pathlib import Path

from attrs import define, field

from inarch.staging import make_folder
from inarch_mcp.definitions import shown

LONGEST = 262_144
"""Bytes of the file; the older half goes when it is full."""


@define(eq=False)
class Log:
    """The log of one server; without a path only the last line is kept."""

    path: Path | None
    _last: bytes = field(init=False, default=b"")
    _size: int = field(init=False, default=-1)

    @property
    def last_line(self) -> str:
        """The last line that says something, for a message."""
        lines = self._last.decode("utf-8", "replace").split("\n")
        return shown(next((line.strip() for line in reversed(lines) if line.strip()), ""), 200)

    def begin(self) -> None:
        """Forget the last lines: another process writes now."""
        self._last = b""

    def add(self, data: bytes) -> None:
        """Take note of what was written."""
        self._last = (self._last + data)[-2_000:]
        if self.path is None:
            return
        try:
            self._append(self.path, data)
        except OSError:  # a log is no reason to fail
            self.path = None

    def _append(self, path: Path, data: bytes) -> None:
        if self._size < 0:
            make_folder(path.parent)
            self._size = path.stat().st_size if path.exists() else 0
        if self._size + len(data) > LONGEST:
            kept = path.read_bytes()[-LONGEST // 2 :] if path.exists() else b""
            data = (kept + data)[-LONGEST // 2 :]
            path.unlink(missing_ok=True)
            self._size = 0
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as file:
            file.write(data)
        self._size += len(data)
