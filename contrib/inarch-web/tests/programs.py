"""The real program in a process of its own, with a model that plays a script from a file."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from attrs import define, field

MODEL = '''
import asyncio

import inarch


class Slow:
    """Says what was said; `long` takes for ever."""

    name = "demo"
    default_model = default_decision_model = "plain"

    async def answer(self, request):
        text = request.messages[-1].text
        yield inarch.TextDelta("You said: ")
        if "long" in text:
            await asyncio.sleep(3600)
        yield inarch.TextDelta(text[:100])
        yield inarch.Finish("stop")

    async def models(self):
        return [inarch.ModelInfo("plain")]

    def limits(self, model):
        return inarch.Limits()

    def price(self, model):
        return None

    async def close(self):
        pass


@inarch.hookimpl
def inarch_models(context):
    return [Slow()]
'''


@define(eq=False)
class Program:
    """`inarch web` in a folder of a test."""

    folder: Path
    running: asyncio.subprocess.Process | None = None
    address: str = ""
    said: str = ""
    project: Path = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.project = self.folder / "project"
        self.project.mkdir(exist_ok=True)
        (self.folder / "demo.py").write_text(MODEL)
        config = self.folder / "config/inarch/config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text('[profiles.default]\nplugins = ["...", "web"]\n')

    @property
    def environ(self) -> dict[str, str]:
        """The environment of the program."""
        return {
            **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
            "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_STATE_HOME": str(self.folder / "state"), "XDG_CACHE_HOME": str(self.folder / "cache"),
        }  # fmt: skip

    async def __aenter__(self) -> Program:
        return await self.start()

    async def start(self, *words: str) -> Program:
        """Start it and read its address."""
        self.running = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "inarch", "web", "--no-browser", "--plugin", str(self.folder / "demo.py"),
            "--model", "demo/plain", *words, env=self.environ, cwd=self.project, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert self.running.stdout is not None
        self.address = (await asyncio.wait_for(self.running.stdout.readline(), 60)).decode().strip()
        return self

    async def ended(self, number: signal.Signals | None = None) -> int:
        """Send a signal and return the exit code."""
        assert self.running is not None
        if number is not None:
            self.running.send_signal(number)
        _, errors = await asyncio.wait_for(self.running.communicate(), 60)
        self.said = errors.decode()
        assert self.running.returncode is not None
        return self.running.returncode

    async def __aexit__(self, *_: object) -> None:
        if self.running is not None and self.running.returncode is None:
            self.running.kill()
            await self.running.communicate()

    def megabytes(self) -> float:
        """Return the most memory that it has had so far."""
        assert self.running is not None
        status = Path(f"/proc/{self.running.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024
