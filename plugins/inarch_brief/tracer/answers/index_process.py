"""The process that makes the rest of an index: `python -m inarch_brief.tracer.answers.index_process ROOT CACHE`.

It ends itself, says nothing, gives way to others, and is one a tree: it holds a lock for as long as it runs.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import time

import inarch
from inarch_brief.tracer.answers.background_index import lock_of
from inarch_brief.tracer.answers.command_index import BUILDING_SECONDS, room_of
from inarch_brief.tracer.store.database import Store

SECONDS = 58
"""After so many the process is ended, whatever it does: what it has read until then is kept."""
_NICE = 10


def main(root: str, cache: str) -> None:
    """Finish the index of a root, unless another process does."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(SECONDS)
    os.chdir("/")
    os.nice(_NICE)
    with open(lock_of(Store(cache, root)), "a", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        lock.truncate(0)
        lock.write(f"{os.getpid()} {time.time():.0f}\n")
        lock.flush()
        with room_of(inarch.PluginContext("brief-tracer", root, cache_dir=cache), BUILDING_SECONDS) as room:
            room.linked(lambda shelf, coverage: None)


if __name__ == "__main__":
    main(*sys.argv[1:])
