"""Conversion of HTML to Markdown in a confined process: a page may crash the parser or use up time and memory."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from math import ceil

import inarch
from inarch_fetch.page_text import Read, read_html

_STARTING = "import sys; sys.path[:0] = {path!r}; from inarch_fetch.worker import main; main()"
_KEPT = ("LD_LIBRARY_PATH", "LD_PRELOAD", "SYSTEMROOT")
_BYTES_PER_CHARACTER = 6  # of JSON, at most
_BESIDE = 1 << 16


async def converted(page: bytes, url: str, charset: str, most: int, seconds: float) -> Read:
    """Return a page's title and text.

    Raises:
        inarch.ToolFailed: The process ended without a result.
    """
    job = json.dumps({"url": url, "charset": charset, "most": most}).encode() + b"\n" + page
    try:
        async with _process(ceil(seconds)) as process:
            answer = await _answer(process, job, _BYTES_PER_CHARACTER * most + _BESIDE)
    except PermissionError:  # an isolated plugin cannot start processes: its own process has limits
        return await asyncio.to_thread(read_html, page, url, charset, most)
    try:
        return Read(*json.loads(answer))
    except (ValueError, TypeError):
        message = f"{inarch.escape(url)} cannot be converted: it needs too much memory or time"
        raise inarch.ToolFailed("execution", message, "fetch another page") from None


@asynccontextmanager
async def _process(seconds: int) -> AsyncIterator[asyncio.subprocess.Process]:
    path = [folder for folder in sys.path if folder]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", _STARTING.format(path=path), str(seconds), stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
        cwd="/", env={name: os.environ[name] for name in _KEPT if name in os.environ}, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def _answer(process: asyncio.subprocess.Process, job: bytes, most: int) -> bytes:
    assert process.stdin is not None and process.stdout is not None
    with suppress(BrokenPipeError, ConnectionResetError):  # the process has already ended
        process.stdin.write(job)
        await process.stdin.drain()
    process.stdin.close()
    try:
        return await process.stdout.readexactly(most)
    except asyncio.IncompleteReadError as end:
        await process.wait()
        return end.partial
