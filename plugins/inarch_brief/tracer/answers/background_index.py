"""A process of its own makes the rest of an index after a question, if the user's own settings allow it."""

from __future__ import annotations

import fcntl
import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import inarch
from inarch_brief.tracer.answers.tracer_settings import Settings
from inarch_brief.tracer.store.database import Store

if TYPE_CHECKING:
    from inarch_brief.tracer.indexing.index import Index


_PROCESS = "inarch_brief.tracer.answers.index_process"


def finish_later(context: inarch.PluginContext, index: Index) -> None:
    """Start the process if it is wanted, there is something to do, and none runs."""
    settings, store = context.settings, index.store
    if not isinstance(settings, Settings) or not settings.index_in_background or context.added or index.is_whole:
        return
    if not store.folder or store.note or not sys.executable or running(store):
        return
    argv = [sys.executable, "-P", "-m", _PROCESS, context.root, context.cache_dir]
    quiet = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    with suppress(OSError, NotImplementedError):
        os.posix_spawn(sys.executable, argv, os.environ, file_actions=quiet, setsid=True)


def running(store: Store) -> str:
    """Say which process finishes an index, and since when; "" if none does."""
    try:
        with open(lock_of(store), encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                pid, start = file.read().split()
                return f"process {pid} reads the rest since {max(0.0, time.time() - int(start)):.0f} s"
    except (OSError, ValueError):
        pass  # there is none, or it is about to write who it is
    return ""


def lock_of(store: Store) -> str:
    """Give the file that the process holds a lock on, beside every version of the index."""
    return f"{store.path.rpartition('-v')[0]}.lock"
