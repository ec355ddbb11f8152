"""From a spoken sentence to an edited file to a spoken answer: the real program, with files in place of devices."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import wave
from array import array
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from inarch_live.port import LiveCall
from inarch_live.samples import Resampler
from inarch_live.testing import LONGEST_S, GeminiServer, LiveServer, OpenAIServer, There
from inarch_live.wav import read_wav

KEY = "sk-a-key-of-the-tests-0123456789abcdef"
WORDS = "Edit the footer to say copyright twenty twenty five."
BEFORE, HELD, AFTER = 7001, 8002, 9003
"""Values of the samples that the model says before its call, while it runs, and after its result."""

LONG_S = 40
"""Seconds of voice that are not over when the call comes."""


def voice(value: int, seconds: float) -> bytes:
    return array("h", [value] * int(24_000 * seconds)).tobytes()


def heard(path: Path) -> Counter[int]:
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (24_000, 1, 2)
        return Counter(array("h", file.readframes(file.getnframes())))


class Place:
    """A project, a configuration and a spoken file, and the program there."""

    def __init__(self, folder: Path, server: LiveServer[Any], **keys: str) -> None:
        service = "gemini" if isinstance(server, GeminiServer) else "openai"
        self.folder, self.project = folder, folder / "project"
        self.project.mkdir()
        self.file = self.project / "App.tsx"
        self.file.write_text("<footer>Copyright 2024</footer>\n")
        config = folder / "config/inarch/config.toml"
        config.parent.mkdir(parents=True)
        lines = [f"{key} = {value}" for key, value in keys.items()]
        config.write_text(
            '[profiles.default]\nplugins = ["...", "live"]\n[plugins.live]\n'
            + "\n".join([f'service = "{service}"', f'{service}_base_url = "{server.url}"', *lines])
        )
        self.environ = {
            **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
            "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"), "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CACHE_HOME": str(folder / "cache"), "GEMINI_API_KEY": KEY, "OPENAI_API_KEY": KEY,
        }  # fmt: skip

    async def inarch(self, *words: str, typed: str = "") -> tuple[int, str]:
        """Run the program and return its exit code and all that it said."""
        running = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "inarch", *words, env=self.environ, cwd=self.project,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            said, _ = await asyncio.wait_for(running.communicate(typed.encode()), 2 * LONGEST_S)
        finally:
            if running.returncode is None:
                running.kill()
        assert running.returncode is not None
        return running.returncode, said.decode()


@pytest.fixture
def spoken(tmp_path: Path) -> Path:
    """A sentence as a WAV file of 16 kHz."""
    raw = tmp_path / "raw.wav"
    subprocess.run(["espeak-ng", "-s", "260", "-w", str(raw), WORDS], check=True)
    return Path(write_wav(tmp_path / "spoken.wav", read_wav(str(raw))))


@pytest.mark.needs("espeak-ng")
@pytest.mark.parametrize("kind", [GeminiServer, OpenAIServer])
async def test_a_spoken_sentence_edits_a_file_and_is_answered(kind: Any, tmp_path: Path, spoken: Path) -> None:
    sent = read_wav(str(spoken))
    wanted = sent if kind is GeminiServer else Resampler(16_000, 24_000).add(sent)

    async def script(there: There) -> None:
        if there is not server.connections[0]:
            return
        await there.until(lambda there: len(there.audio) >= len(wanted), "the spoken sentence")
        assert bytes(there.audio) == wanted, "what arrives are the samples of the file"
        await there.hear("Edit the footer to say copyright 2025.")
        await there.speak(voice(BEFORE, LONG_S), "Let me look. ")
        await there.call(LiveCall("c1", "read_file", {"file_path": "App.tsx"}))
        await there.until(lambda there: there.results)
        edit = {"file_path": "App.tsx", "search": "2024", "replace": "2025", "description": "The year"}
        await there.call(LiveCall("c2", "patch_source_file", edit))
        if kind is GeminiServer:  # the other service says nothing before it has the results
            await there.speak(voice(HELD, 1), "Editing. ")
        await there.until(lambda there: len(there.results) == 2)
        assert [one.status for one in there.results] == ["success", "success"]
        await there.speak(voice(AFTER, 0.3), "The footer says 2025.")
        await there.report_usage(30, 40, 100, 10)
        await there.end_turn()

    async with kind(script=script) as server:
        place = Place(tmp_path, server)
        out = tmp_path / "heard.wav"
        flags = ("--audio-in", str(spoken), "--audio-out", str(out), "--approve", "all")
        code, said = await place.inarch("live", *flags)
        assert code == 0, said
        assert place.file.read_text() == "<footer>Copyright 2025</footer>\n"
        samples = heard(out)
        assert samples[AFTER] == 7200, "what is said about the results is heard to its end"
        assert samples[HELD] == 0, "nothing from before the results is heard after the call came"
        assert samples[BEFORE] < 24_000 * LONG_S, "what was queued when the call came is dropped"
        assert "Edit the footer to say copyright 2025." in said and "patch_source_file" in said
        assert "The footer says 2025." in said
        code, said = await place.inarch("undo")
        assert code == 0 and place.file.read_text() == "<footer>Copyright 2024</footer>\n"
        code, said = await place.inarch("sessions", "export", "--format", "markdown")
        page = next(place.project.glob("session-*.md"))
        exported = page.read_text()
        page.unlink()
        assert "Edit the footer to say copyright 2025." in exported and "The footer says 2025." in exported
        code, said = await place.inarch("sessions", "list", "--json")
        code, said = await place.inarch("replay", json.loads(said)[0]["id"])
        assert code == 0 and "same: 1 turn," in said, said
        code, said = await place.inarch("live", "--continue", "--no-audio", typed="/stats\n")
        setup = str(server.connections[1].received)
        assert "The footer says 2025." in setup, "a session goes on by voice with what was said before"
        kept = b"".join(path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file())
        assert KEY.encode() not in kept and KEY not in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_it_in_order_and_every_call_is_answered(number: int, tmp_path: Path) -> None:
    async def script(there: There) -> None:
        await there.hear("Wait for it.")
        await there.call(LiveCall("c1", "execute_command", {"command": "tail -f App.tsx"}))

    async with GeminiServer(script=script) as server:
        place = Place(tmp_path, server)
        running = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "inarch", "live", "--no-audio", "--approve", "all",
            env=place.environ, cwd=place.project, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        there = await server.connection()
        while "Wait for it." not in (await place.inarch("sessions", "list"))[1]:
            pass  # the turn has not begun
        running.send_signal(number)
        await there.until(lambda there: there.results, "the answer to the call")
        assert await asyncio.wait_for(running.wait(), LONGEST_S) == 130
        assert [one.id for one in there.results] == ["c1"]
        page = (await place.inarch("sessions", "export", "--format", "markdown", "--output", "-"))[1]
        assert "cancelled" in page


async def test_audio_is_kept_only_where_that_is_wanted(tmp_path: Path) -> None:
    source = write_wav(tmp_path / "tone.wav", array("h", [5000] * 3200).tobytes())

    async def script(there: There) -> None:
        await there.until(lambda there: len(there.audio) >= 6400, "the tone")
        await there.hear("Tone.")
        await there.speak(voice(AFTER, 0.1), "I hear a tone.")
        await there.end_turn()

    async with GeminiServer(script=script) as server:
        for number, keys in enumerate(({}, {"record_audio": "true"})):
            folder = tmp_path / str(number)
            folder.mkdir()
            place = Place(folder, server, **keys)
            code, said = await place.inarch("live", "--audio-in", source, "--audio-out", str(folder / "out.wav"))
            assert code == 0, said
            kept = b"".join(path.read_bytes() for path in (folder / "state").rglob("*") if path.is_file())
            assert (array("h", [5000] * 800).tobytes() in kept) == bool(keys)
            assert (array("h", [AFTER] * 800).tobytes() in kept) == bool(keys)
            assert (b"live.audio" in kept) == bool(keys)


BAD = {
    "nothing": (None, "can't be read"),
    "text": (b"this is a text", "is no WAV file"),
    "cut": (b"RIFF\x24\x00\x00\x00WAVEfmt ", "is no WAV file"),
}


@pytest.mark.parametrize("name", BAD)
async def test_what_is_no_wav_is_told(name: str, tmp_path: Path) -> None:
    data, wrong = BAD[name]
    path = tmp_path / "spoken.wav"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(Exception, match=wrong) as told:
        read_wav(str(path))
    assert "--audio-in" in str(told.value)


def write_wav(path: Path, data: bytes, rate: int = 16_000, channels: int = 1, size: int = 2) -> str:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(size)
        file.setframerate(rate)
        file.writeframes(data)
    return str(path)


async def test_another_rate_and_two_channels_become_what_is_sent(tmp_path: Path) -> None:
    tone = array("h", [4000, 2000] * 4410).tobytes()
    found = array("h", read_wav(write_wav(tmp_path / "stereo.wav", tone, 44_100, 2)))
    assert len(found) == pytest.approx(1600, abs=20)
    assert set(found[100:1500]) == {3000}
    with pytest.raises(Exception, match="8 bits"):
        read_wav(write_wav(tmp_path / "bytes.wav", b"\x80" * 100, size=1))
    with pytest.raises(Exception, match="no sound"):
        read_wav(write_wav(tmp_path / "empty.wav", b""))
