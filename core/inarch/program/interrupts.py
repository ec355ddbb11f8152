"""Handling of Ctrl-C and the signals that ask a program to end, and the restoring of earlier handlers."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from inarch.program.failure import CANCELLED

ASKING = ("SIGINT", "SIGTERM", "SIGHUP")  # the last one is missing on Windows


def leave_at_once(number: int) -> None:
    """End the process immediately."""
    sys.stderr.flush()
    os._exit(CANCELLED)


@contextmanager
def interrupts(
    asked: Callable[[int], object],
    again: Callable[[int], object] = leave_at_once,
    names: Sequence[str] = ASKING,
    *,
    ignored: bool = False,
) -> Iterator[None]:
    """Handle signals: call `asked` with the number of the first one and `again` with that of each later one.

    At the end the earlier handlers are restored, and receive a signal that asked the program to end. These are plain
    handlers, not the event loop's: they must also work while a tool or a plugin keeps the loop busy. Main thread only.

    Args:
        asked: Takes the first signal; its exception is raised wherever the program is.
        again: Takes each later one; by default the program ends at once.
        names: The signals; unknown ones are left out.
        ignored: Whether to handle ignored signals, too: nohup and background jobs rely on their shell's choice.
    """
    first = 0

    def handle(number: int, _frame: FrameType | None) -> None:
        nonlocal first
        is_first, first = not first, first or number
        (asked if is_first else again)(number)

    known = {number: signal.getsignal(number) for number in (getattr(signal, n) for n in names if hasattr(signal, n))}
    left = (None,) if ignored else (None, signal.SIG_IGN)  # None: another library's, which could not be restored
    before: dict[int, Any] = {number: handler for number, handler in known.items() if handler not in left}
    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if first not in (0, signal.SIGINT) and callable(earlier := before[first]):
            earlier(first, None)
