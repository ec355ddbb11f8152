"""A spoken session without a terminal, with typed prompts read line by line from a pipe."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from attrs import define, field

import inarch
from inarch.commands import CANCELLED, FAILED, interrupts, say
from inarch_live.voice import Voice

PIECE = 64 * 1024
LOOK_S = 0.02

Around = Callable[[], AbstractContextManager[object]]


@define(eq=False, repr=False)
class Lines:
    """Runs the turns of a session, spoken ones before typed ones."""

    app: inarch.App
    session: inarch.Session
    voice: Voice
    _spoken: deque[tuple[str, Around]] = field(init=False, factory=deque)
    _typed: deque[str | None] = field(init=False, factory=deque)
    _running: asyncio.Task[inarch.Turn] | None = field(init=False, default=None)
    _is_leaving: bool = field(init=False, default=False)

    def say(self, text: str, around: Around) -> None:
        """Run a turn with this prompt next."""
        say("prompt", text)
        self._spoken.append((text, around))

    def cancel(self) -> None:
        """Cancel the turn that runs."""
        if self._running is not None:
            self._running.cancel()

    def changed(self) -> None:
        """Do nothing, because there is no display."""

    def hidden(self, text: str) -> str:
        """Return the text unchanged: no display shows it, and messages to the person are redacted elsewhere."""
        return text

    def tell(self, text: str) -> None:
        """Show the person a message."""
        say("note", text)

    async def run(self) -> int:
        """Run until all speech and typed prompts are answered; return the first exit code that is not 0."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), daemon=True).start()
        heard = loop.create_task(self.voice.run(self))
        with interrupts(lambda _: loop.call_soon_threadsafe(self._leave)):
            try:
                while not self._is_leaving and not heard.done() and await self._next():
                    pass
            finally:
                heard.cancel()
                await asyncio.wait([heard])
        if not heard.cancelled() and (error := heard.exception()) is not None:
            raise error
        return CANCELLED if self._is_leaving else self.voice.exit_code

    async def _next(self) -> bool:
        """Wait for the next turn and run it; return whether more may follow."""
        if self._spoken:
            await self._turn(*self._spoken.popleft())
        elif self.voice.conversation.turns.is_busy or not self._typed:
            await asyncio.sleep(LOOK_S)
        elif self._typed[0] is not None:
            if not self.voice.speaks_at_once or self.voice.is_done():
                await self._do(self._typed.popleft() or "")
            else:
                await asyncio.sleep(LOOK_S)
        elif self.voice.is_done():
            return False
        else:
            await asyncio.sleep(LOOK_S)
        return True

    async def _do(self, line: str) -> None:
        prompts = [line]
        if inarch.split_slash_command(line) is not None:
            try:
                prompts = list(await self.app.command(self.session, line, _show))
            except inarch.InarchError as error:
                say("error", str(error))
                self.voice.ended(FAILED)
                return
        for prompt in prompts:
            await self._turn(prompt, nullcontext)

    async def _turn(self, prompt: str, around: Around) -> None:
        with around():
            self._running = asyncio.get_running_loop().create_task(self.session.run(prompt))
            try:
                await asyncio.wait([self._running])
            except asyncio.CancelledError:
                self._running.cancel()
                await asyncio.wait([self._running])
                raise
            finally:
                running, self._running = self._running, None
        error = None if running.cancelled() else running.exception()
        if isinstance(error, inarch.InarchError):
            say("error", str(error))
            self.voice.ended(FAILED)
        elif error is not None:
            raise error

    def _leave(self) -> None:
        self._is_leaving = True
        self.cancel()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read lines in a separate thread until the input ends.

        This reads the descriptor: a thread that still reads a buffered stream is a fatal error at interpreter exit.
        """
        begun = b""
        try:
            while data := os.read(sys.stdin.fileno(), PIECE):
                *whole, begun = (begun + data).split(b"\n")
                for line in whole:
                    loop.call_soon_threadsafe(self._type, line)
            loop.call_soon_threadsafe(self._type, begun)
            loop.call_soon_threadsafe(self._typed.append, None)
        except (RuntimeError, OSError, ValueError, AttributeError):  # the loop is closed, or there is no input
            self._typed.append(None)

    def _type(self, data: bytes) -> None:
        if line := data.decode("utf-8", "replace").strip():
            self._typed.append(line)


def _show(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
