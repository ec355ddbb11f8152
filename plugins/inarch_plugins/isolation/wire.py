"""Messages between the kernel and the process of an isolated plugin: a length, then one JSON object.

A child's messages are only data: they are never evaluated, and their length is limited to `LONGEST`. A message that is
not a JSON object ends the child.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST = 32 << 20
"""Maximum bytes of a message from a child."""
MOST_VALUES = 1 << 20
"""Maximum values in a message from a child."""
_HEAD = 4
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"')
_DECODER = json.JSONDecoder()
_ENCODER = json.JSONEncoder(separators=(",", ":"))


class Malformed(Exception):
    """Error for data of the other side that is not a message."""


def encoded(message: Mapping[str, Any]) -> bytes:
    """Return a message in wire form.

    Raises:
        TypeError: It has a value without a JSON form.
        ValueError: It refers to itself.
    """
    body = _ENCODER.encode(message).encode("ascii")
    return len(body).to_bytes(_HEAD, "little") + body


class Messages:
    """Buffer of received bytes, which yields the whole messages in them."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._bytes = bytearray()
        self.size = 0
        """Bytes of the last yielded message."""

    def feed(self, data: bytes) -> Iterator[dict[str, Any]]:
        """Yield the messages that `data` completes.

        Raises:
            Malformed: They are not messages, or too long.
        """
        self._bytes += data
        at = 0
        try:
            while len(self._bytes) - at >= _HEAD:
                size = int.from_bytes(self._bytes[at : at + _HEAD], "little")
                if size > self._longest:
                    raise Malformed(f"a message of {size} bytes")
                if len(self._bytes) - at - _HEAD < size:
                    break
                body = bytes(self._bytes[at + _HEAD : at + _HEAD + size])
                at += _HEAD + size
                self.size = size
                yield _object(body, self._longest)
        finally:
            del self._bytes[:at]


def _object(body: bytes, longest: int) -> dict[str, Any]:
    if longest == LONGEST and len(body) > MOST_VALUES and _values(body) > MOST_VALUES:
        raise Malformed(f"a message of more than {MOST_VALUES} values")
    try:
        message = _DECODER.decode(body.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise Malformed(f"what is not JSON ({type(error).__name__})") from None
    if not isinstance(message, dict):
        raise Malformed("something that is not a message")
    return message


def _values(body: bytes) -> int:
    """Return the maximum number of values in a long message: each takes far more memory than its few bytes here."""
    found = _marks(body)
    return _marks(_STRINGS.sub(b"", body)) if found > MOST_VALUES else found


def _marks(body: bytes) -> int:
    return sum(map(body.count, (b",", b"[", b"{")))
