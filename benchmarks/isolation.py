"""What a process of its own costs a plugin: calls through `app.call_tool` both ways, and starting it.

`python benchmarks/isolation.py` prints medians in milliseconds of the same tools in this process and in their own, turn
and turn about in one run, and what `inarch tools list` takes with and without the plugin's process.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import inarch

TIMES, WARM = 500, 50
PLUGIN = """
import inarch


@inarch.tool
def length(text: str) -> int:
    "Count."
    return len(text)


@inarch.tool
def give(size: int) -> str:
    "Give a text."
    return "x" * size


@inarch.tool(effects=inarch.Effects())
def stream(chunks: int, context: inarch.ToolContext) -> int:
    "Show live output."
    for number in range(chunks):
        context.emit(f"line {number}\\\\n")
    return chunks
"""
CASES: dict[str, tuple[str, dict[str, Any], int]] = {
    "small call": ("length", {"text": "hello"}, TIMES),
    "100 kB argument": ("length", {"text": "x" * 100_000}, TIMES),
    "100 kB result": ("give", {"size": 100_000}, TIMES),
    "1,000 pieces of live output": ("stream", {"chunks": 1000}, 30),
}


def compose(folder: Path, mode: str) -> inarch.App:
    file = folder / "measured.py"
    file.write_text(PLUGIN)
    config = {
        "isolation": {"measured": {"mode": mode}},
        "profiles": {"default": {"plugins": ["sandbox-fs"], "model": "offline", "approve": "all"}},
    }
    return inarch.compose(root=folder, config=config, environ={"HOME": str(folder)}, files=[str(file)], journal=False)


async def seconds(app: inarch.App, name: str, arguments: dict[str, Any]) -> float:
    begun = time.perf_counter()
    result = await app.call_tool(name, arguments)
    took = time.perf_counter() - begun
    assert result.success, result.error
    return took


async def calls(apps: tuple[inarch.App, inarch.App]) -> None:
    print(f"{'':29}{'in-process':>11}{'process':>11}{'more':>9}{'ratio':>8}")
    for title, (name, arguments, times) in CASES.items():
        took: tuple[list[float], list[float]] = ([], [])
        for number in range(times + min(WARM, times // 5)):
            for one, app in zip(took, apps, strict=True):
                value = await seconds(app, name, arguments)
                if number >= min(WARM, times // 5):
                    one.append(value)
        here, there = (statistics.median(one) * 1000 for one in took)
        print(f"{title:29}{here:8.2f} ms{there:8.2f} ms{there - here:+6.2f} ms{there / here:7.2f}×")
    for app in apps:
        await app.aclose()


def listing(folder: Path, mode: str) -> float:
    config = folder / "config.toml"
    config.write_text(f'[isolation.measured]\nmode = "{mode}"\n')
    command = [sys.executable, "-P", "-m", "inarch", "tools", "list", "--plugin", str(folder / "measured.py")]
    environ = {**os.environ, "HOME": str(folder), "INARCH_CONFIG": str(config)}
    took = []
    for _ in range(6):
        begun = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, cwd=folder, env=environ)
        took.append(time.perf_counter() - begun)
    return statistics.median(took[1:])


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        apps = compose(folder, "in-process"), compose(folder, "process")
        assert all(app.composition.refused == () for app in apps), [app.composition.refused for app in apps]
        asyncio.run(calls(apps))
        here, there = listing(folder, "in-process"), listing(folder, "process")
        print(f"{'inarch tools list':29}{here:8.2f} s {there:8.2f} s {there - here:+6.2f} s {there / here:7.2f}×")


if __name__ == "__main__":
    main()
