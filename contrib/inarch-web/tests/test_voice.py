"""From a spoken sentence to an edited file to a spoken answer, in a real browser whose microphone is a file."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import wave
from array import array
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field
from inarch_live.port import LiveCall
from inarch_live.testing import GeminiServer, There
from inarch_live.wav import read_wav
from inarch_web import Settings
from inarch_web.server.web_server import serving
from playwright.async_api import Page, async_playwright, expect

import inarch
from inarch_testing.apps import environ_in

from .browsing import FLAGS

pytestmark = [pytest.mark.needs("chromium", "espeak-ng"), pytest.mark.once]
PATIENCE_S = 60
expect.set_options(timeout=PATIENCE_S * 1000)
WORDS = "Edit the footer to say copyright twenty twenty five."
BEFORE, AFTER = 7001, 9003
"""Values of the samples that the model says before its call and after its result."""


@define(eq=False)
class Talking:
    """A page that can talk, and the sound that came to it."""

    page: Page
    file: Path
    came: list[bytes] = field(factory=list)

    def samples(self) -> array[int]:
        found = array("h")
        for data in self.came:
            assert data[:1] == b"\x01"
            found.frombytes(data[1:])
        return found


def voice(value: int, seconds: float) -> bytes:
    return array("h", [value] * int(24_000 * seconds)).tobytes()


@pytest.fixture
def spoken(tmp_path: Path) -> Path:
    """A sentence as a WAV file with a little silence around it."""
    raw, path = tmp_path / "raw.wav", tmp_path / "spoken.wav"
    subprocess.run(["espeak-ng", "-w", str(raw), WORDS], check=True)
    quiet = b"\0" * 16_000
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(quiet + read_wav(str(raw)) + quiet)
    return path


@asynccontextmanager
async def talking(folder: Path, server: GeminiServer, wav: Path, *, has_live: bool = True) -> AsyncIterator[Talking]:
    """Serve a project whose live service is the server, and open it in a browser that hears a file."""
    project = folder / "project"
    project.mkdir()
    file = project / "App.tsx"
    file.write_text("<footer>Copyright 2024</footer>\n")
    plugins = ["...", "web", *(["live"] if has_live else [])]
    config = {
        "profiles": {"default": {"plugins": plugins, "model": "offline/extractive", "approve": "all"}},
        "plugins": {"live": {"service": "gemini", "gemini_base_url": server.url}} if has_live else {},
    }
    environ = {**environ_in(folder / "home"), "GEMINI_API_KEY": "a-key-of-the-tests-0123456789"}
    app = inarch.compose(root=str(project), config=config, environ=environ)
    flags = [
        "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-audio-capture={wav}",  # again and again
    ]  # fmt: skip
    try:
        async with serving(app, Settings()) as there, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=[*FLAGS, *flags])
            page = await browser.new_page()
            page.set_default_timeout(PATIENCE_S * 1000)
            made = Talking(page, file)
            page.on("websocket", lambda socket: socket.on("framereceived", lambda data: keep(made, data)))
            await page.goto(there.address)
            try:
                yield made
            finally:
                await browser.close()
    finally:
        await app.aclose()


def keep(made: Talking, data: str | bytes) -> None:
    if isinstance(data, bytes):
        made.came.append(data)


def loudness(samples: Sequence[int], size: int = 320) -> list[float]:
    """Return how loud each 20 ms are."""
    return [sum(map(abs, samples[at : at + size])) / size for at in range(0, len(samples) - size + 1, size)]


def likeness(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how alike two courses are, 1 for the same, at the shift where they are most alike."""
    best = 0.0
    for shift in range(max(1, len(other) - len(one) + 1)):
        pairs = list(zip(one, other[shift:], strict=False))
        means = [sum(pair[side] for pair in pairs) / len(pairs) for side in (0, 1)]
        product = sum((a - means[0]) * (b - means[1]) for a, b in pairs)
        sizes = [sum((pair[side] - means[side]) ** 2 for pair in pairs) ** 0.5 for side in (0, 1)]
        best = max(best, product / (sizes[0] * sizes[1] or 1.0))
    return best


async def until(what: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not what():  # noqa: ASYNC110 - it is not told when
            await asyncio.sleep(0.02)


async def test_a_spoken_sentence_edits_a_file_and_is_answered_in_the_page(tmp_path: Path, spoken: Path) -> None:
    sent = array("h", read_wav(str(spoken)))

    async def script(there: There) -> None:
        await there.until(lambda there: len(there.audio) >= 4.2 * len(sent), "the spoken sentence, whole")
        await there.hear("Edit the footer to say copyright 2025.")
        await there.speak(voice(BEFORE, 30), "Let me look. ")
        await there.call(LiveCall("c1", "read_file", {"file_path": "App.tsx"}))
        await there.until(lambda there: there.results)
        edit = {"file_path": "App.tsx", "search": "2024", "replace": "2025", "description": "The year"}
        await there.call(LiveCall("c2", "patch_source_file", edit))
        await there.until(lambda there: len(there.results) == 2)
        assert [one.status for one in there.results] == ["success", "success"]
        await there.speak(voice(AFTER, 0.3), "The footer says 2025.")
        await there.end_turn()

    async with GeminiServer(script=script) as server, talking(tmp_path, server, spoken) as made:
        await made.page.get_by_role("button", name="Talk", exact=True).click()
        await expect(made.page.locator(".voice-state")).to_contain_text("Listening")
        await expect(made.page.locator("#turns")).to_contain_text("The footer says 2025.")
        assert made.file.read_text() == "<footer>Copyright 2025</footer>\n"
        await expect(made.page.locator("#turns")).to_contain_text("Edit the footer to say copyright 2025.")
        await until(lambda: made.samples().count(AFTER) == 7200)
        samples = made.samples()
        assert set(samples) <= {BEFORE, AFTER, 0}, "what the service said, sample by sample"
        assert samples.count(BEFORE) < 24_000 * 30, "what was queued when the call came is dropped"
        await expect(made.page.locator(".voice-host")).to_have_attribute("data-received", str(len(samples)))
        heard = array("h", bytes(server.connections[0].audio))
        assert likeness(loudness(sent), loudness(heard)) > 0.9, "what arrives sounds as the file does"
        await made.page.get_by_role("button", name="Talk", exact=True).click()
        await expect(made.page.locator(".voice-state")).to_have_count(0)


async def test_an_interruption_is_silence_at_once_in_the_page(tmp_path: Path, spoken: Path) -> None:
    async def script(there: There) -> None:
        await there.until(lambda there: len(there.audio) >= 3200, "something")
        await there.hear("Tell me a story.")
        await there.speak(voice(BEFORE, 60), "Once upon a time")
        await go.wait()
        await there.interrupt()
        await silent.wait()
        await there.hear("Stop.")
        await there.speak(voice(AFTER, 0.2), "Yes?")
        await there.end_turn()

    go, silent = asyncio.Event(), asyncio.Event()
    async with GeminiServer(script=script) as server, talking(tmp_path, server, spoken) as made:
        await made.page.get_by_role("button", name="Talk", exact=True).click()
        host = made.page.locator(".voice-host")
        await until(lambda: made.samples().count(BEFORE) > 12_000)
        await expect(host).to_have_attribute("data-state", "speaking")
        go.set()
        await expect(host).not_to_have_attribute("data-state", "speaking")
        await expect(made.page.get_by_role("button", name="Stop")).to_have_count(0)  # the turn has ended, too
        silent.set()
        await until(lambda: made.samples().count(AFTER) == 4800)
        samples = made.samples()
        assert samples.index(AFTER) == len(samples) - 4800, "nothing of the story comes after the interruption"
        assert len(samples) < 24_000 * 60
        await expect(host).not_to_have_attribute("data-state", "speaking")


async def test_push_to_talk_sends_nothing_before_the_key_is_held(tmp_path: Path, spoken: Path) -> None:
    async with GeminiServer() as server, talking(tmp_path, server, spoken) as made:
        await made.page.get_by_role("button", name="Talk", exact=True).click()
        await expect(made.page.locator(".voice-state")).to_contain_text("Listening")
        await made.page.locator(".voice-push input").check()
        hold = made.page.get_by_role("button", name="Hold to talk")
        await expect(made.page.locator(".voice-host")).to_have_attribute("data-state", "silent")
        await until(lambda: len(server.connections) == 2)
        there = server.connections[1]
        assert not there.audio and "activityStart" not in str(there.received)
        await hold.focus()
        await made.page.keyboard.down("Space")
        await until(lambda: len(there.audio) > 3200)
        await made.page.keyboard.up("Space")
        await until(lambda: "activityEnd" in str(there.received))
        kinds = [kind for message in there.received for kind in message.get("realtimeInput", ())]
        assert (kinds[0], kinds[-1]) == ("activityStart", "activityEnd")


async def test_without_the_plugin_the_page_says_what_to_do(tmp_path: Path, spoken: Path) -> None:
    async with GeminiServer() as server, talking(tmp_path, server, spoken, has_live=False) as made:
        await made.page.get_by_role("button", name="Talk", exact=True).click()
        await expect(made.page.locator(".voice-state")).to_contain_text('add "live" to `plugins`')
