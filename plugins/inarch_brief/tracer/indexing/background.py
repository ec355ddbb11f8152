"""Reading on in the background, in a thread of its own so that nobody has to wait for its end."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence

from inarch_brief.tracer.indexing.file_reader import Changed

SETTLED = 1.5
"""Seconds without a question before files are read in the background: short-lived processes never begin it."""
BREATH = 0.02
"""Seconds between two batches, in which others come to their turn."""


class Rest:
    """Files that there was no time for, read once nobody has asked for a while: by a thread that ends with the process.

    Args:
        read: Reads some of these files and gives those that are left.
    """

    def __init__(self, read: Callable[[Sequence[Changed]], Sequence[Changed]], files: Sequence[Changed]) -> None:
        self._read, self._files = read, files
        self._stopped = threading.Event()

    def start(self) -> None:
        """Begin, after a while."""
        threading.Thread(target=self._work, name="inarch-reading", daemon=True).start()

    def stop(self) -> None:
        """Read no more: others go on."""
        self._stopped.set()

    def _work(self) -> None:
        pause = SETTLED
        while self._files and not self._stopped.wait(pause):
            pause = BREATH
            try:
                self._files = self._read(self._files)
            except sqlite3.Error:
                return  # the next call sees what is wrong with the store
