"""Another rate: the same samples however the stream is cut, as many as there should be, and the same sound."""

from __future__ import annotations

from array import array
from math import pi, sin, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inarch_live.samples import Resampler

RATES = [(16_000, 24_000), (24_000, 48_000), (24_000, 44_100), (48_000, 16_000), (44_100, 16_000), (16_000, 16_000)]


def whole(source: int, target: int, pcm: bytes) -> bytes:
    resampler = Resampler(source, target)
    return resampler.add(pcm) + resampler.flush()


def tone(rate: int, hertz: float, seconds: float = 0.1) -> array[int]:
    return array("h", [round(20_000 * sin(2 * pi * hertz * at / rate)) for at in range(int(rate * seconds))])


@given(st.binary(max_size=600), st.lists(st.integers(0, 97), max_size=20), st.sampled_from(RATES))
def test_the_pieces_make_no_difference(pcm: bytes, sizes: list[int], rates: tuple[int, int]) -> None:
    resampler, made, at = Resampler(*rates), b"", 0
    for size in sizes:
        made += resampler.add(pcm[at : at + size])
        at += size
    made += resampler.add(pcm[at:]) + resampler.flush()
    assert made == whole(*rates, pcm)
    samples = len(pcm) // 2
    assert len(made) // 2 == -(-samples * rates[1] // rates[0])
    assert resampler.add(pcm) + resampler.flush() == made, "flush did not begin anew"


@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("hertz", [100, 440, 1_000, 3_000, 5_000])
def test_a_tone_stays_the_tone(rates: tuple[int, int], hertz: int) -> None:
    source, target = rates
    made = array("h", whole(source, target, tone(source, hertz).tobytes()))
    expected = tone(target, hertz)
    edge = target // 100
    errors = [a - b for a, b in zip(made[edge:-edge], expected[edge:-edge], strict=False)]
    assert sqrt(sum(error * error for error in errors) / len(errors)) < 100  # 46 dB below the tone


def test_what_the_lower_rate_cannot_hold_is_left_out() -> None:
    made = array("h", whole(48_000, 16_000, tone(48_000, 12_000).tobytes()))
    assert max(map(abs, made[200:-200])) < 200
