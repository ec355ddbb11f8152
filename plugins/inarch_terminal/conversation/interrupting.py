"""Ctrl-C and the signals that ask a program to end, while a conversation stands on the terminal."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from inarch.commands import CANCELLED, interrupts
from inarch_terminal.conversation.terminal_io import TerminalMode

if TYPE_CHECKING:
    from inarch_terminal.conversation.chat import Chat

ENDING = ("SIGTERM", "SIGHUP", "SIGQUIT")
"""Signals that ask a program to end; each would leave the terminal raw if the program ended by it."""


@contextmanager
def signals(chat: Chat, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Hand Ctrl-C and the signals that ask a program to end to the conversation; a second one ends it at once."""
    mode = TerminalMode(sys.stdout)

    def handle(number: int) -> None:
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

    # A person who presses Ctrl-C at the line means it, whatever the shell had chosen.
    with interrupts(handle, handle, ("SIGINT",), ignored=True), interrupts(handle, handle, ENDING):
        yield
