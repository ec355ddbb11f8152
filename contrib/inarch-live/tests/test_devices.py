"""Microphone, speaker and what stands between them and the conversation."""

from __future__ import annotations

import asyncio
import sys
import wave
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inarch_live import devices
from inarch_live.devices import FRAME, Microphone, Speaker, WavSink, WavSource
from inarch_live.playback import FASTEST, Playback
from inarch_live.testing import LONGEST_S, GeminiServer

import inarch

from .bench import HandSpeaker, talking

LOUD = array("h", [9000, -9000] * 1200).tobytes()


async def until(what: Callable[[], object]) -> None:
    async with asyncio.timeout(LONGEST_S):
        while not what():  # noqa: ASYNC110 - a device's thread does it
            await asyncio.sleep(0.005)


@given(
    pieces=st.lists(st.binary(max_size=60).map(lambda data: data[: len(data) // 2 * 2])),
    sizes=st.lists(st.integers(0, 50).map(lambda size: 2 * size)),
)
def test_what_is_put_is_what_is_heard_and_then_silence(pieces: list[bytes], sizes: list[int]) -> None:
    playback = Playback()
    for piece in pieces:
        playback.put(piece, playback.rate)
    whole, taken = b"".join(pieces), b"".join(playback.take(size) for size in sizes)
    assert taken == whole[: len(taken)].ljust(len(taken), b"\0")
    assert playback.waiting == max(0, len(whole) - len(taken))
    assert playback.drop() == playback._ms(max(0, len(whole) - len(taken)))
    assert not playback.is_sounding and playback.take(4) == b"\0" * 4


async def test_the_devices_of_the_library_are_heard_and_hear() -> None:
    miniaudio = pytest.importorskip("miniaudio")
    nothing = [miniaudio.Backend.NULL]
    playback, heard = Playback(), list[bytes]()
    speaker, microphone = Speaker(nothing), Microphone(nothing)
    playback.put(LOUD, playback.rate)
    speaker.start(playback)
    microphone.start(heard.append)
    await until(lambda: len(heard) > 3 and not playback.is_sounding)
    for device in (speaker, microphone, speaker, microphone):
        device.stop()
    count = len(heard)
    await asyncio.sleep(0.05)
    assert len(heard) <= count + 2, "a closed microphone hears nothing"
    assert playback.heard_ms >= 100


async def test_without_the_library_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "miniaudio", None)
    for begin in (lambda: Microphone().start(print), lambda: Speaker().start(Playback())):
        with pytest.raises(inarch.UsageError, match="no library") as told:
            begin()
        assert "inarch-live[audio]" in str(told.value)


async def test_a_device_that_is_not_there_is_a_user_error() -> None:
    miniaudio = pytest.importorskip("miniaudio")
    with pytest.raises(inarch.UsageError, match="can't be opened"):
        Speaker([miniaudio.Backend.WEBAUDIO]).start(Playback())


async def test_a_file_is_written_as_fast_as_it_sounds(tmp_path: Path) -> None:
    playback, path = Playback(), tmp_path / "out.wav"
    sink = WavSink(str(path))
    sink.start(playback)
    playback.put(LOUD, playback.rate)
    await until(lambda: not playback.is_sounding)
    sink.stop()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    with wave.open(str(path)) as file:
        assert file.readframes(file.getnframes()) == LOUD
    with pytest.raises(inarch.UsageError, match="can't be written"):
        WavSink(str(tmp_path / "none/out.wav")).start(playback)


class Still:
    """A microphone that gives a piece and then nothing, as one that was pulled out."""

    is_over = False

    def __init__(self) -> None:
        self.stopped = 0

    def start(self, heard: Any) -> None:
        asyncio.get_running_loop().call_soon(heard, LOUD[:FRAME])

    def stop(self) -> None:
        self.stopped += 1


async def test_a_microphone_that_goes_away_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inarch_live.voice.GONE_S", 0.1)
    source = Still()
    async with GeminiServer() as server, talking(server.provider(), tmp_path, source=source) as bench:
        await bench.until(lambda: bench.told)
        assert "microphone" in bench.told[0] and source.stopped and not bench.voice.is_on
        there = await server.connection()
        await there.until(lambda there: "audioStreamEnd" in str(there.received))


async def test_a_microphone_that_can_not_be_opened_leaves_the_conversation(tmp_path: Path) -> None:
    class None_(Still):
        def start(self, heard: Any) -> None:
            raise inarch.UsageError("the microphone can't be opened", "plug one in")

    async with GeminiServer() as server, talking(server.provider(), tmp_path, source=None_()) as bench:
        await bench.until(lambda: bench.told)
        bench.type("Then I type.")
        there = await server.connection()
        await there.until(lambda there: there.texts)
        await there.speak(LOUD, "Fine.")
        await there.end_turn()
        await bench.until(lambda: bench.turns)
        assert bench.turns[0].content == "Fine."


@pytest.mark.parametrize("headphones", [False, True])
async def test_while_the_model_speaks_only_headphones_leave_the_microphone_open(
    headphones: bool, tmp_path: Path
) -> None:
    source = WavSource(LOUD[:FRAME])
    async with (
        GeminiServer() as server,
        talking(server.provider(), tmp_path, source=source, sink=HandSpeaker(), headphones=headphones) as bench,
    ):
        there = await server.connection()
        await there.until(lambda there: len(there.audio) == FRAME)
        await bench.until(lambda: not bench.voice.is_on)
        bench.voice.source = Still()
        bench.voice.turn_on()
        await there.until(lambda there: len(there.audio) == 2 * FRAME)
        await there.hear("Hello.")
        await there.speak(LOUD * 20, "Hello.")
        await bench.until(lambda: bench.conversation.playback.is_sounding)
        bench.voice._heard(LOUD[:FRAME])
        bench.conversation.playback.drop()
        bench.voice._heard(LOUD[:FRAME])
        pieces = 4 if headphones else 3
        await there.until(lambda there: len(there.audio) >= pieces * FRAME)
        await asyncio.sleep(0.05)
        assert len(there.audio) == pieces * FRAME


async def test_push_to_talk_says_when_the_person_speaks(tmp_path: Path) -> None:
    source = WavSource(LOUD[:FRAME] * 2)
    async with GeminiServer() as server, talking(server.provider(), tmp_path, source=source, hearing="push") as bench:
        there = await server.connection()
        await there.until(lambda there: "activityEnd" in str(there.received))
        kinds = [kind for message in there.received for kind in message.get("realtimeInput", ())]
        assert kinds == ["activityStart", "audio", "audio", "activityEnd"]
        assert bench.voice.keys["space"] == bench.voice.toggle


async def test_silence_costs_no_turn_and_keeps_the_conversation(tmp_path: Path) -> None:
    source = WavSource(bytes(FRAME * 5))
    async with GeminiServer() as server, talking(server.provider(), tmp_path, source=source) as bench:
        there = await server.connection()
        await there.until(lambda there: len(there.audio) == 5 * FRAME)
        await there.end_turn()
        await bench.until(lambda: not bench.voice.is_on)
        assert not bench.turns and not bench.seen.of("turn.started")


def test_the_line_of_the_picture_fits(tmp_path: Path) -> None:
    async def go() -> None:
        async with GeminiServer() as server, talking(server.provider(), tmp_path, source=Still()) as bench:
            there = await server.connection()
            await there.hear("words " * 100 + "\x1b[2Jand an escape")
            await bench.until(lambda: bench.conversation.hearing.text)
            for columns in (20, 40, 80):
                line = bench.voice.status(columns)
                assert inarch.width(line) <= columns and "\x1b" not in line

    asyncio.run(go())
    assert devices.FRAME == 640


@given(
    parts=st.lists(st.tuples(st.integers(0, 40), st.text("ab \n", max_size=30)), max_size=12),
    heard=st.integers(0, 400), is_ahead=st.booleans(),
)  # fmt: skip
def test_words_count_as_said_only_with_their_voice(parts: list[tuple[int, str]], heard: int, is_ahead: bool) -> None:
    playback = Playback(rate=1000)
    for hundredths, text in parts:
        if is_ahead:
            playback.caption(text)
        playback.put(bytes(20 * hundredths), 1000)
        if not is_ahead:
            playback.caption(text)
    whole, sound = "".join(text for _, text in parts), playback.waiting
    taken = min(20 * heard, sound)
    playback.take(taken)
    said = playback.heard_words()
    assert whole.startswith(said) and len(said) <= FASTEST * taken / 2000
    playback.drop()
    assert playback.heard_words(is_whole=True) == ""
    playback.put(bytes(2000), 1000)
    playback.caption("more")
    playback.take(2000)
    assert playback.heard_words(is_whole=True) == "more"
