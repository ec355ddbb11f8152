"""Conversion of samples: signed 16-bit little-endian PCM with one channel, between numbers, bytes and rates."""

from __future__ import annotations

from array import array
from math import cos, gcd, pi, sin
from operator import mul

from attrs import define, field

from inarch_live.port import BYTES_PER_SAMPLE

BYTES = BYTES_PER_SAMPLE
LOUDEST = 32_767


def samples(pcm: bytes) -> array[int]:
    """Return bytes as samples, without half a sample at the end."""
    return array("h", pcm[: len(pcm) - len(pcm) % BYTES])


def level(pcm: bytes) -> float:
    """Return the peak level of a piece, from 0 to 1."""
    found = samples(pcm)
    return max(max(found), -min(found)) / (LOUDEST + 1) if found else 0.0


def mixed(pcm: bytes, channels: int) -> bytes:
    """Return the mean of several channels as one channel."""
    if channels == 1:
        return pcm
    found = samples(pcm)
    whole = len(found) - len(found) % channels
    return array("h", (sum(found[at : at + channels]) // channels for at in range(0, whole, channels))).tobytes()


REACH = 8
"""Zero crossings of the sinc to keep on each side."""


@define(eq=False)
class Resampler:
    """Converts 16-bit samples from one rate to another: `add` piece by piece, then `flush`.

    A windowed sinc, with one set of weights for each position of an output sample between two input samples (Crochiere
    and Rabiner, Multirate Digital Signal Processing, 1983). Every division into pieces gives the same result.
    """

    source: int
    target: int
    _up: int = field(init=False)
    _down: int = field(init=False)
    _half: int = field(init=False)
    _weights: dict[int, list[float]] = field(init=False, factory=dict, repr=False)
    _kept: list[int] = field(init=False, repr=False)
    _at: int = field(init=False)
    _half_sample: bytes = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        common = gcd(self.source, self.target)
        self._up, self._down = self.target // common, self.source // common
        self._half = REACH * max(1, -(-self._down // self._up))
        self._begin()

    def add(self, pcm: bytes) -> bytes:
        """Return the output that this input completes. Half a sample waits for its other half."""
        pcm = self._half_sample + pcm
        whole = len(pcm) - len(pcm) % BYTES
        pcm, self._half_sample = pcm[:whole], pcm[whole:]
        return pcm if self.source == self.target else self._made(samples(pcm).tolist())

    def flush(self) -> bytes:
        """Return the rest, and reset."""
        rest = b"" if self.source == self.target else self._made([0] * self._half)
        self._begin()
        return rest

    def _begin(self) -> None:
        self._kept, self._at, self._half_sample = [0] * (self._half - 1), 0, b""  # silence before the stream

    def _made(self, more: list[int]) -> bytes:
        """Return the output samples whose input samples are complete.

        `_at` is the position of the next output's first input sample in `_kept`, in steps of 1 / `_up`.
        """
        kept = self._kept + more
        width, weights = 2 * self._half, self._weights
        made = array("h")
        first, place = divmod(self._at, self._up)
        while first + width <= len(kept):
            if place not in weights:
                weights[place] = self._weighed(place)
            value = round(sum(map(mul, weights[place], kept[first : first + width])))
            made.append(max(-LOUDEST - 1, min(value, LOUDEST)))
            steps, place = divmod(place + self._down, self._up)
            first += steps
        done = min(first, len(kept))
        self._kept, self._at = kept[done:], (first - done) * self._up + place
        return made.tobytes()

    def _weighed(self, place: int) -> list[float]:
        """Return the input weights for an output sample that is `place / _up` behind an input sample."""
        cut = min(1.0, self._up / self._down)
        middle = self._half - 1 + place / self._up
        behind = [index - middle for index in range(2 * self._half)]
        weights = [_sinc(x * cut) * _window(x / self._half) for x in behind]
        total = sum(weights)
        return [weight / total for weight in weights]  # a constant signal does not change


def _sinc(x: float) -> float:
    return 1.0 if x == 0 else sin(pi * x) / (pi * x)


def _window(x: float) -> float:
    """Return the Blackman window: 1 in the middle, 0 from -1 and 1 outward."""
    return 0.42 + 0.5 * cos(pi * x) + 0.08 * cos(2 * pi * x) if abs(x) < 1 else 0.0
