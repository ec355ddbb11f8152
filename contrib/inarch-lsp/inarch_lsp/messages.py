"""Messages of the Language Server Protocol as bytes; what a server writes is bounded before it is believed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field

MOST_HEADER = 8 << 10
"""Bytes of a message's header."""
MOST_BODY = 16 << 20
"""Bytes of a message: the errors of a file that nobody should edit take less."""


class Garbage(Exception):
    """What a server wrote is no message."""


def packed(message: Mapping[str, Any]) -> bytes:
    """Return a message as it goes to a server."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


@define(eq=False, repr=False)
class Incoming:
    """Takes what a server writes, in pieces of any size, and gives whole messages."""

    _held: bytearray = field(factory=bytearray)
    _length: int = -1

    def take(self, piece: bytes) -> Iterator[dict[str, Any]]:
        """Yield the messages that end in a piece.

        Raises:
            Garbage: It is none, or one that is too long.
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
        """Take a header, if it is there as a whole."""
        end = self._held.find(b"\r\n\r\n", 0, MOST_HEADER)
        if end < 0:
            if len(self._held) >= MOST_HEADER:
                raise Garbage("it wrote something else than messages of the protocol")
            return False
        fields = (line.partition(b":") for line in bytes(self._held[:end]).split(b"\r\n"))
        lengths = [value.strip() for name, _, value in fields if name.strip().lower() == b"content-length"]
        if len(lengths) != 1 or not lengths[0].isdigit() or len(lengths[0]) > 12:
            raise Garbage("it wrote a message without its length")
        self._length = int(lengths[0])
        if self._length > MOST_BODY:
            raise Garbage(f"it wrote a message of {self._length} bytes; {MOST_BODY} are the most")
        del self._held[: end + 4]
        return True


def _message(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise Garbage("it wrote a message that is no JSON object")
    return message
