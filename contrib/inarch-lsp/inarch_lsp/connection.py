"""Process of a language server: confined by the workspace, reached through a named pipe, ended with its session.

A workspace runs programs to their end and gives them no input meanwhile. So the server is the second program of a
pipeline, and `cat`, the first one, reads the pipe. The workspace's supervisor ends both, even after a kill.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

import inarch
from inarch.capabilities import RunsPiped, able

MOST_HEADER = 8 << 10
"""Maximum bytes of a message's header."""
MOST_BODY = 16 << 20
"""Maximum bytes of a message; the errors of any reasonable file take less."""


class Garbage(Exception):
    """Output of a server that is not a message."""


def packed(message: Mapping[str, Any]) -> bytes:
    """Encode a message for a server."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


@define(eq=False, repr=False)
class Incoming:
    """Parser of a server's output: takes pieces of any size and returns whole messages."""

    _held: bytearray = field(factory=bytearray)
    _length: int = -1

    def take(self, piece: bytes) -> Iterator[dict[str, Any]]:
        """Yield the messages that end in a piece.

        Raises:
            Garbage: It is not a message, or is too long.
        """
        self._held += piece
        while True:
            if self._length < 0 and not self._read_header():
                return
            if len(self._held) < self._length:
                return
            body = bytes(self._held[: self._length])
            del self._held[: self._length]
            self._length = -1
            yield _message(body)

    def _read_header(self) -> bool:
        """Read a header if it is complete."""
        end = self._held.find(b"\r\n\r\n", 0, MOST_HEADER)
        if end < 0:
            if len(self._held) >= MOST_HEADER:
                raise Garbage("it wrote output that is not a protocol message")
            return False
        fields = (line.partition(b":") for line in bytes(self._held[:end]).split(b"\r\n"))
        lengths = [value.strip() for name, _, value in fields if name.strip().lower() == b"content-length"]
        if len(lengths) != 1 or not lengths[0].isdigit() or len(lengths[0]) > 12:
            raise Garbage("it wrote a message without its length")
        self._length = int(lengths[0])
        if self._length > MOST_BODY:
            raise Garbage(f"it wrote a message of {self._length} bytes; the limit is {MOST_BODY}")
        del self._held[: end + 4]
        return True


def _message(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise Garbage("it wrote a message that is not a JSON object")
    return message


MOST_WAITING = 32 << 20
"""Bytes that a server may leave unread before it is disabled."""
_LONGEST_S = 7 * 24 * 3600.0
_BEAT_S = 0.5
_LOOK_S = 0.05
_BEAT = packed({"method": "$/setTrace", "params": {"value": "off"}})
"""Message without effect: writing it lets `cat` notice that a server has ended."""
_SURE_LEVEL = 2


class Ended(Exception):
    """End of the server, with the reason."""


@define(eq=False, repr=False)
class Connection:
    """A running server, and the messages to and from it."""

    argv: Sequence[str]
    rights: inarch.Rights
    answer: Callable[[dict[str, Any]], None]
    why: str = ""
    was_closed: bool = False
    changed: threading.Condition = field(factory=threading.Condition)
    _stop: threading.Event = field(factory=threading.Event)
    _incoming: Incoming = field(factory=Incoming)
    _waiting: bytearray = field(factory=bytearray)
    _folder: str = ""
    _pipe: int = -1
    _beaten: float = 0.0

    def open(self, workspace: inarch.Workspace) -> None:
        """Start the server in its own thread.

        Raises:
            Ended: The sandbox is too weak here.
        """
        try:
            level = workspace.confinement().level
            joins = able(workspace, RunsPiped)
            if level < _SURE_LEVEL:
                raise Ended(f"programs are confined at level {level} only here")
            if joins is None:
                raise Ended("this workspace cannot run pipelines")
            self._folder = tempfile.mkdtemp(prefix="inarch-lsp-")
            place = f"{self._folder}/in"
            os.mkfifo(place, 0o600)
            self._pipe = os.open(place, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)  # O_RDWR never blocks
        except OSError as error:
            raise Ended(f"its pipe cannot be created: {error.strerror}") from None
        except inarch.ToolFailed as error:
            raise Ended(error.message) from None
        threading.Thread(target=self._run, args=(joins.run_piped, place), name="inarch-lsp", daemon=True).start()

    def _run(self, run: Callable[..., inarch.Ran], place: str) -> None:
        """Run the server to its end, then wake up whoever waits."""
        parts = [
            inarch.Piped(("cat", place), inarch.Rights(reads=(self._folder,)), errors="null"),
            inarch.Piped(tuple(self.argv), self.rights, errors="null"),
        ]
        why, closed = "it was stopped", False
        try:
            ran = run(parts, timeout_s=_LONGEST_S, on_output=self._take, cancelled=self._stop)
            code = ran.ended[-1][0] if ran.ended else ran.exit_code
            why = "it was killed" if code is None else f"it ended with exit code {code}"
        except inarch.Cancelled:
            pass
        except inarch.ToolFailed as error:
            why, closed = error.message, error.code == "cancelled"
        finally:
            if self._folder:
                shutil.rmtree(self._folder, ignore_errors=True)
            with self.changed:
                os.close(self._pipe)
                self._pipe = -1
                self.was_closed = closed and not self.why
                self.why = self.why or why
                self.changed.notify_all()

    def _take(self, piece: bytes) -> None:
        """Parse the server's output; ignore it after the first invalid message."""
        if self.why:
            return
        if self._folder:  # the answering thread has opened the pipe, and a kill must not leave the folder behind
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""
        try:
            for message in self._incoming.take(piece):
                with self.changed:
                    self.answer(message)
                    self.changed.notify_all()
        except Garbage as error:
            self.close(str(error))

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message, or as much as the server takes now; `wait` sends the rest."""
        with self.changed:
            self._waiting += packed(message)
            self._flush()

    def wait(self, until: Callable[[], bool], seconds: float) -> bool:
        """Wait until a condition holds, and return whether it does.

        Raises:
            Ended: The server has ended, or must end.
        """
        end = time.monotonic() + seconds
        with self.changed:
            while not until():
                if self.why:
                    raise Ended(self.why)
                now = time.monotonic()
                if now >= end:
                    return False
                if now - self._beaten > _BEAT_S and not self._waiting:
                    self._waiting += _BEAT
                    self._beaten = now
                self._flush()
                self.changed.wait(min(_LOOK_S, end - now))
            return True

    def _flush(self) -> None:
        """Write queued data; the caller holds the lock, and the pipe may be closed."""
        while self._waiting and self._pipe >= 0:
            try:
                del self._waiting[: os.write(self._pipe, self._waiting[: 1 << 16])]
            except BlockingIOError:
                if len(self._waiting) > MOST_WAITING:
                    self.close("it does not read its input")
                return

    def close(self, why: str) -> None:
        """Kill the server."""
        with self.changed:
            self.why = self.why or why
            self._stop.set()
            self.changed.notify_all()
