"""A spoken session in a real terminal of 80 columns: the line, the meter, captions, calls, and approvals by key."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from array import array
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from inarch_live.port import LiveCall
from inarch_live.testing import LONGEST_S, GeminiServer, There

from .test_spoken import KEY, Place, voice, write_wav

pytestmark = pytest.mark.needs("tmux")

LOUD = array("h", [9000, -9000] * 8000).tobytes()


class Terminal:
    """A terminal of tmux."""

    def __init__(self, folder: Path) -> None:
        self.socket = str(folder / "tmux.socket")

    async def tmux(self, *words: str) -> str:
        made = await asyncio.create_subprocess_exec(
            "tmux", "-S", self.socket, "-f", "/dev/null", *words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name != "TMUX"},
        )  # fmt: skip
        said, _ = await made.communicate()
        return said.decode()

    async def screen(self) -> str:
        return await self.tmux("capture-pane", "-p", "-S", "-200")

    async def until(self, *said: str, found: Callable[[str], bool] = lambda screen: True) -> str:
        """Wait until the screen shows all of this."""
        end = asyncio.get_running_loop().time() + LONGEST_S
        while True:
            seen = await self.screen()
            if all(text in seen for text in said) and found(seen):
                return seen
            assert asyncio.get_running_loop().time() < end, f"never saw {said} on:\n{seen}"
            await asyncio.sleep(0.05)

    async def press(self, *keys: str) -> None:
        await self.tmux("send-keys", *keys)


@asynccontextmanager
async def terminal(place: Place, *words: str) -> AsyncIterator[Terminal]:
    """Open a terminal with `inarch live` in it, which tells its exit code at the end."""
    opened = Terminal(place.folder)
    variables = " ".join(f"{name}='{value}'" for name, value in place.environ.items())
    program = f"env -i TERM=xterm-256color {variables} {sys.executable} -m inarch live {' '.join(words)}"
    await opened.tmux(
        "new-session", "-d", "-x", "80", "-y", "40", "-c", str(place.project),
        f"sh -c \"trap : INT; {program}; echo code=\\$?; sleep 600\"",
    )  # fmt: skip
    try:
        yield opened
    finally:
        await opened.tmux("kill-server")


async def test_a_spoken_session_at_a_terminal(tmp_path: Path) -> None:
    source = write_wav(tmp_path / "loud.wav", LOUD * 2)

    async def script(there: There) -> None:
        await there.until(lambda there: len(there.audio) >= 2 * len(LOUD), "what was spoken")
        await there.hear("Say 2025 in the footer.")
        await there.call(LiveCall("c1", "read_file", {"file_path": "App.tsx"}))
        await there.until(lambda there: there.results)
        edit = {"file_path": "App.tsx", "search": "2024", "replace": "2025", "description": "The year"}
        await there.call(LiveCall("c2", "patch_source_file", edit))
        await there.until(lambda there: len(there.results) == 2)
        await there.speak(voice(9000, 30), "The footer says 2025.")
        await there.end_turn()
        await there.until(lambda there: there.texts, "what was typed")
        await there.speak(voice(9000, 0.1), "It was 2024.")
        await there.end_turn()

    async with GeminiServer(script=script) as server:
        place = Place(tmp_path, server)
        flags = ("--audio-in", source, "--audio-out", str(tmp_path / "out.wav"))
        async with terminal(place, *flags) as opened:
            await opened.until("● listening [", "▄")
            await opened.until(
                "> Say 2025 in the footer.", "Read App.tsx", "● waits for its calls", "? more", "+ <footer>"
            )
            assert place.file.read_text() == "<footer>Copyright 2024</footer>\n", "nothing that is heard approves it"
            await asyncio.sleep(0.5)  # a key counts as an answer only when nobody has been typing
            await opened.press("a")
            await opened.until("Edit App.tsx", "● speaking [", "Esc stops it")
            assert place.file.read_text() == "<footer>Copyright 2025</footer>\n"
            await opened.press("Escape")
            assert "The footer says 2025." not in await opened.until("cancelled", "microphone off; Space speaks")
            await opened.press("What was it?", "Enter")
            screen = await opened.until("> What was it?", "It was 2024.")
            assert all(len(line) <= 80 for line in screen.splitlines())
            await opened.press("/undo", "Enter")
            await opened.until("undone")
            assert place.file.read_text() == "<footer>Copyright 2024</footer>\n"
            await opened.press("C-d")
            await opened.until("code=0")


async def test_ctrl_c_and_the_end_of_the_service_end_nothing_but_the_voice(tmp_path: Path) -> None:
    source = write_wav(tmp_path / "loud.wav", LOUD[:6400])

    async def script(there: There) -> None:
        if there is server.connections[0]:
            await there.hear(f"Talk on and on. {KEY}")
            await there.speak(voice(9000, 30), "On and on")

    async with GeminiServer(script=script) as server:
        place = Place(tmp_path, server)
        async with terminal(place, "--audio-in", source, "--audio-out", str(tmp_path / "out.wav")) as opened:
            screen = await opened.until("> Talk on and on.", "● speaking [")
            assert KEY[:12] not in screen, "what was heard is shown without secrets"
            await opened.press("C-c")
            await opened.until("cancelled", "microphone off; Space speaks")
            await opened.press("C-d")
            await opened.until("code=0")
            kept = b"".join(path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file())
            assert b"Talk on and on." in kept
