"""Ctrl-C and the signals that ask a program to end, while a turn runs."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from inarch.program.failure import CANCELLED

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # the last one is missing on Windows


@contextmanager
def interrupts(cancel: Callable[[], object]) -> Iterator[None]:
    """Call `cancel` at the first signal and leave the program at once at the second.

    Whoever handled signals before hears afterwards of one that asks the program to end, rather than the turn.

    A plain handler, not the event loop's: it must also work while a tool or a plugin keeps the loop busy.
    """
    asked = 0

    def handle(number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            sys.stderr.flush()
            os._exit(CANCELLED)
        asked = number
        cancel()

    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before: dict[int, Any] = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:  # nohup and background jobs keep what their shell chose
            signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if asked not in (0, signal.SIGINT) and callable(earlier := before[asked]):
            earlier(asked, None)
