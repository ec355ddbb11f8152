"""WAV files that replace a microphone and a speaker."""

from __future__ import annotations

import wave
from pathlib import Path
from typing import BinaryIO

import inarch
from inarch_live.port import INPUT_RATE
from inarch_live.samples import BYTES, Resampler, mixed

LONGEST_S = 3600
_CONVERT = "convert it, as in: ffmpeg -i {name} -ar 16000 -ac 1 -c:a pcm_s16le spoken.wav"


def read_wav(path: str) -> bytes:
    """Return a file's samples in the format for sending; 16 kHz with one channel stays unchanged.

    Raises:
        UsageError: The file cannot be read, or is not a WAV file of 16-bit PCM.
    """
    try:
        with wave.open(path, "rb") as file:
            return _samples(file, path)
    except (wave.Error, EOFError) as error:
        raise inarch.UsageError(
            f"--audio-in {path} is no WAV file of PCM: {str(error) or 'it ends too early'}",
            _CONVERT.format(name=Path(path).name),
        ) from None
    except OSError as error:
        raise inarch.UsageError(f"--audio-in {path} can't be read: {error.strerror or error}") from None


def _samples(file: wave.Wave_read, path: str) -> bytes:
    rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
    wrong = ""
    if width != BYTES:
        wrong = f"has samples of {8 * width} bits, not 16"
    elif not 4_000 <= rate <= 192_000 or not 1 <= channels <= 32:
        wrong = f"has {rate} samples a second in {channels} channels"
    elif not file.getnframes():
        wrong = "has no sound in it"
    elif file.getnframes() > LONGEST_S * rate:
        wrong = f"is longer than {LONGEST_S // 60} minutes"
    if wrong:
        raise inarch.UsageError(f"--audio-in {path} {wrong}", _CONVERT.format(name=Path(path).name))
    resampler = Resampler(rate, INPUT_RATE)
    return resampler.add(mixed(file.readframes(file.getnframes()), channels)) + resampler.flush()


def open_to_write(path: str) -> BinaryIO:
    """Return a new file for the audible output.

    Raises:
        UsageError: The file cannot be written.
    """
    try:
        return Path(path).open("wb")
    except OSError as error:
        raise inarch.UsageError(f"--audio-out {path} can't be written: {error.strerror or error}") from None


def writer(stream: BinaryIO, rate: int) -> wave.Wave_write:
    """Return a writer of samples as WAV. Closing the writer completes the file but leaves the stream open."""
    file = wave.open(stream, "wb")  # noqa: SIM115 - the caller closes it
    file.setnchannels(1)
    file.setsampwidth(BYTES)
    file.setframerate(rate)
    return file
