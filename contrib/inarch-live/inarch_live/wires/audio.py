"""Contents of messages: audio in base64, and utterances that grow."""

from __future__ import annotations

import base64
import binascii
import re

from attrs import define, field

from inarch import ProviderError
from inarch_live.port import BYTES_PER_SAMPLE, AudioDelta, InputTranscript, OutputTranscript

LOWEST_RATE, HIGHEST_RATE = 4_000, 384_000
_PCM = re.compile(r"audio/(pcm|l16)\b", re.I)
_RATE = re.compile(r"rate=(\d+)", re.I)


def encoded(pcm: bytes) -> str:
    """Return samples as base64 for messages."""
    return base64.b64encode(pcm).decode("ascii")


def rate_of(mime: str, usual: int) -> int | None:
    """Return the sample rate of a MIME type, None if it is not PCM or the rate is invalid."""
    if not _PCM.match(mime):
        return None
    told = _RATE.search(mime)
    rate = int(told[1][:9]) if told else usual
    return rate if LOWEST_RATE <= rate <= HIGHEST_RATE else None


@define(eq=False)
class Samples:
    """Joins pieces into whole samples; half a sample waits for its other half."""

    service: str
    _half: bytes = field(init=False, default=b"", repr=False)

    def of(self, data: str, rate: int) -> AudioDelta | None:
        """Return a piece of audio, None if no whole sample has arrived.

        Raises:
            ProviderError: The data is not base64.
        """
        try:
            pcm = self._half + base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            pcm = None
        if pcm is None:
            raise ProviderError("malformed", f"{self.service} sent audio that is no base64", retryable=True)
        whole = len(pcm) - len(pcm) % BYTES_PER_SAMPLE
        self._half = pcm[whole:]
        return AudioDelta(pcm[:whole], rate) if whole else None

    def reset(self) -> None:
        """Drop half a sample, because the next piece does not continue it."""
        self._half = b""


LONGEST = 100_000
"""Most characters of an utterance; the rest becomes another utterance."""


@define
class Utterance:
    """The present utterance of one side."""

    kind: type[InputTranscript] | type[OutputTranscript]
    _whole: str = field(init=False, default="")

    def add(self, text: str, is_final: bool = False) -> list[InputTranscript | OutputTranscript]:
        """Add text and return its event, none if nothing is new."""
        if not text and not (is_final and self._whole):
            return []
        self._whole += text
        is_final = is_final or len(self._whole) > LONGEST
        event = self.kind(text, self._whole, is_final)
        if is_final:
            self._whole = ""
        return [event]

    def end(self) -> list[InputTranscript | OutputTranscript]:
        """End the utterance and return its final event, none if it is empty."""
        return self.add("", is_final=True)

    def settle(self, whole: str) -> list[InputTranscript | OutputTranscript]:
        """Return the final event for the complete text, which may differ from the pieces so far."""
        new = whole.removeprefix(self._whole) if whole.startswith(self._whole) else whole
        self._whole = ""
        return [self.kind(new, whole, True)] if whole else []
