"""The look at a tree: which files there are, which of them changed, which are gone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from inarch import FileStat, Workspace
from inarch_brief_tracer.facts.modules import module_name, packages_of
from inarch_brief_tracer.facts.source import sound
from inarch_brief_tracer.indexing.reading import Changed
from inarch_brief_tracer.store.kept_files import Kept, Stamp

MAX_FILES = 50_000
_SOURCES = "**/*.[pi][yp]*"
"""Matches Python files and notebooks (and little else): one walk through a tree finds both."""
_RACY_NS = 100_000_000
_COARSE_NS = 2_000_000_000


class Walked(NamedTuple):
    """What a tree has, against what is kept of it."""

    changed: list[Changed]
    gone: list[str]
    files: int
    notebooks: int
    truncated: bool
    """Whether there are more files than are looked at."""


def walked(workspace: Workspace, kept: Mapping[str, Kept]) -> Walked:
    """Walk through a tree and compare the stamps of its files."""
    walk = workspace.walk(_SOURCES, MAX_FILES)
    # A name that is no text has no place in the index.
    paths = [path for path in walk.paths if path.endswith(".py") and sound(path) == path]
    packages = packages_of(paths)
    present = set(paths)
    gone = [path for path in kept if path not in present]
    changed: list[Changed] = []
    for path in paths:
        module = module_name(path, packages)
        known, stat = kept.get(path), workspace.stat(path)
        if stat is None or stat.kind != "file":
            if known:
                gone.append(path)
        elif known is None or known.module != module or not _is_unchanged(known.stamp, stat):
            changed.append(Changed(path, stat, module))
    notebooks = sum(path.endswith(".ipynb") for path in walk.paths)
    return Walked(changed, gone, len(present), notebooks, walk.truncated)


def _is_unchanged(kept: Stamp, now: FileStat) -> bool:
    """Compare stamps as git does: one as young as the reading itself proves nothing."""
    if (kept.size, kept.mtime_ns, kept.ctime_ns, kept.inode) != (now.size, now.mtime_ns, now.ctime_ns, now.inode):
        return False
    youngest = max(now.mtime_ns, now.ctime_ns)
    margin = _COARSE_NS if youngest % 1_000_000_000 == 0 else _RACY_NS
    return youngest < kept.read_ns - margin
