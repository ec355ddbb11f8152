"""The walk of a tree: its changed and deleted files, and of very many those that a question leads to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from inarch import FileStat, ToolFailed, Workspace
from inarch_brief.search.formats import compiled, format_of
from inarch_brief.search.tokens import pieces, stem, words
from inarch_brief.search.vocabulary import STOP_WORDS, WEAK_WORDS
from inarch_brief.tracer.facts.modules import (
    CODE,
    PYTHON,
    TEXT,
    decided,
    doubled,
    is_other,
    kept_roots,
    module_names,
    open_folders,
    packages_of,
    role_of,
)
from inarch_brief.tracer.facts.source import sound
from inarch_brief.tracer.indexing.file_reader import Changed, Limit
from inarch_brief.tracer.store.kept_files import Kept, Stamp

MAX_FILES = 50_000
SOURCES = "**/*"
"""One walk of a tree finds all relevant files. Files such as a Makefile have no ending."""
_MAX_WALKED = 4 * MAX_FILES
_HEAD = 32_000
"""Bytes of a file that are searched for imports."""
_RACY_NS = 100_000_000
_COARSE_NS = 2_000_000_000


class Walked(NamedTuple):
    """A tree compared with the stored files."""

    changed: list[Changed]
    gone: list[str]
    files: int
    truncated: bool
    """Whether there are more files than the limit."""
    others: int = 0
    """Files in other languages than Python that are read."""
    note: str = ""
    """A note on files in other languages."""
    code: int = 0
    """The number of code files."""


def walked(workspace: Workspace, kept: Mapping[str, Kept]) -> Walked:
    """Walk a tree and compare the stamps of its files."""
    walk = workspace.walk(SOURCES, _MAX_WALKED)
    # A name with lone surrogates has no place in the index.
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
    """Return the readable files in other languages, and a note on the others."""
    listed = list(paths)
    if not listed:
        return [], ""
    from inarch_brief.tracer.indexing.other_files import looked_at

    found = looked_at(listed)
    return found.paths, found.note


def _roots(
    workspace: Workspace,
    kept: Mapping[str, Kept],
    paths: list[str],
    packages: Collection[str],
    touched: Collection[str],
) -> Mapping[str, int]:
    """Derive the roots of folders from imports if paths do not show them, unless these files are unchanged."""
    folders = open_folders(paths, packages)
    if not folders:
        return {}
    if not any(path in touched for files in folders.values() for path in files):
        known = kept_roots(folders, {path: file.module for path, file in kept.items()})
        if known is not None:
            return known

    from inarch_brief.tracer.facts.parser import absolute_imports  # decided roots are stored

    def imports_of(path: str) -> set[str]:
        try:
            return absolute_imports(workspace.read(path, max_bytes=_HEAD).data.decode("utf-8", "replace"))
        except ToolFailed:
            return set()

    return decided(folders, packages, imports_of)


def _is_known(kept: Kept | None, now: FileStat) -> bool:
    return kept is not None and _is_unchanged(kept.stamp, now)


def _is_unchanged(kept: Stamp, now: FileStat) -> bool:
    """Compare stamps as Git does: a stamp as young as the reading itself proves nothing."""
    if (kept.size, kept.mtime_ns, kept.ctime_ns, kept.inode) != (now.size, now.mtime_ns, now.ctime_ns, now.inode):
        return False
    youngest = max(now.mtime_ns, now.ctime_ns)
    margin = _COARSE_NS if youngest % 1_000_000_000 == 0 else _RACY_NS
    return youngest < kept.read_ns - margin


_AT_LEAST = 100
"""The fewest texts searched."""
_TEXT_HEAD = 200_000
_LONGEST = 2_000
_OTHER = 0.3
"""The weight of a test or a copy of other code, against the program itself."""


def led(workspace: Workspace, files: Sequence[Changed], question: str, limit: Limit) -> Mapping[str, float]:
    """Score the files by the terms they share with a question, without those that share none."""
    terms = terms_of(question)
    lower = {item.path: item.path.lower() for item in files} if terms else {}
    counts = {path: 2.0 * sum(term in text for term in terms) for path, text in lower.items()}
    order = sorted(counts, key=lambda path: (-counts[path], role_of(path) != CODE, path.count("/"), path))
    for number, path in enumerate(order):
        if number >= _AT_LEAST and limit.is_over:
            break
        try:
            data = workspace.read(path, max_bytes=_TEXT_HEAD).data.lower()
        except ToolFailed:
            continue
        counts[path] += sum(term.encode() in data for term in terms)
    return {path: count * (1.0 if role_of(path) == CODE else _OTHER) for path, count in counts.items() if count}


def terms_of(question: str) -> tuple[str, ...]:
    """Return the terms to search texts for: names as they are, and words without their endings."""
    found: dict[str, None] = {}
    for name in words(question[:_LONGEST]):
        parts = [part for part in pieces(name) if len(part) > 2 and part not in STOP_WORDS and part not in WEAK_WORDS]
        if len(parts) > 1:
            found[name.lower()] = None
        for part in parts:
            root = stem(part)
            found[root if part.startswith(root) else root[:-1]] = None  # the last letter may differ
    return tuple(term for term in found if len(term) > 2)
