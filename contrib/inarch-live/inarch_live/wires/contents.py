"""Contents of messages: fields of any shape, audio in base64, and the person's utterance that grows."""

from __future__ import annotations

import base64
from typing import Any, TypeVar

from attrs import define, field

from inarch import ProviderError, token_count
from inarch_live.port import InputTranscript

Kind = TypeVar("Kind", dict[str, Any], list[Any], str)


def part(message: Any, key: str, kind: type[Kind]) -> Kind:
    """Return a field of a message, an empty value if it is missing or of another type."""
    value = message.get(key) if isinstance(message, dict) else None
    return value if isinstance(value, kind) else kind()


def number(message: Any, key: str) -> int:
    """Return a number of tokens, 0 if it is missing."""
    return token_count(message.get(key) if isinstance(message, dict) else None) or 0


def encoded(pcm: bytes) -> str:
    """Return samples as base64 for messages."""
    return base64.b64encode(pcm).decode("ascii")


def decoded(data: str, service: str) -> bytes:
    """Return samples.

    Raises:
        ProviderError: The data is not base64.
    """
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:
        raise ProviderError("malformed", f"{service} sent audio that is no base64", retryable=True) from None


@define
class Utterance:
    """The person's present utterance."""

    _whole: str = field(init=False, default="")

    def add(self, text: str, is_final: bool = False) -> list[InputTranscript]:
        """Add text and return its event, none if nothing is new."""
        if not text and not (is_final and self._whole):
            return []
        event = InputTranscript(self._whole + text, is_final)
        self._whole = "" if is_final else event.whole
        return [event]
