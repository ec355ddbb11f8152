"""Background reading in a thread of its own, so that no call waits for its end."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence

from inarch_brief.tracer.indexing.file_reader import Changed

SETTLED = 1.5
"""Seconds without a question before background reading begins; short-lived processes never reach it."""
BREATH = 0.02
"""Seconds between two batches, for others to take the lock."""


class Rest:
    """Remaining files, read after a while without a question. The thread ends with the process."""

    def __init__(self, read: Callable[[Sequence[Changed]], Sequence[Changed]], files: Sequence[Changed]) -> None:
        self._read, self._files = read, files
        self._stopped = threading.Event()

    def start(self) -> None:
        """Begin after a while."""
        threading.Thread(target=self._work, name="inarch-reading", daemon=True).start()

    def stop(self) -> None:
        """Stop reading; other calls continue."""
        self._stopped.set()

    def _work(self) -> None:
        pause = SETTLED
        while self._files and not self._stopped.wait(pause):
            pause = BREATH
            try:
                self._files = self._read(self._files)
            except sqlite3.Error:
                return  # the next call reports the problem with the store
