"""Audio input and output: a microphone and a speaker through miniaudio, or WAV files in their place.

This uses miniaudio because its wheels are complete. On Linux, sounddevice needs the system's libportaudio2, which pip
cannot install. miniaudio also has a null device, so tests run the same code as real devices.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO, Protocol

from attrs import define, field

import inarch
from inarch_live.playback import Playback
from inarch_live.port import INPUT_RATE
from inarch_live.samples import BYTES
from inarch_live.wav import open_to_write, writer

FRAME_S = 0.02
FRAME = int(FRAME_S * INPUT_RATE) * BYTES
"""Bytes of audio sent at once."""
OUT_MS = 40
"""Milliseconds of audio that the speaker buffers. An interruption is silent after that time."""
GONE_S = 3.0
"""Seconds without data after which a microphone counts as disconnected."""
_MISSING = "pip install 'inarch-live[audio]', or give --audio-in FILE.wav and --audio-out FILE.wav, or --no-audio"

Heard = Callable[[bytes], object]


class Source(Protocol):
    """Source of the person's audio; `start` raises `UsageError` if it can't be opened."""

    @property
    def is_over(self) -> bool:
        """Whether the source has ended."""
        ...

    def start(self, heard: Heard) -> None:
        """Begin to deliver pieces in the event loop."""
        ...

    def stop(self) -> None:
        """Stop delivering; may be called twice."""
        ...


class Sink(Protocol):
    """Output for the model's voice; `start` raises `UsageError` if it can't be opened."""

    def start(self, playback: Playback) -> None:
        """Begin to take audio from the queue."""
        ...

    def stop(self) -> None:
        """Stop taking audio; may be called twice."""
        ...


@define(eq=False, repr=False)
class WavSource:
    """A WAV file delivered in real time."""

    pcm: bytes
    is_over: bool = field(init=False, default=False)
    _task: asyncio.Task[None] | None = field(init=False, default=None)

    def start(self, heard: Heard) -> None:
        """Begin to deliver the file from its start."""
        self._task = asyncio.get_running_loop().create_task(self._speak(heard))

    def stop(self) -> None:
        """Stop delivering."""
        if self._task is not None:
            self._task.cancel()

    async def _speak(self, heard: Heard) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        for number, place in enumerate(range(0, len(self.pcm), FRAME)):
            await asyncio.sleep(max(0.0, began + number * FRAME_S - loop.time()))
            heard(self.pcm[place : place + FRAME])
        self.is_over = True


@define(eq=False, repr=False)
class WavSink:
    """A WAV file that records audible output in real time, without pauses."""

    path: str
    _task: asyncio.Task[None] | None = field(init=False, default=None)

    def start(self, playback: Playback) -> None:
        """Begin to write the file."""
        stream = open_to_write(self.path)
        self._task = asyncio.get_running_loop().create_task(self._write(stream, playback))

    def stop(self) -> None:
        """Close the file."""
        if self._task is not None:
            self._task.cancel()

    async def _write(self, stream: BinaryIO, playback: Playback) -> None:
        loop = asyncio.get_running_loop()
        size = int(FRAME_S * playback.rate) * BYTES
        due = loop.time()
        with stream, writer(stream, playback.rate) as file:
            while True:
                due = max(due + FRAME_S, loop.time() - 1.0)  # catch up by at most 1 s after a pause
                await asyncio.sleep(max(0.0, due - loop.time()))
                if playback.is_sounding:
                    file.writeframes(playback.take(min(size, playback.waiting)))


@define(eq=False, repr=False)
class _Device:
    """A device of miniaudio; `backends` are those to try, empty for the system's."""

    backends: Sequence[Any] = ()
    _device: Any = field(init=False, default=None)

    def stop(self) -> None:
        """Close the device."""
        device, self._device = self._device, None
        if device is not None:
            device.close()

    def _open(self, what: str, kind: str, rate: int, milliseconds: int, sound: Generator[Any, Any, None]) -> None:
        """Open the device. The library's errors say what to do, and the system's own output is discarded."""
        try:
            audio = import_module("miniaudio")
        except ImportError:
            raise inarch.UsageError("there is no library for microphone and speaker", _MISSING) from None
        more = {"backends": list(self.backends)} if self.backends else {}
        form = {"input_format" if what == "microphone" else "output_format": audio.SampleFormat.SIGNED16}
        next(sound)
        try:
            with _silenced():
                self._device = getattr(audio, kind)(
                    nchannels=1, sample_rate=rate, buffersize_msec=milliseconds, app_name="inarch", **form, **more
                )
                self._device.start(sound)
        except (audio.MiniaudioError, OSError, ValueError) as error:
            raise inarch.UsageError(
                f"the {what} can't be opened: {error.args[0] if error.args else error}",
                "plug one in, or give --audio-in FILE.wav and --audio-out FILE.wav, or --no-audio",
            ) from None


class Microphone(_Device):
    """The system's microphone."""

    is_over = False

    def start(self, heard: Heard) -> None:
        """Open the device."""
        sound = _hearing(asyncio.get_running_loop(), heard)
        self._open("microphone", "CaptureDevice", INPUT_RATE, int(FRAME_S * 1000), sound)


class Speaker(_Device):
    """The system's speaker."""

    def start(self, playback: Playback) -> None:
        """Open the device."""
        self._open("speaker", "PlaybackDevice", playback.rate, OUT_MS, _sounding(playback))


def _hearing(loop: asyncio.AbstractEventLoop, heard: Heard) -> Generator[None, bytes, None]:
    while True:
        piece = bytes((yield))
        try:
            loop.call_soon_threadsafe(heard, piece)
        except RuntimeError:  # the loop is closed
            return


def _sounding(playback: Playback) -> Generator[bytes, int, None]:
    frames = yield b""
    while True:
        frames = yield playback.take(frames * BYTES)


@contextmanager
def _silenced() -> Iterator[None]:
    """Silence standard error, because ALSA writes to it over the display if there is no device."""
    try:
        kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:  # there is no standard error
        yield
        return
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)
