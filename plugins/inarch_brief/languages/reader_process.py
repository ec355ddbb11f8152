"""Reading in a separate process: a grammar is compiled code that may crash, hang, or take all memory."""

from __future__ import annotations

import marshal
import os
import select
import subprocess
import sys
import time
from typing import Any

from attrs import Factory, define, field

from inarch_brief.languages.file_facts import bare, unreadable
from inarch_brief.languages.records import Call, Entry, FileFacts, Import, Symbol
from inarch_brief.languages.table import language_of

SECONDS = 5.0
"""The time limit for one file: 1 MB of ordinary code takes about one second."""
_STARTING = "import sys; sys.path[:0] = {path!r}; from inarch_brief.languages.worker import main; main()"
_KEPT = ("LD_LIBRARY_PATH", "LD_PRELOAD", "SYSTEMROOT", "TMPDIR")


class Ended(Exception):
    """The process ended, or did not answer in time; `args[0]` says which."""


@define(eq=False, repr=False)
class Apart:
    """Reader of files in a subprocess, which is restarted if it ends.

    Args:
        seconds: The time limit for one file.
        missing: Missing wheels of grammars. Files of their languages have only their length as a fact.
    """

    seconds: float = SECONDS
    missing: dict[str, str] = Factory(dict)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def read(self, path: str, data: bytes) -> FileFacts:
        """Read a file in the language of its path. Its facts name any problem."""
        language = language_of(path)
        name = language.name if language else ""
        problem = unreadable(data)
        if problem or name in self.missing:
            return bare(data, name, problem or self.missing[name])
        try:
            kind, value = self._asked(path, data)
        except Ended as error:
            self.close()
            return bare(data, name, error.args[0])
        if kind == "facts" and value is not None:
            return _facts(value)
        if kind == "missing":
            self.missing[name] = f"{value} is not installed"
        return bare(data, name, self.missing.get(name, f"can't be read: {value}"))

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
            process.wait()

    def _asked(self, path: str, data: bytes) -> tuple[str, Any]:
        """Send a file and wait for the answer.

        Raises:
            Ended: the process ended or did not answer in time.
        """
        deadline = time.monotonic() + self.seconds
        try:
            process = self._process = self._process or _started()
            message = marshal.dumps((path, data))
            self._write(process, len(message).to_bytes(4, "big") + message, deadline)
            length = int.from_bytes(self._exactly(process, 4, deadline), "big")
            kind, value = marshal.loads(self._exactly(process, length, deadline))
        except (OSError, EOFError, ValueError, TypeError) as error:
            raise Ended("its parser crashed") from error
        return kind, value

    def _write(self, process: subprocess.Popen[bytes], message: bytes, deadline: float) -> None:
        assert process.stdin is not None
        number, place = process.stdin.fileno(), 0
        while place < len(message):
            _, ready, _ = select.select([], [number], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise Ended(self._late())
            place += os.write(number, message[place : place + select.PIPE_BUF])

    def _exactly(self, process: subprocess.Popen[bytes], length: int, deadline: float) -> bytes:
        assert process.stdout is not None
        number, parts, missing = process.stdout.fileno(), [], length
        while missing:
            ready, _, _ = select.select([number], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise Ended(self._late())
            part = os.read(number, min(missing, 1 << 16))
            if not part:
                raise Ended("its parser crashed")
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _late(self) -> str:
        return f"reading it takes more than {self.seconds:g} s"


def _started() -> subprocess.Popen[bytes]:
    """Start a process with this one's import path, and almost nothing else of its environment."""
    path = [folder for folder in sys.path if folder]
    return subprocess.Popen(
        [sys.executable, "-I", "-c", _STARTING.format(path=path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, cwd="/",
        env={name: os.environ[name] for name in _KEPT if name in os.environ}, start_new_session=True,
    )  # fmt: skip


def _facts(value: Any) -> FileFacts:
    language, symbols, imports, calls, entries, exports, package, problem = value
    return FileFacts(
        language,
        tuple([Symbol(*row) for row in symbols]),
        tuple([Import(*row) for row in imports]),
        tuple([Call(*row) for row in calls]),
        tuple([Entry(*row) for row in entries]),
        exports, package, problem,
    )  # fmt: skip
