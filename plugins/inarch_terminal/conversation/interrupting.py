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

from inarch.commands import CANCELLED
from inarch_terminal.conversation.terminal_io import TerminalMode

if TYPE_CHECKING:
    from inarch_terminal.conversation.chat import Chat


@contextmanager
def signals(chat: Chat, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Hand Ctrl-C and the signals that ask a program to end to the conversation; a second one ends it at once.

    Plain handlers, not the event loop's: they must also work while a tool or a plugin keeps the loop busy.
    """
    mode = TerminalMode(sys.stdout)

    def handle(number: int, _frame: FrameType | None) -> None:
        is_running = chat.work.is_running or chat.is_leaving
        if chat.is_leaving if number != signal.SIGINT else is_running and chat.work.was_interrupted:
            mode.restore()
            os._exit(CANCELLED)
        if number == signal.SIGINT:
            chat.work.was_interrupted = is_running
            loop.call_soon_threadsafe(chat.interrupt, is_running)
        else:
            chat.is_leaving = True
            loop.call_soon_threadsafe(chat.leave, CANCELLED)

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
