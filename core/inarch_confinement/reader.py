"""A process that reads what strangers wrote: it answers to who started it, and can do nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

from .entering import confine
from .levels import own_layers
from .places import LIBRARIES
from .plan import Plan


def confine_reader(memory_bytes: int, cpu_seconds: int = 0) -> None:
    """Keep the network, all writes and all programs from this process, which may read only what Python imports.

    Args:
        memory_bytes: Most private memory.
        cpu_seconds: Most processor time, 0 for any.

    Raises:
        OSError: A layer that this system has can't be put on. The process must end then.
    """
    layers = own_layers() if sys.platform == "linux" else frozenset({"limits"})
    own = str(Path(__file__).parents[1])
    confine(
        Plan(
            "/usr", sys.executable, readable=(*LIBRARIES, sys.base_prefix, own, *filter(None, sys.path)),
            memory_bytes=memory_bytes, cpu_seconds=cpu_seconds, layers=layers, starts=False,
        )
    )  # fmt: skip
