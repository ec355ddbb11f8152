"""One linking of many files, in a thread of its own so that nobody has to wait for its end."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from attrs import Factory, define, field

from inarch_brief.tracer.facts.source import uncollected
from inarch_brief.tracer.indexing.file_reader import Changed
from inarch_brief.tracer.linking.edges import Edges, shared_modules
from inarch_brief.tracer.linking.link import link
from inarch_brief.tracer.linking.link_rounds import Files
from inarch_brief.tracer.linking.linker import Budget

SETTLED = 1.5
"""Seconds without a question before files are read in the background: short-lived processes never begin it."""
BREATH = 0.02
"""Seconds between two batches, in which others come to their turn."""
WHOLE = Budget()
"""What linking may cost: the size of the tree decides."""


@define(eq=False, repr=False)
class Job:
    """A linking under way.

    Args:
        files: What is linked.
        hashes: Of each file's bytes when they were read: what changed meanwhile is linked again.
        late: Called in the thread with the finished job: keeps what nobody has taken.
        delay: Seconds to wait before it begins, so that short-lived processes never do.
        ending: Called once the files are not needed any more.
    """

    files: Files
    hashes: Mapping[str, str]
    late: Callable[[Job], None]
    delay: float = 0.0
    ending: Callable[[], None] = lambda: None
    edges: Edges = Factory(Edges)
    shared: frozenset[str] = frozenset()
    """Module names that several of the files claim: edges tell them apart by their paths."""
    note: str = ""
    """What has to be said about the result."""
    is_complete: bool = False
    damage: str = ""
    """What is wrong with the facts, where that kept them from being linked."""
    seconds: float = 0.0
    is_taken: bool = False
    """Whether the result was kept, or is not wanted any more; read and set under the index's lock."""
    _done: threading.Event = field(factory=threading.Event, init=False)
    _stop: threading.Event = field(factory=threading.Event, init=False)

    def run(self) -> None:
        """Link here and now."""
        start = time.thread_time()
        try:
            self.shared = shared_modules(self.files)
            with uncollected():
                self.edges, self.note = linked(self.files)
            self.is_complete = True
        except (ValueError, sqlite3.Error) as error:
            self.damage = f"damaged link facts: {error}"
        finally:
            self.files = {}
            self.ending()
            self.seconds = time.thread_time() - start
            self._done.set()

    def start(self) -> None:
        """Link in a thread that ends with the process."""
        threading.Thread(target=self._work, name="inarch-linking", daemon=True).start()

    def stop(self) -> None:
        """Drop it: what has not begun does not begin, what has is not kept."""
        self.is_taken = True
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end, and say if it has come."""
        return self._done.wait(max(0.0, seconds))

    def _work(self) -> None:
        if self._stop.wait(self.delay):
            self.ending()
            return
        self.run()
        self.late(self)


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


def linked(files: Files, budget: Budget = WHOLE) -> tuple[Edges, str]:
    """Link files that are given as they are kept; give the edges and a note.

    Raises:
        ValueError: facts are damaged.
    """
    found = link(files, budget)
    return found.edges, "; ".join(found.notes)
