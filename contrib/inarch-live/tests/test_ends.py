"""How a spoken session without a terminal ends: its exit code, and what it leaves out of what it says."""

from __future__ import annotations

import json
import wave
from array import array
from pathlib import Path
from typing import Any

import pytest
from inarch_live.testing import GeminiServer, OpenAIServer, There

from .test_spoken import AFTER, KEY, Place, voice, write_wav

TONE = array("h", [5000] * 16_000).tobytes()


def heard_bytes(path: str) -> bytes:
    with wave.open(path) as file:
        return file.readframes(file.getnframes())


async def test_secrets_are_not_shown_and_wrong_words_change_no_file(tmp_path: Path) -> None:
    async def script(there: There) -> None:
        await there.until(lambda there: len(there.audio) > 3_000)
        await there.hear(f"My key is {KEY}.")
        await there.speak(voice(AFTER, 0.1), f"So {KEY} is it.")
        await there.end_turn()

    async with GeminiServer(script=script) as server:
        place, source = Place(tmp_path, server), write_wav(tmp_path / "tone.wav", TONE)
        code, said = await place.inarch("live", "--audio-in", source, "--audio-out", str(tmp_path / "heard.wav"))
        assert code == 0 and "prompt: My key is" in said and KEY not in said
        code, said = await place.inarch("live", "--audio-in", source, "--audio-out", source)
        assert code == 2 and "two files" in said and heard_bytes(source) == TONE
        code, said = await place.inarch("live", "--audio-in", source, "--max-cost", "much")
        assert code == 2 and "--max-cost 'much'" in said


async def test_what_a_turn_cost_that_a_limit_ended_is_told_and_kept(tmp_path: Path) -> None:
    async def script(there: There) -> None:
        await there.until(lambda there: len(there.audio) > 3_000)
        await there.report_usage(1000, 2000, 30, 4)
        await there.hear("Tell me everything.")
        await there.speak(voice(AFTER, 0.1), "It all began")

    async with GeminiServer(script=script) as server:
        place, source = Place(tmp_path, server), write_wav(tmp_path / "tone.wav", TONE)
        code, said = await place.inarch("live", "--audio-in", source, "--max-cost", "0.000001")
        assert code == 3 and "note: taken beside the turns: 1,030 in, 2,004 out · $0.02" in said
        kept = b"".join(path.read_bytes() for path in (tmp_path / "state").rglob("*.jsonl"))
        assert b"live.usage" in kept


@pytest.mark.parametrize("kind", [GeminiServer, OpenAIServer])
async def test_what_was_spoken_to_nobody_is_a_failure(kind: Any, tmp_path: Path) -> None:
    async def script(there: There) -> None:
        await there.until(lambda there: len(there.audio) > 3_000)
        await there.close()

    source = write_wav(tmp_path / "tone.wav", TONE * 600)  # is not spoken to its end, which would take ten minutes
    refuse = (401, json.dumps({"error": {"message": f"API key not valid: {KEY}"}}))
    for name, server, said in (
        ("refused", kind(refuse=refuse), "check the key"), ("left", kind(script=script), "connection has ended"),
    ):  # fmt: skip
        (tmp_path / name).mkdir()
        async with server:
            place = Place(tmp_path / name, server)
            code, told = await place.inarch("live", "--audio-in", source, "--audio-out", str(tmp_path / "heard.wav"))
        assert (code, said in told, KEY in told) == (1, True, False), told


@pytest.mark.parametrize("kind", [GeminiServer, OpenAIServer])
async def test_prompts_that_the_service_could_not_answer_are_failures(kind: Any, tmp_path: Path) -> None:
    async def script(there: There) -> None:
        for typed in (1, 2):
            await there.until(lambda there, typed=typed: len(there.texts) == typed)
            if kind is OpenAIServer:
                await there.until(lambda there, typed=typed: there.requests == typed)
                there.response = ""
                await there.tell("response.done", response={
                    "status": "failed", "status_details": {"error": {"message": "no tokens are left"}}
                })  # fmt: skip
            else:
                await there.send({"error": {"code": 429, "message": "no tokens are left"}})

    async with kind(script=script) as server:
        code, said = await Place(tmp_path, server).inarch("live", "--no-audio", typed="one\ntwo\n")
    assert (code, said.count("error: ")) == (1, 2) and "could not answer: no tokens are left" in said, said


@pytest.mark.parametrize("kind", [GeminiServer, OpenAIServer])
async def test_a_session_without_audio_ends_when_all_is_answered(kind: Any, tmp_path: Path) -> None:
    async def script(there: There) -> None:
        await there.until(lambda there: there.texts)
        await there.speak(voice(AFTER, 2), "It is a footer.")
        await there.end_turn()

    async with kind(script=script) as server:
        code, said = await Place(tmp_path, server).inarch("live", "--no-audio", typed="What is it?\n")
    assert code == 0 and "It is a footer." in said
