"""Pieces as they stand in messages: sound in base64, and utterances that grow."""

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
    """Return samples as messages hold them."""
    return base64.b64encode(pcm).decode("ascii")


def rate_of(mime: str, usual: int) -> int | None:
    """Return the samples a second that a MIME type tells, None where it is no PCM or no rate of sound."""
    if not _PCM.match(mime):
        return None
    told = _RATE.search(mime)
    rate = int(told[1][:9]) if told else usual
    return rate if LOWEST_RATE <= rate <= HIGHEST_RATE else None


@define(eq=False)
class Samples:
    """Makes whole samples of pieces; the half of one waits for its other half."""

    service: str
    _half: bytes = field(init=False, default=b"", repr=False)

    def of(self, data: str, rate: int) -> AudioDelta | None:
        """Return a piece of audio, None where no whole sample has come.

        Raises:
            ProviderError: It is no base64.
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
        """Forget the half of a sample: what comes next doesn't continue it."""
        self._half = b""


LONGEST = 100_000
"""Characters of an utterance; one that goes on is told as another."""


@define
class Utterance:
    """One side's present utterance."""

    kind: type[InputTranscript] | type[OutputTranscript]
    _whole: str = field(init=False, default="")

    def add(self, text: str, is_final: bool = False) -> list[InputTranscript | OutputTranscript]:
        """Return the event for more of it, none where nothing is new."""
        if not text and not (is_final and self._whole):
            return []
        self._whole += text
        is_final = is_final or len(self._whole) > LONGEST
        event = self.kind(text, self._whole, is_final)
        if is_final:
            self._whole = ""
        return [event]

    def end(self) -> list[InputTranscript | OutputTranscript]:
        """Return the event that it is complete, none where nothing was said."""
        return self.add("", is_final=True)

    def settle(self, whole: str) -> list[InputTranscript | OutputTranscript]:
        """Return the event for what it was in the end, which may differ from the pieces that came."""
        new = whole.removeprefix(self._whole) if whole.startswith(self._whole) else whole
        self._whole = ""
        return [self.kind(new, whole, True)] if whole else []
