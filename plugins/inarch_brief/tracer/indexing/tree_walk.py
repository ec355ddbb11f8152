"""The look at a tree: which files changed, which are gone, and which of very many a question leads to."""

from __future__ import annotations

import math
from collections import Counter
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
    """Ask the imports for the roots of folders whose paths don't tell, unless these files are as they were."""
    folders = open_folders(paths, packages)
    if not folders:
        return {}
    if not any(path in touched for files in folders.values() for path in files):
        known = kept_roots(folders, {path: file.module for path, file in kept.items()})
        if known is not None:
            return known

    from inarch_brief.tracer.facts.parser import absolute_imports  # what was decided is kept

    def imports_of(path: str) -> set[str]:
        try:
            return absolute_imports(workspace.read(path, max_bytes=_HEAD).data.decode("utf-8", "replace"))
        except ToolFailed:
            return set()

    return decided(folders, packages, imports_of)


def _is_known(kept: Kept | None, now: FileStat) -> bool:
    return kept is not None and _is_unchanged(kept.stamp, now)


def _is_unchanged(kept: Stamp, now: FileStat) -> bool:
    """Compare stamps as git does: one as young as the reading itself proves nothing."""
    if (kept.size, kept.mtime_ns, kept.ctime_ns, kept.inode) != (now.size, now.mtime_ns, now.ctime_ns, now.inode):
        return False
    youngest = max(now.mtime_ns, now.ctime_ns)
    margin = _COARSE_NS if youngest % 1_000_000_000 == 0 else _RACY_NS
    return youngest < kept.read_ns - margin


_AT_LEAST = 100
"""Texts that are looked at in any case."""
_TEXT_HEAD = 200_000
_LONGEST = 2_000
_OTHER = 0.3
"""What a test or a copy of other code counts, against the program itself."""


def led(workspace: Workspace, files: Sequence[Changed], question: str, limit: Limit) -> Mapping[str, float]:
    """Weigh the files by what a question and they have in common; those without anything are left out."""
    terms = terms_of(question)
    if not terms:
        return {}
    lower = {item.path: item.path.lower() for item in files}
    paths = {path: [term for term in terms if term in text] for path, text in lower.items()}
    order = sorted(paths, key=lambda path: (-len(paths[path]), role_of(path) != CODE, path.count("/"), path))
    found: dict[str, tuple[list[str], list[str]]] = {}
    for number, path in enumerate(order):
        if number >= _AT_LEAST and limit.is_over:
            break
        found[path] = _text_terms(workspace, path, terms)
    spread = Counter(term for held, _ in found.values() for term in held)
    weights = {term: math.log(1 + len(found) / (1 + spread[term])) for term in terms}
    scores = {
        path: sum(weights[term] for part in (paths[path], *found.get(path, ())) for term in part)
        * (1.0 if role_of(path) == CODE else _OTHER)
        for path in order
        if paths[path] or path in found
    }
    return {path: score for path, score in scores.items() if score > 0}


def terms_of(question: str) -> tuple[str, ...]:
    """Give what to look for in texts: names as they are, and words up to where their endings begin."""
    found: dict[str, None] = {}
    for name in words(question[:_LONGEST]):
        parts = [part for part in pieces(name) if len(part) > 2 and part not in STOP_WORDS and part not in WEAK_WORDS]
        if len(parts) > 1:
            found[name.lower()] = None
        for part in parts:
            root = stem(part)
            found[root if part.startswith(root) else root[:-1]] = None  # a last letter may have been changed
    return tuple(term for term in found if len(term) > 2)


def _text_terms(workspace: Workspace, path: str, terms: Sequence[str]) -> tuple[list[str], list[str]]:
    """Give the terms that a file holds, and those in names that it defines."""
    try:
        text = workspace.read(path, max_bytes=_TEXT_HEAD).data.decode("utf-8", "replace")
    except ToolFailed:
        return [], []
    lower = text.lower()
    held = [term for term in terms if term in lower]
    if not held:
        return [], []
    from inarch_brief.tracer.facts.parser import defined_in  # only while an index is made

    names = " ".join(defined_in(text)).lower()
    return held, [term for term in held if term in names]
