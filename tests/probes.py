"""Plugins of the tests that count as probed: a probe is a process with imports of its own, and rarely the subject."""

from __future__ import annotations

from pathlib import Path

from inarch.plugins.modules import single_file
from inarch.plugins.probe import remember, verdict_file


def pass_of(file: Path) -> str:
    """Return what says that this single-file plugin has passed a probe."""
    return verdict_file(single_file(str(file)), Path()).name


def keep_passes(cache: Path, passes: list[str]) -> None:
    """Keep passes in the folder that `XDG_CACHE_HOME` will name."""
    for key in passes:
        remember(cache / "inarch" / "probes" / key)
