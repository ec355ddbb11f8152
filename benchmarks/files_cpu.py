"""Measure CPU, children included, of two ways to do the same, in turns; made for the `files_*` benchmarks."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable


def cpu_s(work: Callable[[], object]) -> float:
    """Return the user and system seconds that some work takes, here and in child processes."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.process_time()
    work()
    own = time.process_time() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own + after.ru_utime - children.ru_utime + after.ru_stime - children.ru_stime


def compare(what: str, ours: Callable[[], object], bare: Callable[[], object], reach: float, times: int = 15) -> None:
    """Run both in turns and print the ratio of the best of each as one JSON line."""
    ours()
    bare()
    pairs = [(cpu_s(ours), cpu_s(bare)) for _ in range(times)]
    mine, theirs = (min(column) for column in zip(*pairs, strict=True))
    row = {"what": what, "ours_ms": round(mine * 1e3, 2), "bare_ms": round(theirs * 1e3, 2)}
    print(json.dumps({**row, "ratio": round(mine / theirs, 2), "reach": reach}), flush=True)
