"""Ctrl-C and the signals that ask a program to end: who takes them, and how they are given back."""

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
    """End the process without another word."""
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
    """Take signals: call `asked` with the number of the first one and `again` with that of each later one.

    Whoever handled signals before has them back at the end, and hears then of one that asks the program to end, rather
    than what it was doing. Plain handlers, not the event loop's: they must also work while a tool or a plugin keeps
    the loop busy. In the main thread only.

    Args:
        asked: Takes the first signal; what it raises is raised wherever the program is.
        again: Takes each that follows; by default the program ends at once.
        names: Which signals; one that the system doesn't know is left out.
        ignored: Whether to take those, too, that are ignored: nohup and background jobs keep what their shell chose.
    """
    first = 0

    def handle(number: int, _frame: FrameType | None) -> None:
        nonlocal first
        is_first, first = not first, first or number
        (asked if is_first else again)(number)

    known = {number: signal.getsignal(number) for number in (getattr(signal, n) for n in names if hasattr(signal, n))}
    left = (None,) if ignored else (None, signal.SIG_IGN)  # None: another library's, which could not be given back
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
