"""Ctrl-C and the signals that ask a program to end, while a conversation stands on the terminal."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from inarch_terminal.abilities import CANCELLED
from inarch_terminal.conversation.terminal_io import TerminalMode

if TYPE_CHECKING:
    from inarch_terminal.conversation.room import Room


@contextmanager
def signals(room: Room, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Hand Ctrl-C and the signals that ask a program to end to the conversation; a second one ends it at once.

    Plain handlers, not the event loop's: they must also work while a tool or a plugin keeps the loop busy.
    """
    mode = TerminalMode(sys.stdout)

    def handle(number: int, _frame: FrameType | None) -> None:
        is_running = room.work.is_running or room.is_leaving
        if room.is_leaving if number != signal.SIGINT else is_running and room.work.was_interrupted:
            mode.restore()
            os._exit(CANCELLED)
        if number == signal.SIGINT:
            room.work.was_interrupted = is_running
            loop.call_soon_threadsafe(room.interrupt, is_running)
        else:
            room.is_leaving = True
            loop.call_soon_threadsafe(room.leave, CANCELLED)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if number == signal.SIGINT or handler is not signal.SIG_IGN:
            signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
