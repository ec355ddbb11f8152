"""Input history of a directory, without secrets and readable only by the user."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from prompt_toolkit.history import History

from inarch_lib.staging import make_folder, write_whole
from inarch_plugins.terminal.conversation.pastes import COMMAND_SIGNS

MOST_LINES = 1_000
LONGEST = 16_384
"""Characters; a longer line is remembered only in its own conversation."""


class KeptHistory(History):
    """A file with one JSON string per line; lines that cannot be stored are remembered in this conversation."""

    def __init__(self, root: str, folder: Callable[[], Path], whole: Callable[[str], str] = str) -> None:
        super().__init__()
        self._root, self._folder, self._whole = root, folder, whole
        self._hide: Callable[[str], str] | None = None
        self._waiting: list[str] = []

    @property
    def path(self) -> Path:
        """Return the file for this directory."""
        name = sha256(os.path.realpath(self._root).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return self._folder() / "history" / f"{name}.jsonl"

    def load_history_strings(self) -> Iterable[str]:
        """Return the stored lines, newest first."""
        lines = self._read()
        if len(lines) > 2 * MOST_LINES:
            pieces = (json.dumps(line).encode() + b"\n" for line in lines[-MOST_LINES:])
            with suppress(OSError):
                write_whole(self.path, pieces, sync=False, former=rf"{re.escape(self.path.stem)}\.[0-9]+")
        return lines[: -MOST_LINES - 1 : -1]

    def store_string(self, string: str) -> None:
        """Store a line, once its secrets can be redacted."""
        if self._hide is None:
            self._waiting.append(string)
            return
        whole = self._whole(string)
        line = self._hide(whole)
        if len(line) > LONGEST or (whole != string and whole.lstrip().startswith(COMMAND_SIGNS)):
            return  # a pasted text that was not a command must not become one when recalled
        from inarch import InarchError

        try:
            path = self.path
            make_folder(path.parent)
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(json.dumps(line).encode() + b"\n")
        except (OSError, InarchError):
            return  # a full disk must not end the conversation

    def hide_with(self, hide: Callable[[str], str]) -> None:
        """Store the lines so far and all that follow, redacted with `hide`."""
        self._hide = hide
        waiting, self._waiting = self._waiting, []
        for line in waiting:
            self.store_string(line)

    def _read(self) -> list[str]:
        from inarch import InarchError

        try:
            rows = self.path.read_bytes().splitlines()
        except (OSError, InarchError):
            return []
        lines: list[str] = []
        for row in rows:
            try:
                line = json.loads(row)
            except ValueError:
                continue  # truncated, or not written by Inarch
            if isinstance(line, str) and (not lines or lines[-1] != line):
                lines.append(line)
        return lines
