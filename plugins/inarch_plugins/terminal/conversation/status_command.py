"""The user's own script for the bottom line: JSON in, one line out, within bounds."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from attrs import define, field

from inarch import escape

LONGEST_S, LEAST_S = 2.0, 0.3
"""Seconds that a run may take, and that lie between two: Claude Code updates its line at most every 300 ms, too
(code.claude.com/docs/en/statusline, 2026-11)."""


@define(eq=False, repr=False)
class StatusCommand:
    """Runs the script after events that may change its line; one run at a time."""

    command: str
    about: Callable[[], Mapping[str, Any]]
    changed: Callable[[], object]
    line: str = field(init=False, default="")
    running: asyncio.Task[None] | None = field(init=False, default=None)
    _is_due: bool = field(init=False, default=False)

    def wake(self) -> None:
        """Run the script soon; call it in the event loop."""
        self._is_due = bool(self.command)
        if self._is_due and self.running is None:
            self.running = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._is_due:
                self._is_due = False
                self.line = await self._first_line()
                self.changed()
                await asyncio.sleep(LEAST_S)
        finally:
            self.running = None

    async def _first_line(self) -> str:
        pipe = asyncio.subprocess.PIPE
        script = await asyncio.create_subprocess_shell(
            self.command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL, start_new_session=True
        )
        assert script.stdin is not None and script.stdout is not None
        try:
            async with asyncio.timeout(LONGEST_S):
                script.stdin.write(json.dumps(self.about()).encode())
                script.stdin.close()
                line = await script.stdout.readline()
        except (TimeoutError, OSError, ValueError):  # too slow, or a line beyond asyncio's 64 KiB
            return ""
        finally:
            with suppress(ProcessLookupError):
                os.killpg(script.pid, signal.SIGKILL)
            await script.wait()
        return escape(line.decode("utf-8", "replace").strip(), keep_newlines=False)
