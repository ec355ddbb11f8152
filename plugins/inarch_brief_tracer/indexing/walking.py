"""The look at a tree: which files there are, which of them changed, which are gone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from inarch import FileStat, ToolFailed, Workspace
from inarch_brief_tracer.facts.file_names import PYTHON, is_other
from inarch_brief_tracer.facts.import_roots import decided, kept_roots, open_folders
from inarch_brief_tracer.facts.modules import TEXT, doubled, module_names, packages_of, role_of
from inarch_brief_tracer.facts.source import sound
from inarch_brief_tracer.indexing.reading import Changed
from inarch_brief_tracer.store.kept_files import Kept, Stamp
from inarch_search.copies import compiled
from inarch_search.formats import format_of

MAX_FILES = 50_000
SOURCES = "**/*"
"""One walk through a tree finds all that is looked at; files such as a Makefile have no ending."""
_MAX_WALKED = 4 * MAX_FILES
_HEAD = 32_000
"""Bytes of a file in which its imports are looked for."""
_RACY_NS = 100_000_000
_COARSE_NS = 2_000_000_000


class Walked(NamedTuple):
    """What a tree has, against what is kept of it."""

    changed: list[Changed]
    gone: list[str]
    files: int
    truncated: bool
    """Whether there are more files than are looked at."""
    others: int = 0
    """Files in other languages than Python that are read."""
    note: str = ""
    """What has to be said about files in other languages."""
    code: int = 0
    """Files that are no texts."""


def walked(workspace: Workspace, kept: Mapping[str, Kept]) -> Walked:
    """Walk through a tree and compare the stamps of its files."""
    walk = workspace.walk(SOURCES, _MAX_WALKED)
    # A name that is no text has no place in the index.
    paths = [path for path in walk.paths if path.endswith(PYTHON) and sound(path) == path]
    others, note = _others(path for path in walk.paths if is_other(path) and sound(path) == path)
    texts = [path for path in walk.paths if format_of(path) and role_of(path) == TEXT and sound(path) == path]
    truncated = walk.truncated or len(paths) + len(others) > MAX_FILES
    paths = paths[:MAX_FILES]
    code = {*paths, *others[: MAX_FILES - len(paths)]}
    present = {*code, *texts[: MAX_FILES - len(code)]}
    packages = packages_of(paths)
    stats = {path: workspace.stat(path) for path in sorted(present)}
    touched = {path for path, stat in stats.items() if stat and not _is_known(kept.get(path), stat)}
    roots = _roots(workspace, kept, paths, packages, touched)
    changed: list[Changed] = []
    modules = module_names(paths, packages, roots)
    twice, made = doubled(paths, modules), compiled(others)
    code, present = code - twice, present - twice
    gone = [path for path in kept if path not in present]
    for path, stat in stats.items():
        known, module = kept.get(path), modules.get(path) or (path[: path.rfind(".")] if path in code else path)
        if path in twice:
            continue
        if stat is None or stat.kind != "file":
            if known:
                gone.append(path)
        elif path in touched or (known and known.module != module):
            changed.append(Changed(path, stat, module, path in made))
    return Walked(changed, gone, len(present), truncated, len(code) - len(paths) + len(twice), note, len(code))


def _others(paths: Iterable[str]) -> tuple[list[str], str]:
    """Give the files in other languages that can be read here, and what to say of those that can't."""
    listed = list(paths)
    if not listed:
        return [], ""
    from inarch_brief_tracer.indexing.other_files import looked_at

    found = looked_at(listed)
    return found.paths, found.note


def _roots(
    workspace: Workspace,
    kept: Mapping[str, Kept],
    paths: list[str],
    packages: Collection[str],
    touched: Collection[str],
) -> Mapping[str, int]:
    """Ask the imports for the roots of folders whose paths don't tell, unless these files are as they were."""
    folders = open_folders(paths, packages)
    if not folders:
        return {}
    if not any(path in touched for files in folders.values() for path in files):
        known = kept_roots(folders, {path: file.module for path, file in kept.items()})
        if known is not None:
            return known

    def text_of(path: str) -> str:
        try:
            return workspace.read(path, max_bytes=_HEAD).data.decode("utf-8", "replace")
        except ToolFailed:
            return ""

    return decided(folders, packages, text_of)


def _is_known(kept: Kept | None, now: FileStat) -> bool:
    return kept is not None and _is_unchanged(kept.stamp, now)


def _is_unchanged(kept: Stamp, now: FileStat) -> bool:
    """Compare stamps as git does: one as young as the reading itself proves nothing."""
    if (kept.size, kept.mtime_ns, kept.ctime_ns, kept.inode) != (now.size, now.mtime_ns, now.ctime_ns, now.inode):
        return False
    youngest = max(now.mtime_ns, now.ctime_ns)
    margin = _COARSE_NS if youngest % 1_000_000_000 == 0 else _RACY_NS
    return youngest < kept.read_ns - margin
